//! Memory and CPU of the window beside the bare one's.

use std::{env, thread, time::Duration};

use super::{
    arguments, bare, fanfare,
    stage::{Begins, Stage},
    tree,
};
use crate::{failure::Failure, figure::Figure, rounds::ROUNDS, sweep::running::Rig};

/// How long both windows have to settle before they are measured.
const SETTLE: Duration = Duration::from_secs(20);
/// The measured time of all rounds together.
const SECONDS: u32 = 120;
/// Names another time, for whoever tries the bench itself.
const SECONDS_VARIABLE: &str = "FANFARE_BENCH_WINDOW_SECONDS";

/// How the figures were made.
const HOW: &str = "the window's whole process tree, probe included, beside the bare window's at the same time on screens of their \
                   own, eight cards once a second, 15 rounds in a row over 120 s after 20 s";

/// `pss_vs_bare`.
pub(crate) fn pss() -> Result<Vec<Figure>, Failure> {
    let rounds = side_by_side(Begins::Shown, |ours, bare, time| {
        thread::sleep(time);
        Ok((tree::pss_mib(ours)?, tree::pss_mib(bare)?))
    })?;
    Ok(vec![Figure::beside("pss_vs_bare", &rounds, 1.4, "MiB", HOW)])
}

/// `cpu_visible_vs_bare`.
pub(crate) fn cpu_visible() -> Result<Vec<Figure>, Failure> {
    let rounds = side_by_side(Begins::Shown, cpu)?;
    Ok(vec![Figure::beside("cpu_visible_vs_bare", &rounds, 1.6, "ms/s", HOW)])
}

/// `cpu_hidden_vs_bare`: ours is minimised, the bare one is seen.
pub(crate) fn cpu_hidden() -> Result<Vec<Figure>, Failure> {
    let rounds = side_by_side(Begins::Minimised, cpu)?;
    Ok(vec![Figure::beside("cpu_hidden_vs_bare", &rounds, 0.5, "ms/s", HOW)])
}

/// Milliseconds of CPU a second, of both.
fn cpu(ours: u32, bare: u32, time: Duration) -> Result<(f64, f64), Failure> {
    let before = (tree::cpu(ours)?, tree::cpu(bare)?);
    thread::sleep(time);
    let after = (tree::cpu(ours)?, tree::cpu(bare)?);
    let used = |before: Duration, after: Duration| {
        after.saturating_sub(before).as_secs_f64() * 1e3 / time.as_secs_f64()
    };
    Ok((used(before.0, after.0), used(before.1, after.1)))
}

/// Rounds with both windows running: `measure` is given both processes and the time of a round.
fn side_by_side(
    begins: Begins,
    mut measure: impl FnMut(u32, u32, Duration) -> Result<(f64, f64), Failure>,
) -> Result<Vec<(f64, f64)>, Failure> {
    let rig = Rig::of(8, 0)?;
    let (our_stage, bare_stage) = (Stage::set(&rig, begins)?, Stage::set(&rig, Begins::Shown)?);
    let ours = our_stage.start(&fanfare()?, &arguments()?);
    let bare = bare_stage.start(&bare()?, &[]);
    thread::sleep(SETTLE);
    let seconds = env::var(SECONDS_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let time = Duration::from_secs(u64::from(seconds)) / u32::try_from(ROUNDS).unwrap_or(u32::MAX);
    (0..ROUNDS).map(|_| measure(ours.id(), bare.id(), time)).collect()
}
