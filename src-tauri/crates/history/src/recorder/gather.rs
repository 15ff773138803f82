//! The end of a day of UTC: its minutes become one pack a series, and its hours are added to the pack of their thirty days. One
//! transaction. A pack that is there already (the clock was set back) is added to.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{
    block::bins,
    levels::{Cell, Packed, folded, hours_of},
    quantity::Folding,
    roster::Roster,
    store::{HistoryError, begin},
    time::{HOUR_US, HOURS_A_DAY, MINUTE_US},
};

/// Minutes in an hour, as cells.
const MINUTES_AN_HOUR: i64 = HOUR_US / MINUTE_US;

/// Packs the minutes and hours of a day.
pub(super) fn gather(connection: &mut Connection, roster: &Roster, day: i64) -> Result<(), HistoryError> {
    let hours = hours_of_day(day);
    let transaction = begin(connection)?;
    for (series, minutes) in fresh_minutes(&transaction, hours, |_| true, |_| true)? {
        let folding = roster.folding(series)?;
        let minutes = folded(minutes, folding);
        add(&transaction, Packed::Hours, series, hours_of(&minutes, folding), folding)?;
        add(&transaction, Packed::Minutes, series, minutes, folding)?;
    }
    transaction
        .prepare_cached("DELETE FROM fresh WHERE hour BETWEEN ?1 AND ?2")?
        .execute(params![hours.0, hours.1])?;
    Ok(transaction.commit()?)
}

/// The first and the last hour of a day.
pub(crate) const fn hours_of_day(day: i64) -> (i64, i64) {
    let first = day.saturating_mul(HOURS_A_DAY);
    (first, first.saturating_add(HOURS_A_DAY - 1))
}

/// The minutes of hours whose day is not packed yet, by series; not folded, where two segments share a minute. Only hours and series
/// that are wanted are read.
pub(crate) fn fresh_minutes(
    connection: &Connection,
    (first, last): (i64, i64),
    wants_hour: impl Fn(i64) -> bool,
    wants_series: impl Fn(u32) -> bool,
) -> Result<BTreeMap<u32, Vec<Cell>>, HistoryError> {
    let mut statement = connection
        .prepare_cached("SELECT hour, block FROM fresh WHERE hour BETWEEN ?1 AND ?2 ORDER BY hour")?;
    let mut rows = statement.query(params![first, last])?;
    let mut all: BTreeMap<u32, Vec<Cell>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let hour: i64 = row.get(0)?;
        if !wants_hour(hour) {
            continue;
        }
        let block = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let first = hour.saturating_mul(MINUTES_AN_HOUR);
        let minutes = bins::rig(block, first, MINUTES_AN_HOUR, &wants_series);
        for (series, cells) in minutes.map_err(HistoryError::block("minutes"))? {
            all.entry(series).or_default().extend(cells);
        }
    }
    Ok(all)
}

/// Adds cells of one span to its pack.
fn add(
    transaction: &Transaction<'_>,
    level: Packed,
    series: u32,
    mut cells: Vec<Cell>,
    folding: Folding,
) -> Result<(), HistoryError> {
    let Some(first) = cells.first() else { return Ok(()) };
    let span = level.span_of(first.number);
    let before: Option<Vec<u8>> = transaction
        .prepare_cached("SELECT block FROM pack WHERE level = ?1 AND series = ?2 AND span = ?3")?
        .query_row(params![level.number(), series, span], |row| row.get(0))
        .optional()?;
    if let Some(block) = before {
        cells.extend(unpacked(&block, level, span)?);
    }
    let first_cell = span.saturating_mul(level.cells());
    let block =
        bins::span_block(&folded(cells, folding), first_cell).map_err(HistoryError::block("a pack"))?;
    transaction
        .prepare_cached(
            "INSERT INTO pack (level, series, span, block) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (level, series, span) DO UPDATE SET block = excluded.block",
        )?
        .execute(params![level.number(), series, span, block])?;
    Ok(())
}

/// The cells of a pack.
pub(crate) fn unpacked(block: &[u8], level: Packed, span: i64) -> Result<Vec<Cell>, HistoryError> {
    let first = span.saturating_mul(level.cells());
    bins::span(block, first, level.cells()).map_err(HistoryError::block("a pack"))
}
