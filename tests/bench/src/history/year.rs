//! `history_year_ms`: a year of one card's power from its minutes, in at most 2,000 points.

use std::{path::Path, time::Duration, time::Instant};

use fanfare_history::{Level, Quantity, Question, Recorder, Retention, Series, Source, Sweep};
use jiff::Timestamp;

use super::{day::DAY_S, memory_folder, stamp};
use crate::{failure::Failure, figure::Figure, rounds::ROUNDS};

/// Seconds between two samples: a minute has a least and a greatest of its own, and the year is recorded in about a minute.
const EVERY_S: u64 = 30;
const YEAR_S: u64 = 365 * DAY_S;
/// 2025-12-01T00:00:00Z.
const BEGIN_S: i64 = 1_764_547_200;

/// The figure.
pub(super) fn measure() -> Result<Figure, Failure> {
    let folder = memory_folder()?;
    let recorder = year(folder.path())?;
    let wall = |second: u64| stamp(BEGIN_S, second).map(|stamp| stamp.wall);
    let question = Question {
        series: vec![power()],
        from: wall(0)?,
        to: wall(YEAR_S)?,
        points: 2_000,
        level: Some(Level::Minute),
    };
    let mut took = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let block = recorder.query(&question)?.packed();
        took.push(begun.elapsed().as_secs_f64() * 1e3);
        if block.len() < 24 + 2_000 * 33 {
            return Err(Failure::Engine("the year has fewer points than it should".into()));
        }
    }
    let how = "525,600 minutes of one card's power, a sample each 30 s, to the page's block of 2,000 points; the minutes are asked for, \
               though the hours would serve";
    Ok(Figure::alone("history_year_ms", took, 50.0, "ms", how))
}

fn year(folder: &Path) -> Result<Recorder, Failure> {
    let mut recorder = Recorder::open(folder, Retention::default(), Timestamp::UNIX_EPOCH)?.recorder;
    let source = Source { session: 1, every: Duration::from_secs(EVERY_S) };
    for second in (0..YEAR_S).step_by(usize::try_from(EVERY_S).unwrap_or(1)) {
        let noise = i64::try_from(second.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52).unwrap_or(0);
        let values = vec![(power(), Some(110_000 + noise))];
        recorder.record(&Sweep { at: stamp(BEGIN_S, second)?, source, values, marks: Vec::new() })?;
    }
    recorder.flush()?;
    Ok(recorder)
}

fn power() -> Series {
    Series::new("GPU-1", Quantity::Power)
}
