//! What the history costs, beside Prometheus with the same samples: bytes, queries, and what recording takes.
//!
//! One simulated day of eight cards serves all of it: twelve quantities, a sweep a second, each up to a millisecond late. It is recorded
//! once here and once into Prometheus' blocks, which takes some minutes, most of them promtool's.

mod bytes;
mod day;
mod entropy;
mod prometheus;
mod query;
pub(crate) mod recording;
mod year;

use std::{fs, io, path::Path, time::Duration};

use day::Day;
use fanfare_units::{Boottime, Stamp};
use jiff::Timestamp;
use prometheus::Blocks;
use tempfile::TempDir;

use crate::{failure::Failure, figure::Figure};

/// Where the table of entropies is kept.
const ENTROPY: &str = "docs/history-entropy.txt";

/// All figures of the history.
pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let folder = tempfile::tempdir()?;
    let day = Day::make(folder.path())?;
    let mut figures = recording::measure(&day)?;
    figures.push(year::measure()?);
    let history = folder.path().join("history");
    fs::create_dir(&history)?;
    recording::record(&history, &day.sweeps)?;
    let blocks = Blocks::of(&day, folder.path())?;
    let table = entropy::table(&day, &history)?;
    println!("{table}");
    fs::write(ENTROPY, table)?;
    figures.extend(bytes::measure(&history, &blocks, &day)?);
    figures.push(query::measure(&history, &blocks, &day)?);
    Ok(figures)
}

/// A folder to record long times in: in memory where there is a place for it, since half a million commits that wait for a disk are
/// half an hour.
pub(crate) fn memory_folder() -> io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    if fs::metadata(memory).is_ok_and(|found| found.is_dir()) {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
}

/// So many seconds after a moment, on a machine that was started then.
pub(crate) fn stamp(begin_s: i64, second: u64) -> Result<Stamp, Failure> {
    let wall = i64::try_from(second).ok().and_then(|second| Timestamp::from_second(begin_s + second).ok());
    Ok(Stamp {
        wall: wall.ok_or(Failure::Clock)?,
        boottime: Boottime::since_boot(Duration::from_secs(second)),
        boot: "0123456789abcdef0123456789abcdef".parse().map_err(|_| Failure::Clock)?,
    })
}
