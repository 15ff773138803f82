//! What comes in: one reading of everything at one moment.

use std::time::Duration;

use fanfare_units::Stamp;

use crate::{Mark, Series};

/// Where sweeps come from: within one source they follow each other at one pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Number of the driver's session: another one once the driver was loaded anew, since its counters may have begun again.
    pub session: u32,
    /// How often a sweep is made. Two sweeps further apart than twice this have a gap between them.
    pub every: Duration,
}

/// The values of one moment. A value that is missing, or a series that is not named, is a gap of that series and never 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// When its reading began.
    pub at: Stamp,
    /// Where it comes from.
    pub source: Source,
    /// What was read.
    pub values: Vec<(Series, Option<i64>)>,
    /// What happened since the last one; more than 64 are cut off, and counted as refused.
    pub marks: Vec<Mark>,
}

/// What became of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is in memory, and will be on the disk within 50 s.
    Held,
    /// It is on the disk, with all before it.
    Stored,
    /// It is not later than one that was taken before, of the same boot: it was dropped, and counted.
    Late,
}

/// What was counted since the recorder was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sweeps on the disk.
    pub stored: u64,
    /// Sweeps that were dropped because they were not later than one before.
    pub late: u64,
    /// Values that were dropped because their quantity cannot have them, or because there are too many series; and marks that a sweep
    /// had too many of, or whose code cannot be kept.
    pub refused: u64,
    /// Sweeps that were given up, with their marks, because the disk did not take them for an hour.
    pub lost: u64,
    /// Transactions that wrote sweeps.
    pub commits: u64,
}
