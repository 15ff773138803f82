//! `fanfarectl history`: what was recorded, from a terminal: shown ([`query`]), written out ([`export`]), checked ([`verify`]), or given
//! less room ([`compact`]).
//!
//! The first three read the file and ask nobody, so they work beside a program that records and without one; what such a program
//! still holds in memory, up to a minute, is not in the file yet. Only the last writes, and only who holds the data directory may:
//! where another program does, it is asked to.

pub(crate) mod args;
mod chosen;
mod compact;
mod export;
mod moment;
mod query;
mod scale;
mod verify;
mod work;

use std::path::Path;

use fanfare_engine::{Opening, profile::Profile};
use fanfare_history::{FILE, Reader};
use jiff::Timestamp;

use crate::{args::RigArgs, failure::Failure, session, words::Language};
use args::{HistoryArgs, HistoryVerb, RangeArgs};

pub(crate) async fn run(rig: &RigArgs, args: &HistoryArgs, language: Language) -> Result<(), Failure> {
    let opening = session::decide(rig)?;
    match &args.verb {
        HistoryVerb::Query(query) => query::run(&opening, query, language).await,
        HistoryVerb::Export(export) => export::run(&opening, export).await,
        HistoryVerb::Verify => verify::run(&opening, language).await,
        HistoryVerb::Compact => compact::run(&opening, language).await,
    }
}

/// The history in a data directory.
fn open(directory: &Path) -> Result<Reader, Failure> {
    Reader::open(directory)?.ok_or_else(|| Failure::NoHistory { path: directory.join(FILE) })
}

/// Whether what was recorded is simulated. The owner's own history never holds anything that is.
fn is_simulated(opening: &Opening) -> bool {
    opening.profile == Profile::Demo
}

/// A stretch of time, by the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    from: Timestamp,
    to: Timestamp,
}

impl Range {
    fn of(args: &RangeArgs, now: Timestamp) -> Result<Self, Failure> {
        let range = args.from.at(now).zip(args.to.at(now)).map(|(from, to)| Self { from, to });
        range.filter(|range| range.from < range.to).ok_or(Failure::BadRange)
    }
}
