//! `history_bytes_vs_prometheus`: the same day on the disk, here and in Prometheus' blocks.

use std::path::Path;

use rusqlite::Connection;

use super::{day::Day, prometheus::Blocks};
use crate::{failure::Failure, figure::Figure};

/// The tables of the sealed samples, with their indexes.
const SEALED: &str = "'sheet', 'chunk', 'sqlite_autoindex_sheet_1', 'sqlite_autoindex_chunk_1'";

/// Both figures; bytes do not vary, so one round is all of them.
pub(super) fn measure(history: &Path, blocks: &Blocks, day: &Day) -> Result<Vec<Figure>, Failure> {
    let connection = Connection::open(history.join(fanfare_history::FILE))?;
    let pages = |condition: &str| -> Result<f64, Failure> {
        let sql = format!("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE {condition}");
        Ok(connection.query_row(&sql, [], |row| row.get::<_, i64>(0))? as f64)
    };
    let (sealed, all) = (pages(&format!("name IN ({SEALED})"))?, pages("true")?);
    let samples = (day.sweeps.len() * day.series().count()) as f64;
    let theirs = blocks.bytes as f64;
    let how = |what: &str| {
        format!(
            "{what}, over all files of the blocks that promtool makes of the same samples; a simulated day of eight cards with twelve \
             quantities, bytes a sample"
        )
    };
    Ok(Vec::from([
        Figure::beside(
            "history_bytes_vs_prometheus",
            &[(sealed / samples, theirs / samples)],
            0.45,
            "B",
            &how("pages of the sealed samples"),
        ),
        Figure::beside(
            "history_bytes_vs_prometheus_all",
            &[(all / samples, theirs / samples)],
            0.65,
            "B",
            &how("all pages of the file that are in use"),
        ),
    ]))
}
