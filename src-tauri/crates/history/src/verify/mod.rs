//! Reads everything and checks it: that it can be read, that times rise, that values can be meant, and that each level says the same
//! as the finer one where both are there. The last finds a flipped bit that the packing does not: a sum would have to flip with it.
//!
//! What it reads is one state of the file, whatever is written meanwhile; the log grows until it ends. A year of eight cards takes
//! some seconds and holds a day's minutes in memory, 9 MB. It can be told to stop between two hours or days; SQLite's own check of the
//! file comes first and is one part, up to a second for 200 MB.

mod levels;
mod samples;

use std::{collections::BTreeMap, ops::ControlFlow};

use rusqlite::Connection;

use crate::{
    mark,
    progress::{Progress, Steps},
    roster::{Roster, segments},
    segment::Segment,
    store::HistoryError,
};

/// The most findings that are told one by one.
const MOST_FINDINGS: usize = 100;

/// What was read, and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Segments.
    pub segments: u64,
    /// Series.
    pub series: u64,
    /// Sweeps, sealed or not.
    pub sweeps: u64,
    /// Values of sweeps.
    pub samples: u64,
    /// Values of sweeps that are not sealed yet.
    pub unsealed: u64,
    /// Marks.
    pub marks: u64,
    /// Minutes, one a series.
    pub minutes: u64,
    /// Hours, one a series.
    pub hours: u64,
    /// Minutes and hours that were compared with the finer level.
    pub compared: u64,
    /// What is wrong, the first hundred.
    pub findings: Vec<String>,
    /// How many more are wrong.
    pub more: u64,
}

impl Verified {
    /// Nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.more == 0
    }

    fn finds(&mut self, finding: impl FnOnce() -> String) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding());
        } else {
            self.more += 1;
        }
    }
}

/// Checks the whole file; `watch` is asked between any two parts whether to go on.
pub(crate) fn verify(
    connection: &Connection,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Verified, HistoryError> {
    // One state for all that follows; it writes nothing, and ends with its drop.
    let state = connection.unchecked_transaction()?;
    let mut steps = Steps::new(parts(&state)?, watch);
    steps.begin()?;
    let mut verified = Verified::default();
    check_file(&state, &mut verified)?;
    steps.step()?;
    let (roster, segments) = (Roster::read(&state)?, segments(&state)?);
    verified.segments = count(segments.len());
    verified.series = count(roster.all().count());
    verified.marks = mark::check(&state, |finding| verified.finds(|| finding))?;
    let mut check = Check { connection: &state, roster: &roster, segments: &segments, verified, steps };
    check.order()?;
    for day in check.days()? {
        let of_samples = check.samples_of(day)?;
        check.levels_of(day, &of_samples)?;
    }
    check.unsealed()?;
    check.count_hours()?;
    Ok(check.verified)
}

/// SQLite's own check of the file, and that no row refers to one that is not there.
fn check_file(connection: &Connection, verified: &mut Verified) -> Result<(), HistoryError> {
    let finding: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if finding != "ok" {
        verified.finds(|| finding);
    }
    let strangers: i64 =
        connection.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
    if strangers > 0 {
        verified.finds(|| format!("{strangers} rows refer to rows that are not there"));
    }
    Ok(())
}

/// The file itself, the sealed hours, the packed days, the rows that are not sealed, and the packed hours.
fn parts(connection: &Connection) -> Result<u64, HistoryError> {
    let parts: i64 = connection.query_row(
        "SELECT 1 + (SELECT count(*) FROM sheet) + (SELECT count(DISTINCT span) FROM pack WHERE level = 1)
                  + (SELECT count(*) FROM tail) + (SELECT count(DISTINCT span) FROM pack WHERE level = 2)",
        [],
        |row| row.get(0),
    )?;
    Ok(parts.unsigned_abs())
}

/// A check on its way: what it reads, what it found, and how far it is.
struct Check<'c> {
    connection: &'c Connection,
    roster: &'c Roster,
    segments: &'c BTreeMap<u32, Segment>,
    verified: Verified,
    steps: Steps<'c>,
}

fn count(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
