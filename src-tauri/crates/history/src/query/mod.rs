//! Questions to the history: many series over a range of the wall, in at most 2,000 points each.
//!
//! The range is cut into as many steps as points are wanted, and the coarsest level whose cells are no longer than a step serves:
//! samples up to 33 hours, minutes up to 83 days, hours beyond (at 2,000 points). Where that level is gone or not made yet, the next
//! that is there serves. Each point keeps the least and the greatest of its step, so that a spike of one second in a year is seen.
//!
//! Where there are no more moments than points, they stand as they are; else a point stands for its step and has the step's
//! beginning as its time. All series of an answer share their times. A time at which a series has no value is a gap; where nothing
//! has one for longer than the level bridges, one time with no value is put in, so that no line is drawn across.
//!
//! A day of one card's quantity at one sample a second reads 86,400 samples; a year reads 8,760 hours.

mod cells;
mod grid;
mod scan;

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use rusqlite::Connection;

use crate::{
    block::batch::Batch,
    levels::{Fold, Level},
    quantity::Series,
    roster::Roster,
    segment::Segment,
    store::HistoryError,
    tail::Key,
};
pub use cells::PastCell;
pub(crate) use cells::cells_between;
use grid::{Canvas, Grid};
use scan::{Entry, Scan};

/// The most points of a series in an answer.
pub const MOST_POINTS: usize = 2_000;

/// The most series in a question: eight cards with all their quantities.
pub const MOST_CURVES: usize = 256;

/// Up to how many times as many moments as points are looked at one by one, before they are known to be too many.
const WORTH_COLLECTING: i64 = 4;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Of what; more than [`MOST_CURVES`] are cut off.
    pub series: Vec<Series>,
    /// From this moment on …
    pub from: Timestamp,
    /// … and before this.
    pub to: Timestamp,
    /// The most points, at least 1 and at most [`MOST_POINTS`]; one point a pixel is enough.
    pub points: usize,
    /// The level to read; none for the coarsest that serves.
    pub level: Option<Level>,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The level that was read, where it is there.
    pub level: Level,
    /// How long the steps are that points stand for; none where each moment stands for itself.
    pub step: Option<Duration>,
    /// The times of all curves' points, rising, in microseconds since 1970.
    pub times_us: Vec<i64>,
    /// In the order of the question.
    pub curves: Vec<Curve>,
}

/// The course of one series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// Whose.
    pub series: Series,
    /// One a time of the answer; none is a gap.
    pub points: Vec<Option<Fold>>,
}

/// Answers from a file and from sweeps that are not in it yet.
pub(crate) fn answer(
    connection: &Connection,
    roster: &Roster,
    segments: &BTreeMap<u32, Segment>,
    held: &[(Key, Batch)],
    question: &Question,
) -> Result<Answer, HistoryError> {
    let series = &question.series[..question.series.len().min(MOST_CURVES)];
    let foldings = series.iter().map(|series| series.quantity.folding()).collect();
    let (from_us, to_us) = (question.from.as_microsecond(), question.to.as_microsecond());
    let points = i64::try_from(question.points.clamp(1, MOST_POINTS)).unwrap_or(1);
    let span_us = to_us.saturating_sub(from_us).max(0);
    let step_us = span_us.div_euclid(points) + i64::from(span_us.rem_euclid(points) > 0);
    let level = question.level.unwrap_or(Level::serving(step_us));
    let numbers = series.iter().map(|series| roster.number(series)).collect();
    let scan = Scan { connection, segments, held, numbers, foldings, level, from_us, to_us };

    let even = Grid::Even { from_us, step_us: step_us.max(1), slots: usize::try_from(points).unwrap_or(1) };
    let canvas = if span_us == 0 {
        Canvas::new(even, &scan.foldings)
    } else if scan.most_moments()? <= points.saturating_mul(WORTH_COLLECTING) {
        let mut entries: Vec<Entry> = Vec::new();
        scan.run(&mut |entry| entries.push(entry))?;
        let grid = Grid::of_moments(&entries, usize::try_from(points).unwrap_or(1)).unwrap_or(even);
        let mut canvas = Canvas::new(grid, &scan.foldings);
        entries.iter().for_each(|entry| canvas.put(entry));
        canvas
    } else {
        let mut canvas = Canvas::new(even, &scan.foldings);
        scan.run(&mut |entry| canvas.put(&entry))?;
        canvas
    };
    Ok(canvas.answer(level, series))
}

#[cfg(test)]
mod tests;
