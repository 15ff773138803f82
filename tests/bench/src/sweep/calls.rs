//! `sweep_calls`: driver calls a card and sweep, by the simulated driver's own count.

use super::{
    COUNTING_PACE, SWEEPS,
    running::{Probe, Rig},
};
use crate::{failure::Failure, figure::Figure, rounds::ROUNDS};

const GOAL: f64 = 14.0;

pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let rig = Rig::of(8, 0)?;
    let mut probe = Probe::over(&rig, COUNTING_PACE)?;
    let mut calls_per_card = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        // A line is written when its sweep is done and the next begins a tenth of a second later, so the count is of whole sweeps.
        let first = probe.fresh()?;
        let before = counted(&rig);
        let last = probe.until(first + SWEEPS)?;
        calls_per_card.push((counted(&rig) - before) / (last - first) as f64 / 8.0);
    }
    let how = "calls on cards in the simulated driver's log, by cards and sweeps; eight cards of two fans, slow facts apart";
    Ok(vec![Figure::alone("sweep_calls", calls_per_card, GOAL, "calls", how)])
}

fn counted(rig: &Rig) -> f64 {
    let calls: u64 = rig.world.calls().iter().filter(|call| call.card.is_some()).map(|call| call.count).sum();
    calls as f64
}
