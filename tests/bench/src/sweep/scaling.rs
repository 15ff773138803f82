//! `sweep_64_vs_8`: CPU of a sweep over 64 cards against one over eight; eight times the cards may cost little more than eight
//! times as much.

use super::running::{Probe, Rig};
use crate::{failure::Failure, figure::Figure, rounds};

const GOAL: f64 = 9.0;

pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let (many, few) = (Rig::of(64, 0)?, Rig::of(8, 0)?);
    let (mut many, mut few) = (Probe::over(&many)?, Probe::over(&few)?);
    let cpu_us = |probe: &mut Probe| Ok(probe.cpu_per_sweep()?.as_secs_f64() * 1e6);
    let rounds = rounds::alternate(|| cpu_us(&mut many), || cpu_us(&mut few))?;
    let how =
        "CPU of the probe's process a sweep, 64 cards against eight, the two probes running side by side";
    Ok(vec![Figure::beside("sweep_64_vs_8", &rounds, GOAL, "µs", how)])
}
