//! Setting up a rig.

use fanfare_sim_state::{Clock, Setup, World, Writes};

use crate::Failure;
use crate::args::{ClockArg, Init, WritesArg};

pub(crate) fn writes(who: WritesArg) -> Writes {
    match who {
        WritesArg::Privileged => Writes::Privileged,
        WritesArg::Anyone => Writes::Anyone,
    }
}

pub(crate) fn run(init: &Init) -> Result<(), Failure> {
    let setup = Setup {
        profile: init.profile.clone(),
        cards: init.cards,
        seed: init.seed,
        clock: match init.clock {
            ClockArg::Real => Clock::Real,
            ClockArg::Manual => Clock::Manual,
        },
        speed: init.speed,
        writes: writes(init.writes),
        rentals: !init.no_rentals,
        no_power: init.no_power.clone(),
        call_cost_us: init.call_cost_us,
        scenario: init.scenario.clone(),
    };
    World::create(&init.file, &setup)?;
    Ok(())
}
