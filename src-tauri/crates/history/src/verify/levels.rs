//! The coarser levels: the minutes of a sealed hour are what its samples come to, and the hours of a packed day what its minutes do.

use std::collections::{BTreeMap, BTreeSet};

use fanfare_dbfile::Fault;
use rusqlite::{Connection, params};

use super::{Check, Verified, count, samples::HourMinutes};
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

impl Check<'_> {
    /// The days that there is something of but the hours, which lie in spans of thirty days.
    pub(super) fn days(&self) -> Result<BTreeSet<i64>, HistoryError> {
        let mut days = spans(self.connection, Packed::Minutes)?;
        let mut statement = self
            .connection
            .prepare("SELECT DISTINCT hour FROM sheet UNION SELECT DISTINCT hour FROM fresh")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            days.insert(day_of(row.get(0)?));
        }
        Ok(days)
    }

    /// Checks the minutes of a day, and its hours if it is packed.
    pub(super) fn levels_of(&mut self, day: i64, of_samples: &HourMinutes) -> Result<(), HistoryError> {
        let (minutes, is_packed) = packs(self.connection, Packed::Minutes, day, &mut self.verified)?;
        if is_packed {
            self.check_hours(day, &minutes)?;
            self.steps.step()?;
        }
        let minutes = self.with_fresh(day, minutes)?;
        for (hour, expected) in of_samples {
            check_minutes(*hour, expected, &minutes, &mut self.verified);
        }
        Ok(())
    }

    /// Packed minutes of a day with those that are not packed yet, which may share a minute.
    fn with_fresh(&mut self, day: i64, mut minutes: BySeries) -> Result<BySeries, HistoryError> {
        match fresh_minutes(self.connection, hours_of_day(day), |_| true, |_| true) {
            Ok(fresh) => {
                for (series, cells) in fresh {
                    minutes.entry(series).or_default().extend(cells);
                }
            }
            Err(error) if error.is_damage() => self.verified.finds(|| format!("day {day}: {error}")),
            Err(error) => return Err(error),
        }
        for (series, cells) in &mut minutes {
            *cells = folded(std::mem::take(cells), folding(self.roster, *series));
            self.verified.minutes += count(cells.len());
        }
        Ok(minutes)
    }

    /// The hours of a packed day against its minutes.
    fn check_hours(&mut self, day: i64, minutes: &BySeries) -> Result<(), HistoryError> {
        let of_day = day * HOURS_A_DAY..(day + 1) * HOURS_A_DAY;
        let span = Packed::Hours.span_of(of_day.start);
        let (hours, _) = packs(self.connection, Packed::Hours, span, &mut self.verified)?;
        for (series, cells) in minutes {
            let expected = hours_of(cells, folding(self.roster, *series));
            self.verified.compared += count(expected.len());
            let stored = hours.get(series).map(|cells| within(cells, &of_day)).unwrap_or_default();
            if stored != expected {
                self.verified.finds(|| {
                    format!("day {day}, series {series}: the hours are not what the minutes come to")
                });
            }
        }
        Ok(())
    }

    /// Reads all hours.
    pub(super) fn count_hours(&mut self) -> Result<(), HistoryError> {
        for span in spans(self.connection, Packed::Hours)? {
            let (packs, _) = packs(self.connection, Packed::Hours, span, &mut self.verified)?;
            self.verified.hours += count(packs.values().map(Vec::len).sum());
            self.steps.step()?;
        }
        Ok(())
    }
}

fn folding(roster: &Roster, series: u32) -> Folding {
    roster.folding(series).unwrap_or(Folding::Extremes)
}

fn spans(connection: &Connection, level: Packed) -> Result<BTreeSet<i64>, HistoryError> {
    let mut statement = connection.prepare("SELECT DISTINCT span FROM pack WHERE level = ?1")?;
    let spans = statement.query_map(params![level.number()], |row| row.get(0))?;
    Ok(spans.collect::<Result<_, _>>()?)
}

/// The packs of a span that can be read, and whether it has any.
fn packs(
    connection: &Connection,
    level: Packed,
    span: i64,
    verified: &mut Verified,
) -> Result<(BySeries, bool), HistoryError> {
    let mut statement =
        connection.prepare_cached("SELECT series, block FROM pack WHERE level = ?1 AND span = ?2")?;
    let mut rows = statement.query(params![level.number(), span])?;
    let (mut packs, mut has_any) = (BySeries::new(), false);
    while let Some(row) = rows.next()? {
        has_any = true;
        let series: u32 = row.get(0)?;
        match unpacked(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, level, span) {
            Ok(cells) => drop(packs.insert(series, cells)),
            Err(error) => verified.finds(|| format!("pack {level:?} {span}, series {series}: {error}")),
        }
    }
    Ok((packs, has_any))
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

fn within(cells: &[Cell], numbers: &std::ops::Range<i64>) -> Vec<Cell> {
    cells.iter().copied().filter(|cell| numbers.contains(&cell.number)).collect()
}
