//! The coarser levels: the minutes of a sealed hour are what its samples come to, and the hours of a packed day what its minutes do.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, params};

use super::{Verified, count, samples::HourMinutes};
use crate::{
    levels::{Cell, Packed, folded, hours_of},
    quantity::Folding,
    recorder::gather::{fresh_minutes, hours_of_day, unpacked},
    roster::Roster,
    store::HistoryError,
    time::{HOUR_US, HOURS_A_DAY, MINUTE_US, day_of},
};

/// Minutes or hours by series.
type BySeries = BTreeMap<u32, Vec<Cell>>;

/// Checks all minutes and hours.
pub(super) fn check(
    connection: &Connection,
    roster: &Roster,
    of_samples: &HourMinutes,
    verified: &mut Verified,
) -> Result<(), HistoryError> {
    let packed = spans(connection, Packed::Minutes)?;
    let mut days: BTreeSet<i64> = of_samples.keys().map(|hour| day_of(*hour)).collect();
    days.extend(&packed);
    let mut statement = connection.prepare("SELECT DISTINCT hour FROM fresh")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        days.insert(day_of(row.get(0)?));
    }
    for day in days {
        let mut minutes = packs(connection, Packed::Minutes, day, verified)?;
        if packed.contains(&day) {
            check_hours(connection, roster, day, &minutes, verified)?;
        }
        for (series, cells) in fresh_minutes(connection, hours_of_day(day), |_| true, |_| true)? {
            minutes.entry(series).or_default().extend(cells);
        }
        for (series, cells) in &mut minutes {
            *cells = folded(std::mem::take(cells), folding(roster, *series));
            verified.minutes += count(cells.len());
        }
        let (first, last) = hours_of_day(day);
        for (hour, expected) in of_samples.range(first..=last) {
            check_minutes(*hour, expected, &minutes, verified);
        }
    }
    count_hours(connection, verified)
}

fn folding(roster: &Roster, series: u32) -> Folding {
    roster.folding(series).unwrap_or(Folding::Extremes)
}

fn spans(connection: &Connection, level: Packed) -> Result<BTreeSet<i64>, HistoryError> {
    let mut statement = connection.prepare("SELECT DISTINCT span FROM pack WHERE level = ?1")?;
    let spans = statement.query_map(params![level.number()], |row| row.get(0))?;
    Ok(spans.collect::<Result<_, _>>()?)
}

/// The packs of a span that can be read.
fn packs(
    connection: &Connection,
    level: Packed,
    span: i64,
    verified: &mut Verified,
) -> Result<BySeries, HistoryError> {
    let mut statement =
        connection.prepare_cached("SELECT series, block FROM pack WHERE level = ?1 AND span = ?2")?;
    let mut rows = statement.query(params![level.number(), span])?;
    let mut packs = BySeries::new();
    while let Some(row) = rows.next()? {
        let series: u32 = row.get(0)?;
        match unpacked(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, level, span) {
            Ok(cells) => drop(packs.insert(series, cells)),
            Err(error) => verified.finds(|| format!("pack {level:?} {span}, series {series}: {error}")),
        }
    }
    Ok(packs)
}

/// The minutes of an hour against what its samples come to.
fn check_minutes(hour: i64, expected: &BySeries, minutes: &BySeries, verified: &mut Verified) {
    let minutes_an_hour = HOUR_US / MINUTE_US;
    let of_hour = hour * minutes_an_hour..(hour + 1) * minutes_an_hour;
    let stored: BTreeMap<u32, Vec<Cell>> = minutes
        .iter()
        .map(|(series, cells)| (*series, within(cells, &of_hour)))
        .filter(|(_, cells)| !cells.is_empty())
        .collect();
    let expected = || expected.iter().filter(|(_, cells)| !cells.is_empty());
    for (series, cells) in expected() {
        verified.compared += count(cells.len());
        if stored.get(series) != Some(cells) {
            verified.finds(|| {
                format!("hour {hour}, series {series}: the minutes are not what the samples come to")
            });
        }
    }
    let samples_of: BTreeSet<u32> = expected().map(|(series, _)| *series).collect();
    for series in stored.keys().filter(|series| !samples_of.contains(series)) {
        verified.finds(|| format!("hour {hour}, series {series}: there are minutes and no samples"));
    }
}

/// The hours of a packed day against its minutes.
fn check_hours(
    connection: &Connection,
    roster: &Roster,
    day: i64,
    minutes: &BySeries,
    verified: &mut Verified,
) -> Result<(), HistoryError> {
    let of_day = day * HOURS_A_DAY..(day + 1) * HOURS_A_DAY;
    let hours = packs(connection, Packed::Hours, Packed::Hours.span_of(of_day.start), verified)?;
    for (series, cells) in minutes {
        let expected = hours_of(cells, folding(roster, *series));
        verified.compared += count(expected.len());
        let stored = hours.get(series).map(|cells| within(cells, &of_day)).unwrap_or_default();
        if stored != expected {
            verified
                .finds(|| format!("day {day}, series {series}: the hours are not what the minutes come to"));
        }
    }
    Ok(())
}

fn within(cells: &[Cell], numbers: &std::ops::Range<i64>) -> Vec<Cell> {
    cells.iter().copied().filter(|cell| numbers.contains(&cell.number)).collect()
}

fn count_hours(connection: &Connection, verified: &mut Verified) -> Result<(), HistoryError> {
    for span in spans(connection, Packed::Hours)? {
        let packs = packs(connection, Packed::Hours, span, verified)?;
        verified.hours += count(packs.values().map(Vec::len).sum());
    }
    Ok(())
}
