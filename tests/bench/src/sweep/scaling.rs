//! `sweep_64_vs_8`: CPU of a sweep over 64 cards against one over eight; eight times the cards may cost little more than eight
//! times as much.

use super::{
    REAL_PACE,
    running::{Probe, Rig},
};
use crate::{failure::Failure, figure::Figure, rounds};

const GOAL: f64 = 9.0;

pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let (many, few) = (Rig::of(64, 0)?, Rig::of(8, 0)?);
    let (mut many, mut few) = (Probe::over(&many, REAL_PACE)?, Probe::over(&few, REAL_PACE)?);
    let rounds = rounds::alternate(|| many.cpu_us_per_sweep(), || few.cpu_us_per_sweep())?;
    let how = "CPU of the probe's process in the middle one of five sweeps a round, once a second, 64 cards against eight, the two probes running side by side";
    Ok(vec![Figure::beside("sweep_64_vs_8", &rounds, GOAL, "µs", how)])
}
