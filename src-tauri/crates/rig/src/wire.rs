//! The line protocol between the probe and whoever started it: one JSON object a line, on the probe's standard output.
//!
//! A line carries its protocol version. Within a version fields may be added, and a reader ignores those it does not know; a
//! change of meaning is a new version, and a reader refuses a version newer than its own by name rather than guess.
//! A line of 64 cards with all their details is below 200 KiB; [`LINE_MAX`] bounds what a reader must hold.

use fanfare_units::Stamp;
use serde::{Deserialize, Serialize};

use crate::{
    answer::Answer,
    details::Details,
    identity::CardUuid,
    snapshot::{CardEvent, Driver, Roster, Unreachable},
    trouble::Trouble,
};

/// The version this build speaks.
pub const VERSION: u32 = 1;

/// The longest line a reader accepts, in bytes.
pub const LINE_MAX: usize = 1 << 20;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// A sweep, sent when every card has answered, or at its deadline.
    Sweep(Box<SweepLine>),
    /// The driver cannot be read; the probe ends after this line.
    Trouble(Trouble),
}

/// One sweep as it is sent. Slow facts come only in the lines after they were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepLine {
    /// Number of the sweep, from 1.
    pub sweep: u64,
    /// When the sweep began.
    pub at: Stamp,
    /// The driver, in the first line after it was met.
    pub driver: Option<Driver>,
    /// Whether the list of cards could be read.
    pub roster: Roster,
    /// Every card met so far, in the order they were met.
    pub cards: Vec<CardLine>,
    /// Cards without a UUID.
    pub unreachable: Vec<Unreachable>,
    /// Events since the last line.
    pub events: Vec<CardEvent>,
    /// Events dropped since the last line because the reader was too slow.
    pub events_dropped: u64,
}

/// One card of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardLine {
    /// Its name.
    pub uuid: CardUuid,
    /// Its answer.
    pub answer: Answer,
    /// Its slow facts, if they were read in this sweep.
    pub slow: Option<Box<Slow>>,
}

/// What a card's thread sends once a minute: its slow facts and what its calls cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slow {
    /// The slow facts.
    pub details: Details,
    /// Cost of each call so far.
    pub calls: Vec<CallCost>,
}

/// What one driver call on one card has cost since the probe started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallCost {
    /// Name of the C function.
    pub call: String,
    /// How often it was made.
    pub count: u64,
    /// How often it failed.
    pub failed: u64,
    /// Median in microseconds.
    pub p50_us: f64,
    /// 99th percentile in microseconds.
    pub p99_us: f64,
}

/// A line with its version, as it stands on the wire.
#[derive(Debug, Serialize, Deserialize)]
struct Versioned<T> {
    v: u32,
    line: T,
}

/// Why a line cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// It is not JSON of the agreed shape.
    #[error("the probe's line cannot be read: {0}")]
    Garbage(#[from] serde_json::Error),
    /// It speaks a version this build does not know.
    #[error("the probe speaks version {theirs} of the line protocol; this build reads {VERSION}")]
    Version {
        /// The version of the line.
        theirs: u32,
    },
}

/// Puts `line` into `buffer` as one line of JSON with its newline, in place of what was there. The buffer is the caller's, so that
/// it is grown once and not each second.
///
/// # Errors
/// None that these types can give rise to; a map with other keys than strings would be one.
pub fn write(line: &Line, buffer: &mut Vec<u8>) -> serde_json::Result<()> {
    buffer.clear();
    serde_json::to_writer(&mut *buffer, &Versioned { v: VERSION, line })?;
    buffer.push(b'\n');
    Ok(())
}

/// Reads one line, with or without its newline.
///
/// # Errors
/// The line is garbage, or of another version.
pub fn read(line: &[u8]) -> Result<Line, WireError> {
    // The version first, apart: a newer line must be named as such even where its shape cannot be read.
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let Version { v } = serde_json::from_slice(line)?;
    if v != VERSION {
        return Err(WireError::Version { theirs: v });
    }
    let Versioned { line, .. } = serde_json::from_slice(line)?;
    Ok(line)
}

#[cfg(test)]
mod tests;
