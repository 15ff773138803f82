//! Where values are read from: samples that are sealed, written or held; minutes and hours that are packed or fresh.
//!
//! A level that is wanted and not there is made up for by the next. Samples go after some days and minutes after a year, so what is
//! older is read from the minutes or the hours that are there. Hours that are not sealed have no minutes yet: these are made from
//! their samples on the way.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    block::{batch::Batch, chunk},
    levels::{Cell, Fold, Level, Packed, hours_of, of_samples},
    quantity::Folding,
    recorder::gather::{fresh_minutes, unpacked},
    segment::Segment,
    store::HistoryError,
    tail::Key,
    time::{HOUR_US, MINUTE_US, day_of, hour_of},
};

/// A value, or what several come to, of one curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) curve: usize,
    pub(super) start_us: i64,
    /// For how long it speaks: the next one later than that has a gap before it.
    pub(super) covers_us: i64,
    pub(super) fold: Fold,
}

impl Entry {
    pub(super) const fn until_us(&self) -> i64 {
        self.start_us.saturating_add(self.covers_us)
    }
}

/// What is to be read.
pub(super) struct Scan<'a> {
    pub(super) connection: &'a Connection,
    pub(super) segments: &'a BTreeMap<u32, Segment>,
    pub(super) held: &'a [(Key, Batch)],
    /// By curve, the number of its series; none if nothing of it was ever written.
    pub(super) numbers: Vec<Option<u32>>,
    pub(super) foldings: Vec<Folding>,
    pub(super) level: Level,
    pub(super) from_us: i64,
    pub(super) to_us: i64,
}

/// Sweeps of one segment and hour: their times by the wall, and for how long each speaks.
struct Moments {
    walls_us: Vec<i64>,
    covers_us: i64,
}

type Visit<'v> = dyn FnMut(Entry) + 'v;

impl Scan<'_> {
    /// No more moments than this will come, minutes in place of missing samples aside.
    pub(super) fn most_moments(&self) -> Result<i64, HistoryError> {
        let cell_us = match self.level {
            Level::Raw => return self.sweeps(),
            Level::Minute => Packed::Minutes.cell_us(),
            Level::Hour => Packed::Hours.cell_us(),
        };
        Ok(self.to_us.saturating_sub(self.from_us) / cell_us + 2)
    }

    fn sweeps(&self) -> Result<i64, HistoryError> {
        let (first, last) = self.hours();
        let stored: i64 = self.connection.query_row(
            "SELECT (SELECT coalesce(sum(sweeps), 0) FROM sheet WHERE hour BETWEEN ?1 AND ?2)
                  + (SELECT coalesce(sum(sweeps), 0) FROM tail WHERE hour BETWEEN ?1 AND ?2)",
            params![first, last],
            |row| row.get(0),
        )?;
        let held: usize = self.held.iter().map(|(_, batch)| batch.times.len()).sum();
        Ok(stored.saturating_add(i64::try_from(held).unwrap_or(i64::MAX)))
    }

    /// Reads everything in the range, in no certain order.
    pub(super) fn run(&self, visit: &mut Visit<'_>) -> Result<(), HistoryError> {
        let mut covered = BTreeSet::new();
        if self.level == Level::Raw {
            self.sheets(&mut covered, visit)?;
        }
        self.unsealed(&mut covered, visit)?;
        match self.level {
            Level::Raw | Level::Minute => self.minutes_and_hours(&covered, visit),
            Level::Hour => self.hours_alone(visit),
        }
    }

    /// Reads the cells of its level in the range and no others, in no certain order; a cell may come in parts.
    pub(super) fn cells_alone(&self, visit: &mut Visit<'_>) -> Result<(), HistoryError> {
        self.unsealed(&mut BTreeSet::new(), visit)?;
        match self.level {
            Level::Raw => self.sheets(&mut BTreeSet::new(), visit),
            Level::Minute => self.minutes_alone(visit),
            Level::Hour => self.hours_alone(visit),
        }
    }

    /// The first and the last hour of the range.
    const fn hours(&self) -> (i64, i64) {
        (hour_of(self.from_us), hour_of(self.to_us.saturating_sub(1)))
    }

    fn asks(&self, series: u32) -> bool {
        self.numbers.contains(&Some(series))
    }

    fn segment(&self, number: u32) -> Result<&Segment, HistoryError> {
        let unknown = || HistoryError::Nonsense { what: "segment", value: number.to_string() };
        self.segments.get(&number).ok_or_else(unknown)
    }

    /// Sealed samples.
    fn sheets(&self, covered: &mut BTreeSet<i64>, visit: &mut Visit<'_>) -> Result<(), HistoryError> {
        let (first, last) = self.hours();
        let mut statement = self.connection.prepare_cached(
            "SELECT id, segment, hour, block FROM sheet WHERE hour BETWEEN ?1 AND ?2 ORDER BY hour, segment",
        )?;
        let mut chunk_of =
            self.connection.prepare_cached("SELECT block FROM chunk WHERE sheet = ?1 AND series = ?2")?;
        let mut rows = statement.query(params![first, last])?;
        while let Some(row) = rows.next()? {
            let (sheet, segment): (i64, u32) = (row.get(0)?, row.get(1)?);
            covered.insert(row.get(2)?);
            let times = chunk::times(row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?);
            let moments = self.moments(segment, &times.map_err(HistoryError::block("times"))?)?;
            for (curve, number) in self.numbers.iter().enumerate() {
                let found = chunk_of.query_row(params![sheet, number], |row| {
                    Ok(chunk::values(row.get_ref(0)?.as_blob()?, moments.walls_us.len()))
                });
                let Some(values) = found.optional()? else { continue };
                self.samples(curve, &moments, &values.map_err(HistoryError::block("values"))?, visit);
            }
        }
        Ok(())
    }

    /// Samples that are not sealed yet, as cells where those are wanted.
    fn unsealed(&self, covered: &mut BTreeSet<i64>, visit: &mut Visit<'_>) -> Result<(), HistoryError> {
        let (first, last) = self.hours();
        let mut statement = self
            .connection
            .prepare_cached("SELECT segment, hour, block FROM tail WHERE hour BETWEEN ?1 AND ?2")?;
        let mut rows = statement.query(params![first, last])?;
        while let Some(row) = rows.next()? {
            let key = Key { segment: row.get(0)?, hour: row.get(1)? };
            let block = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            let batch = Batch::of_some(block, |series| self.asks(series));
            self.batch(key, &batch.map_err(HistoryError::block("sweeps"))?, covered, visit)?;
        }
        for (key, batch) in self.held.iter().filter(|(key, _)| (first..=last).contains(&key.hour)) {
            self.batch(*key, batch, covered, visit)?;
        }
        Ok(())
    }

    fn batch(
        &self,
        key: Key,
        batch: &Batch,
        covered: &mut BTreeSet<i64>,
        visit: &mut Visit<'_>,
    ) -> Result<(), HistoryError> {
        let moments = self.moments(key.segment, &batch.times)?;
        for (curve, number) in self.numbers.iter().enumerate() {
            let Some(values) = number.and_then(|number| batch.values.get(&number)) else { continue };
            match self.level {
                Level::Raw => self.samples(curve, &moments, values, visit),
                Level::Minute => self.cells_of(curve, &moments, values, Packed::Minutes, visit),
                Level::Hour => self.cells_of(curve, &moments, values, Packed::Hours, visit),
            }
        }
        if self.level == Level::Raw {
            covered.insert(key.hour);
        }
        Ok(())
    }

    fn moments(&self, segment: u32, times_us: &[i64]) -> Result<Moments, HistoryError> {
        let segment = self.segment(segment)?;
        let walls_us = times_us.iter().map(|time_us| segment.wall_us(*time_us)).collect();
        Ok(Moments { walls_us, covers_us: segment.bridged_us() })
    }

    fn samples(&self, curve: usize, moments: &Moments, values: &[(u32, i64)], visit: &mut Visit<'_>) {
        let folding = self.folding(curve);
        for (place, value) in values {
            let Some(start_us) = moments.walls_us.get(*place as usize).copied() else { continue };
            if (self.from_us..self.to_us).contains(&start_us) {
                visit(Entry {
                    curve,
                    start_us,
                    covers_us: moments.covers_us,
                    fold: Fold::of(*value, folding),
                });
            }
        }
    }

    fn cells_of(
        &self,
        curve: usize,
        moments: &Moments,
        values: &[(u32, i64)],
        level: Packed,
        visit: &mut Visit<'_>,
    ) {
        let samples = values
            .iter()
            .filter_map(|(place, value)| Some((*moments.walls_us.get(*place as usize)?, *value)));
        self.cells(curve, &of_samples(samples, level, self.folding(curve)), level, visit);
    }

    fn folding(&self, curve: usize) -> Folding {
        self.foldings.get(curve).copied().unwrap_or(Folding::Extremes)
    }

    fn cells(&self, curve: usize, cells: &[Cell], level: Packed, visit: &mut Visit<'_>) {
        let covers_us = level.cell_us();
        for cell in cells {
            let start_us = cell.number.saturating_mul(covers_us);
            if start_us < self.to_us && start_us.saturating_add(covers_us) > self.from_us {
                visit(Entry { curve, start_us, covers_us, fold: cell.fold });
            }
        }
    }

    /// Minutes of the hours that are not covered, and hours of the days that have no minutes.
    fn minutes_and_hours(&self, covered: &BTreeSet<i64>, visit: &mut Visit<'_>) -> Result<(), HistoryError> {
        let (first, last) = self.hours();
        if (first..=last).all(|hour| covered.contains(&hour)) {
            return Ok(());
        }
        let fresh = fresh_minutes(
            self.connection,
            (first, last),
            |hour| !covered.contains(&hour),
            |series| self.asks(series),
        )?;
        for (curve, number) in self.numbers.iter().enumerate() {
            let Some(number) = *number else { continue };
            let (mut hours, mut days) = (covered.clone(), BTreeSet::new());
            self.packs(Packed::Minutes, number, &mut |day, mut minutes| {
                days.insert(day);
                minutes.retain(|cell| !covered.contains(&hour_of_minute(cell)));
                self.cells(curve, &minutes, Packed::Minutes, visit);
            })?;
            for cell in fresh.get(&number).into_iter().flatten() {
                hours.insert(hour_of_minute(cell));
                self.cells(curve, &[*cell], Packed::Minutes, visit);
            }
            let is_known = |hour: i64| hours.contains(&hour) || days.contains(&day_of(hour));
            if !(first..=last).all(is_known) {
                self.packs(Packed::Hours, number, &mut |_, mut cells| {
                    cells.retain(|cell| !is_known(cell.number));
                    self.cells(curve, &cells, Packed::Hours, visit);
                })?;
            }
        }
        Ok(())
    }

    fn minutes_alone(&self, visit: &mut Visit<'_>) -> Result<(), HistoryError> {
        let fresh = fresh_minutes(self.connection, self.hours(), |_| true, |series| self.asks(series))?;
        for (curve, number) in self.numbers.iter().enumerate() {
            let Some(number) = *number else { continue };
            self.packs(Packed::Minutes, number, &mut |_, cells| {
                self.cells(curve, &cells, Packed::Minutes, visit);
            })?;
            if let Some(fresh) = fresh.get(&number) {
                self.cells(curve, fresh, Packed::Minutes, visit);
            }
        }
        Ok(())
    }

    fn hours_alone(&self, visit: &mut Visit<'_>) -> Result<(), HistoryError> {
        let fresh = fresh_minutes(self.connection, self.hours(), |_| true, |series| self.asks(series))?;
        for (curve, number) in self.numbers.iter().enumerate() {
            let Some(number) = *number else { continue };
            self.packs(Packed::Hours, number, &mut |_, cells| {
                self.cells(curve, &cells, Packed::Hours, visit);
            })?;
            if let Some(fresh) = fresh.get(&number) {
                self.cells(curve, &hours_of(fresh, self.folding(curve)), Packed::Hours, visit);
            }
        }
        Ok(())
    }

    /// The packs that the range touches: each span and its cells.
    fn packs(
        &self,
        level: Packed,
        number: u32,
        found: &mut dyn FnMut(i64, Vec<Cell>),
    ) -> Result<(), HistoryError> {
        let spans = [self.from_us, self.to_us.saturating_sub(1)].map(|at| level.span_of(level.cell_of(at)));
        let mut statement = self.connection.prepare_cached(
            "SELECT span, block FROM pack WHERE level = ?1 AND series = ?2 AND span BETWEEN ?3 AND ?4 ORDER BY span",
        )?;
        let mut rows = statement.query(params![level.number(), number, spans[0], spans[1]])?;
        while let Some(row) = rows.next()? {
            let span: i64 = row.get(0)?;
            let block = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            found(span, unpacked(block, level, span)?);
        }
        Ok(())
    }
}

const fn hour_of_minute(cell: &Cell) -> i64 {
    cell.number.div_euclid(HOUR_US / MINUTE_US)
}
