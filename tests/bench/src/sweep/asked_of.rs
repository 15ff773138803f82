//! The other end of [`Asked`](crate::asked::Asked): this program as one side of a bench, in a process of its own, because a process
//! keeps the first driver it loads and each rig needs its own.

use std::time::Duration;

use clap::ValueEnum;

use super::{bare::Bare, reading::Reading};
use crate::failure::Failure;

/// A side of a bench.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Side {
    /// The calls of a sweep in a bare loop.
    Bare,
    /// The probe's reading of every card.
    Reading,
}

/// For each number of sweeps on the standard input, prints the CPU microseconds a sweep.
pub(crate) fn serve(side: Side) -> Result<(), Failure> {
    match side {
        Side::Bare => {
            let bare = Bare::load()?;
            answer(|sweeps| bare.cpu_per_sweep(sweeps))
        }
        Side::Reading => {
            let mut reading = Reading::load()?;
            answer(|sweeps| reading.cpu_per_sweep(sweeps))
        }
    }
}

fn answer(mut cpu_per_sweep: impl FnMut(u32) -> Result<Duration, Failure>) -> Result<(), Failure> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let sweeps: u32 = line.trim().parse().map_err(|_| Failure::Peer(line))?;
        println!("{}", cpu_per_sweep(sweeps)?.as_secs_f64() * 1e6);
    }
    Ok(())
}
