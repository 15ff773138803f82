//! Live verbs: each one effect on the rig, or one look at it.

use fanfare_sim_state::{Effect, World, scenario};

use crate::Failure;
use crate::args::{ClockVerb, OrDefault, Switch, Verb};
use crate::output;

pub(crate) fn run(world: &World, verb: &Verb) -> Result<(), Failure> {
    match verb {
        Verb::Show { json } => output::show(world, *json),
        Verb::Calls { json, reset } => output::calls(world, *json, *reset),
        Verb::Sets { json } => output::sets(world, *json),
        Verb::Clock(clock) => move_clock(world, clock),
        Verb::Scenario { file } => Ok(scenario::load_live(file, world)?.apply(world)?),
        Verb::Hang { target, symbol, span } => Ok(world.hang(*target, *symbol, *span)?),
        other => match effect(other) {
            Some(effect) => Ok(world.apply(&effect)?),
            None => Ok(()),
        },
    }
}

fn move_clock(world: &World, verb: &ClockVerb) -> Result<(), Failure> {
    match verb {
        ClockVerb::Advance { by } => world.advance(*by)?,
        ClockVerb::Manual => world.clock_manual()?,
        ClockVerb::Real => world.clock_real(1.0)?,
        ClockVerb::Speed { speed } => world.clock_real(*speed)?,
    }
    Ok(())
}

/// Numbers below 0 become one that the rig refuses with the permitted range.
fn natural(number: OrDefault) -> Option<u32> {
    number.0.map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

/// The effect that a verb stands for; none for those that [`run`] does itself.
fn effect(verb: &Verb) -> Option<Effect> {
    Some(match verb {
        Verb::Load { card, percent } => Effect::Load { card: *card, percent: natural(*percent) },
        Verb::Temp { card, celsius } => Effect::Temperature { card: *card, celsius: celsius.0 },
        Verb::Ambient { celsius } => Effect::Ambient { celsius: *celsius },
        Verb::Lose { card } => Effect::Lose { card: *card },
        Verb::Find { card } => Effect::Find { card: *card },
        Verb::Remove { card } => Effect::Remove { card: *card },
        Verb::Add => Effect::Add,
        Verb::Swap { card } => Effect::Swap { card: *card },
        Verb::Order { slots } => Effect::Order { slots: slots.clone() },
        Verb::Xid { card, code } => Effect::Xid { card: *card, code: *code },
        Verb::Release { target } => Effect::Release { target: *target },
        Verb::Error { code, card, symbol } => match natural(*code) {
            Some(code) => Effect::Error { code, card: *card, symbol: *symbol },
            None => Effect::ClearErrors { card: *card, symbol: *symbol },
        },
        Verb::Mismatch { switch } => Effect::Mismatch { on: *switch == Switch::On },
        Verb::Reload => Effect::Reload,
        Verb::BlockFan { card, switch } => Effect::BlockFan { card: *card, on: *switch == Switch::On },
        Verb::NoPower { card, switch } => Effect::NoPower { card: *card, on: *switch == Switch::On },
        Verb::Link { card, generation, width } => {
            let most = natural(*generation).map(|generation| (generation, *width));
            Effect::Link { card: *card, most }
        }
        Verb::CallCost { micros } => Effect::CallCost { micros: *micros },
        Verb::Writes { who } => {
            Effect::Writes { anyone: crate::init::writes(*who) == fanfare_sim_state::Writes::Anyone }
        }
        Verb::Show { .. }
        | Verb::Calls { .. }
        | Verb::Sets { .. }
        | Verb::Clock(_)
        | Verb::Scenario { .. }
        | Verb::Hang { .. } => return None,
    })
}
