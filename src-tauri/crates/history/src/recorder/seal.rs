//! The end of an hour: its rows of sweeps become a sheet of times, a chunk a series, and the hour's minutes. One transaction.
//!
//! A sweep may begin just before the end of its hour and come after the hour was sealed: then the sheet is made anew with it.
//!
//! For eight cards of twelve quantities it packs 345,600 values, some 50 ms of CPU once an hour.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{
    block::{batch::Batch, bins, chunk},
    levels::{Cell, Packed, of_samples},
    roster::Roster,
    segment::Segment,
    store::{HistoryError, begin},
    tail::Key,
    time::{HOUR_US, MINUTE_US},
};

/// Seals the rows of a key, whose hour no sweep will reach any more.
pub(super) fn seal(
    connection: &mut Connection,
    roster: &Roster,
    segment: &Segment,
    key: Key,
) -> Result<(), HistoryError> {
    let transaction = begin(connection)?;
    let sweeps = unsealed(&transaction, key, |_| true)?;
    if !sweeps.times.is_empty() {
        write_minutes(&transaction, key.hour, &minutes(roster, segment, &sweeps)?)?;
        let mut all = take_sealed(&transaction, key)?;
        all.append(sweeps).map_err(HistoryError::block("sweeps"))?;
        write_sheet(&transaction, key, &all)?;
    }
    transaction
        .prepare_cached("DELETE FROM tail WHERE segment = ?1 AND hour = ?2")?
        .execute(params![key.segment, key.hour])?;
    Ok(transaction.commit()?)
}

/// The sweeps of a key that are not sealed yet, with those series alone that are wanted.
pub(crate) fn unsealed(
    connection: &Connection,
    key: Key,
    wanted: impl Fn(u32) -> bool,
) -> Result<Batch, HistoryError> {
    let mut statement = connection
        .prepare_cached("SELECT block FROM tail WHERE segment = ?1 AND hour = ?2 ORDER BY first_us")?;
    let mut rows = statement.query(params![key.segment, key.hour])?;
    let mut all = Batch::default();
    while let Some(row) = rows.next()? {
        let batch = Batch::of_some(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?, &wanted);
        let appended = batch.and_then(|batch| all.append(batch));
        appended.map_err(HistoryError::block("sweeps"))?;
    }
    Ok(all)
}

/// What is sealed of a key already, taken out; mostly nothing.
fn take_sealed(transaction: &Transaction<'_>, key: Key) -> Result<Batch, HistoryError> {
    let found = transaction
        .prepare_cached("SELECT id, block FROM sheet WHERE hour = ?1 AND segment = ?2")?
        .query_row(params![key.hour, key.segment], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)))
        .optional()?;
    let Some((sheet, block)): Option<(i64, _)> = found else { return Ok(Batch::default()) };
    let times = chunk::times(&block).map_err(HistoryError::block("times"))?;
    let mut values = BTreeMap::new();
    {
        let mut chunks = transaction.prepare_cached("SELECT series, block FROM chunk WHERE sheet = ?1")?;
        let mut rows = chunks.query(params![sheet])?;
        while let Some(row) = rows.next()? {
            let of_series =
                chunk::values(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, times.len());
            values.insert(row.get(0)?, of_series.map_err(HistoryError::block("values"))?);
        }
    }
    transaction.execute("DELETE FROM chunk WHERE sheet = ?1", params![sheet])?;
    transaction.execute("DELETE FROM sheet WHERE id = ?1", params![sheet])?;
    Ok(Batch { times, values })
}

fn write_sheet(transaction: &Transaction<'_>, key: Key, sweeps: &Batch) -> Result<(), HistoryError> {
    let block = chunk::times_block(&sweeps.times).map_err(HistoryError::block("times"))?;
    let count = i64::try_from(sweeps.times.len()).unwrap_or(i64::MAX);
    transaction
        .prepare_cached(
            "INSERT INTO sheet (segment, hour, sweeps, first_us, last_us, block) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![key.segment, key.hour, count, sweeps.times.first(), sweeps.times.last(), block])?;
    let sheet = transaction.last_insert_rowid();
    let mut insert =
        transaction.prepare_cached("INSERT INTO chunk (sheet, series, block) VALUES (?1, ?2, ?3)")?;
    for (series, values) in &sweeps.values {
        let block = chunk::values_block(values).map_err(HistoryError::block("values"))?;
        insert.execute(params![sheet, series, block])?;
    }
    Ok(())
}

/// The minutes of all series.
pub(crate) fn minutes(
    roster: &Roster,
    segment: &Segment,
    sweeps: &Batch,
) -> Result<BTreeMap<u32, Vec<Cell>>, HistoryError> {
    let mut minutes = BTreeMap::new();
    for (series, values) in &sweeps.values {
        let samples = values.iter().filter_map(|(place, value)| {
            Some((segment.wall_us(*sweeps.times.get(*place as usize)?), *value))
        });
        minutes.insert(*series, of_samples(samples, Packed::Minutes, roster.folding(*series)?));
    }
    Ok(minutes)
}

fn write_minutes(
    transaction: &Transaction<'_>,
    hour: i64,
    minutes: &BTreeMap<u32, Vec<Cell>>,
) -> Result<(), HistoryError> {
    let first = hour.saturating_mul(HOUR_US / MINUTE_US);
    let block = bins::rig_block(minutes, first).map_err(HistoryError::block("minutes"))?;
    transaction
        .prepare_cached("INSERT INTO fresh (hour, block) VALUES (?1, ?2)")?
        .execute(params![hour, block])?;
    Ok(())
}
