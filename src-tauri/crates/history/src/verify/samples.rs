//! The samples: sweeps of a boot follow each other, whichever row they lie in; each lies in its hour; each value can be meant.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::{Check, Verified, count};
use crate::{
    block::{batch::Batch, chunk},
    levels::{Cell, folded},
    quantity::Folding,
    recorder::{gather::hours_of_day, seal::minutes},
    roster::Roster,
    segment::Segment,
    store::HistoryError,
};

/// The minutes that the samples of a sealed hour come to, by series.
pub(super) type HourMinutes = BTreeMap<i64, BTreeMap<u32, Vec<Cell>>>;

/// A row of sweeps, sealed or not.
struct Row {
    place: String,
    segment: u32,
    hour: i64,
    sweeps: i64,
    first_us: i64,
    last_us: i64,
}

impl Check<'_> {
    /// Checks the samples of a day's sealed hours; what they come to in minutes is for the check of the levels.
    pub(super) fn samples_of(&mut self, day: i64) -> Result<HourMinutes, HistoryError> {
        let mut hours = HourMinutes::new();
        let mut statement = self.connection.prepare_cached(
            "SELECT id, segment, hour, sweeps, first_us, last_us, block FROM sheet
             WHERE hour BETWEEN ?1 AND ?2 ORDER BY hour, segment",
        )?;
        let (first, last) = hours_of_day(day);
        let mut rows = statement.query(params![first, last])?;
        while let Some(row) = rows.next()? {
            self.sheet(row, &mut hours)?;
            self.steps.step()?;
        }
        for (series, cells) in hours.values_mut().flatten() {
            let folding = self.roster.folding(*series).unwrap_or(Folding::Extremes);
            *cells = folded(std::mem::take(cells), folding);
        }
        Ok(hours)
    }

    fn sheet(&mut self, row: &rusqlite::Row<'_>, hours: &mut HourMinutes) -> Result<(), HistoryError> {
        let id: i64 = row.get(0)?;
        let described = described(row, format!("sheet {id}"))?;
        let times = match chunk::times(row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?) {
            Ok(times) => times,
            Err(error) => {
                self.verified.finds(|| format!("{}: {error}", described.place));
                return Ok(());
            }
        };
        let batch = sealed(self.connection, id, times, &mut self.verified)?;
        // That there is no such segment is found by the check of references.
        let Some(segment) = self.segments.get(&described.segment) else { return Ok(()) };
        check_batch(&described, segment, &batch, self.roster, &mut self.verified);
        let of_hour = hours.entry(described.hour).or_default();
        for (series, cells) in minutes(self.roster, segment, &batch).unwrap_or_default() {
            of_hour.entry(series).or_default().extend(cells);
        }
        Ok(())
    }

    /// Rows of one boot lie one behind the other, in the order of their segments.
    pub(super) fn order(&mut self) -> Result<(), HistoryError> {
        let mut statement = self.connection.prepare(
            "SELECT segment, first_us, last_us FROM sheet UNION ALL SELECT segment, first_us, last_us FROM tail
             ORDER BY segment, first_us",
        )?;
        let mut rows = statement.query([])?;
        let mut before: Option<(&Segment, i64)> = None;
        while let Some(row) = rows.next()? {
            let (number, first_us, last_us): (u32, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let Some(segment) = self.segments.get(&number) else { continue };
            let overlaps =
                before.is_some_and(|(other, until_us)| other.boot == segment.boot && first_us <= until_us);
            if overlaps || last_us < first_us {
                self.verified.finds(|| {
                    format!("segment {number}: sweeps of {first_us} us are there twice or out of order")
                });
            }
            before = Some((segment, last_us));
        }
        Ok(())
    }

    /// Checks the samples that are not sealed yet.
    pub(super) fn unsealed(&mut self) -> Result<(), HistoryError> {
        let mut statement = self
            .connection
            .prepare("SELECT id, segment, hour, sweeps, first_us, last_us, block FROM tail")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let described = described(row, format!("row {} of the tail", row.get::<_, i64>(0)?))?;
            let batch = Batch::of(row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?);
            match (batch, self.segments.get(&described.segment)) {
                (Ok(batch), Some(segment)) => {
                    self.verified.unsealed += count(batch.values.values().map(Vec::len).sum());
                    check_batch(&described, segment, &batch, self.roster, &mut self.verified);
                }
                (Err(error), _) => self.verified.finds(|| format!("{}: {error}", described.place)),
                (Ok(_), None) => {}
            }
            self.steps.step()?;
        }
        Ok(())
    }
}

fn described(row: &rusqlite::Row<'_>, place: String) -> Result<Row, HistoryError> {
    Ok(Row {
        place,
        segment: row.get(1)?,
        hour: row.get(2)?,
        sweeps: row.get(3)?,
        first_us: row.get(4)?,
        last_us: row.get(5)?,
    })
}

/// The sweeps of a sheet, with the chunks that can be read.
fn sealed(
    connection: &Connection,
    sheet: i64,
    times: Vec<i64>,
    verified: &mut Verified,
) -> Result<Batch, HistoryError> {
    let mut statement =
        connection.prepare_cached("SELECT series, block FROM chunk WHERE sheet = ?1 ORDER BY series")?;
    let mut rows = statement.query(params![sheet])?;
    let mut values = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let series: u32 = row.get(0)?;
        let block = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        match chunk::values(block, times.len()) {
            Ok(of_series) => drop(values.insert(series, of_series)),
            Err(error) => verified.finds(|| format!("sheet {sheet}, series {series}: {error}")),
        }
    }
    Ok(Batch { times, values })
}

fn check_batch(row: &Row, segment: &Segment, batch: &Batch, roster: &Roster, verified: &mut Verified) {
    let place = &row.place;
    verified.sweeps += count(batch.times.len());
    verified.samples += count(batch.values.values().map(Vec::len).sum());
    let as_said = i64::try_from(batch.times.len()) == Ok(row.sweeps)
        && batch.times.first() == Some(&row.first_us)
        && batch.times.last() == Some(&row.last_us);
    if !as_said {
        verified.finds(|| format!("{place}: its times are not those that its row tells"));
    }
    if batch.times.iter().any(|time_us| segment.hour(*time_us) != row.hour) {
        verified.finds(|| format!("{place}: a sweep lies in another hour"));
    }
    let of_number: BTreeMap<u32, _> = roster.all().collect();
    for (number, values) in &batch.values {
        let Some(series) = of_number.get(number) else {
            verified.finds(|| format!("{place}: there is no series {number}"));
            continue;
        };
        let range = series.quantity.range();
        if let Some((_, value)) = values.iter().find(|(_, value)| !range.contains(value)) {
            verified.finds(|| format!("{place}: {value} is no value of {series}"));
        }
    }
}
