//! `sweep_overhead_us`: CPU of an eight-card sweep beyond what its calls cost in a bare loop.
//!
//! Threads, timing, statistics, JSON and the pipe are in it. The bare loop runs hot in one thread while the probe wakes cold once a
//! second, so the difference is rather too large than too small.

use super::{
    REAL_PACE, SWEEPS,
    asked_of::Side,
    running::{Probe, Rig},
};
use crate::{asked::Asked, failure::Failure, figure::Figure, rounds};

const GOAL: f64 = 400.0;
/// Sweeps of the bare loop a round: it runs without a pause, so it can make more.
const BARE_SWEEPS: u64 = 40;
/// The figures, with what a driver call costs in CPU, in microseconds.
const CALL_COSTS: [(&str, u32); 3] =
    [("sweep_overhead_us", 0), ("sweep_overhead_us_at_5", 5), ("sweep_overhead_us_at_50", 50)];

pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    CALL_COSTS.iter().map(|(name, cost)| measure_at(name, *cost)).collect()
}

fn measure_at(name: &str, call_cost_us: u32) -> Result<Figure, Failure> {
    let rig = Rig::of(8, call_cost_us)?;
    let mut probe = Probe::over(&rig, REAL_PACE)?;
    let mut bare = Asked::of_this_program(Side::Bare, &rig)?;
    let rounds = rounds::alternate(|| probe.cpu_us_per_sweep(), || bare.cpu_us_per_sweep(BARE_SWEEPS))?;
    let overheads = rounds.iter().map(|(ours, bare)| ours - bare).collect();
    let how = format!(
        "CPU of the probe's process in the middle one of {SWEEPS} sweeps a round, less CPU of the same calls in a bare loop, eight cards once a second, {call_cost_us} µs a call"
    );
    Ok(Figure::alone(name, overheads, GOAL, "µs", &how))
}
