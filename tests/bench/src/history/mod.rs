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

use std::fs;

use day::Day;
use prometheus::Blocks;

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
