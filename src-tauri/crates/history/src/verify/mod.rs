//! Reads everything and checks it: that it can be read, that times rise, that values can be meant, and that each level says the same
//! as the finer one where both are there. The last finds a flipped bit that the packing does not: a sum would have to flip with it.
//!
//! What it reads is one state of the file, whatever is written meanwhile; the log grows until it ends. A year of eight cards takes
//! some seconds and holds a day's minutes in memory.

mod levels;
mod samples;

use rusqlite::Connection;

use crate::{
    mark,
    roster::{Roster, segments},
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

/// Checks the whole file.
pub(crate) fn verify(connection: &Connection) -> Result<Verified, HistoryError> {
    // One state for all that follows; it writes nothing, and ends with its drop.
    let state = connection.unchecked_transaction()?;
    let mut verified = Verified::default();
    let finding: String = state.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if finding != "ok" {
        verified.finds(|| finding);
    }
    let strangers: i64 =
        state.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
    if strangers > 0 {
        verified.finds(|| format!("{strangers} rows refer to rows that are not there"));
    }
    let (roster, segments) = (Roster::read(&state)?, segments(&state)?);
    verified.segments = count(segments.len());
    verified.series = count(roster.all().count());
    verified.marks = mark::check(&state, |finding| verified.finds(|| finding))?;
    let minutes = samples::check(&state, &roster, &segments, &mut verified)?;
    levels::check(&state, &roster, &minutes, &mut verified)?;
    Ok(verified)
}

fn count(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
