//! Setting up a rig.

use std::io;
use std::path::Path;

use fanfare_sim_state::{Clock, Setup, StateError, World, Writes};

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
    refuse_foreign(&init.file)?;
    World::create(&init.file, &setup)?;
    Ok(())
}

/// A rig takes the place of an older rig, of whatever version, and of nothing else.
fn refuse_foreign(file: &Path) -> Result<(), Failure> {
    match World::open(file) {
        Err(error @ StateError::NotAState { .. }) => Err(error.into()),
        Err(StateError::Io { source, path }) if source.kind() != io::ErrorKind::NotFound => {
            Err(StateError::Io { source, path }.into())
        }
        _ => Ok(()),
    }
}
