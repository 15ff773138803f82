//! The sweeps themselves, one by one, in the order in which they were recorded: for those who must see each.
//!
//! The order is that of the segments, and within one that of the time since boot; by the wall it goes back where the clock was set back.
//! What lies between is read hour by hour, each in one state of the file: an hour of eight cards with four quantities is 2 MB in memory
//! and some 2 ms. The hours are listed first, from an index; where samples are kept for 8 days that is some 200 entries.

use std::{collections::BTreeMap, collections::BTreeSet, ops::ControlFlow, time::Duration};

use fanfare_units::BootId;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    block::{batch::Batch, chunk},
    quantity::Series,
    recorder::seal::unsealed,
    roster::Roster,
    segment::Segment,
    store::HistoryError,
    tail::Key,
    time::hour_of,
};

/// A place in the order of sweeps: a boot, and the time since then. It outlives the file that it was taken from, so it may name what is
/// not there.
///
/// What comes after it are later sweeps of its boot, and all of the boots that were recorded after that. If its own sweep is gone but
/// others of its boot are there, the same holds. If there is nothing of its boot, everything there is comes after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Which boot.
    pub boot: BootId,
    /// The time since boot, in microseconds.
    pub boottime_us: i64,
}

/// A sweep, as it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past<'w> {
    /// Its boot.
    pub boot: BootId,
    /// The session of the driver.
    pub session: u32,
    /// How often sweeps were made then.
    pub every: Duration,
    /// The time since boot, in microseconds: for spans within one boot.
    pub boottime_us: i64,
    /// The wall, in microseconds since 1970.
    pub wall_us: i64,
    /// By the series that were asked for, in their order; none where it had no value.
    pub values: &'w [Option<i64>],
}

impl Past<'_> {
    /// Where it stands in the order of sweeps.
    pub const fn position(&self) -> Position {
        Position { boot: self.boot, boottime_us: self.boottime_us }
    }
}

/// A walk over a file and over sweeps that are not in it yet.
pub(crate) struct Walk<'a> {
    connection: &'a Connection,
    segments: &'a BTreeMap<u32, Segment>,
    held: &'a [(Key, Batch)],
    /// By series that was asked for; none if nothing of it was ever recorded.
    numbers: Vec<Option<u32>>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        connection: &'a Connection,
        roster: &Roster,
        segments: &'a BTreeMap<u32, Segment>,
        held: &'a [(Key, Batch)],
        series: &[Series],
    ) -> Self {
        let numbers = series.iter().map(|series| roster.number(series)).collect();
        Self { connection, segments, held, numbers }
    }

    /// Shows each sweep after a position.
    pub(crate) fn after(
        &self,
        position: Option<Position>,
        mut each: impl FnMut(&Past<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        let keys = self.keys()?;
        let place = position.and_then(|position| Place::of(position, &keys, self.segments));
        for key in keys {
            let segment = self.segment(key)?;
            let Some(after_us) = place.map_or(Some(i64::MIN), |place| place.after_us(key, segment)) else {
                continue;
            };
            let batch = self.read(key)?;
            if self.show(segment, &batch, |boottime_us| boottime_us > after_us, &mut each).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Shows each sweep from one moment of the wall on and before another.
    pub(crate) fn between(
        &self,
        from_us: i64,
        to_us: i64,
        mut each: impl FnMut(&Past<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        let (first, last) = (hour_of(from_us), hour_of(to_us.saturating_sub(1)));
        for key in self.keys()?.into_iter().filter(|key| (first..=last).contains(&key.hour)) {
            let segment = self.segment(key)?;
            let batch = self.read(key)?;
            let wants = |boottime_us| (from_us..to_us).contains(&segment.wall_us(boottime_us));
            if self.show(segment, &batch, wants, &mut each).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// All hours of all segments that there is something of, in the order in which they were recorded.
    fn keys(&self) -> Result<BTreeSet<Key>, HistoryError> {
        let mut keys: BTreeSet<Key> = self.held.iter().map(|(key, _)| *key).collect();
        let mut statement = self
            .connection
            .prepare_cached("SELECT segment, hour FROM sheet UNION ALL SELECT segment, hour FROM tail")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let key = Key { segment: row.get(0)?, hour: row.get(1)? };
            // A segment that was begun since the others were read is not of this walk.
            if self.segments.contains_key(&key.segment) {
                keys.insert(key);
            }
        }
        Ok(keys)
    }

    fn segment(&self, key: Key) -> Result<&Segment, HistoryError> {
        let unknown = || HistoryError::Nonsense { what: "segment", value: key.segment.to_string() };
        self.segments.get(&key.segment).ok_or_else(unknown)
    }

    fn asks(&self, series: u32) -> bool {
        self.numbers.contains(&Some(series))
    }

    /// All sweeps of a key, with the series that were asked for: those that are sealed, those that are written, those that wait. They may
    /// be sealed between two calls, and never between the reads of one.
    fn read(&self, key: Key) -> Result<Batch, HistoryError> {
        let state = self.connection.unchecked_transaction()?;
        let mut all = self.sealed(key)?;
        let written = unsealed(&state, key, |series| self.asks(series))?;
        all.append(written).map_err(HistoryError::block("sweeps"))?;
        for (_, held) in self.held.iter().filter(|(of, _)| *of == key) {
            let values = held.values.iter().filter(|(series, _)| self.asks(**series));
            let values = values.map(|(series, values)| (*series, values.clone())).collect();
            let waiting = Batch { times: held.times.clone(), values };
            all.append(waiting).map_err(HistoryError::block("sweeps"))?;
        }
        Ok(all)
    }

    fn sealed(&self, key: Key) -> Result<Batch, HistoryError> {
        let sheet = self
            .connection
            .prepare_cached("SELECT id, block FROM sheet WHERE hour = ?1 AND segment = ?2")?
            .query_row(params![key.hour, key.segment], |row| {
                Ok((row.get::<_, i64>(0)?, chunk::times(row.get_ref(1)?.as_blob()?)))
            })
            .optional()?;
        let Some((sheet, times)) = sheet else { return Ok(Batch::default()) };
        let times = times.map_err(HistoryError::block("times"))?;
        let mut chunk_of =
            self.connection.prepare_cached("SELECT block FROM chunk WHERE sheet = ?1 AND series = ?2")?;
        let mut values = BTreeMap::new();
        for number in self.numbers.iter().flatten() {
            let found = chunk_of.query_row(params![sheet, number], |row| {
                Ok(chunk::values(row.get_ref(0)?.as_blob()?, times.len()))
            });
            if let Some(of_series) = found.optional()? {
                values.insert(*number, of_series.map_err(HistoryError::block("values"))?);
            }
        }
        Ok(Batch { times, values })
    }

    /// Shows those sweeps of a batch whose time since boot is wanted.
    fn show(
        &self,
        segment: &Segment,
        batch: &Batch,
        wants: impl Fn(i64) -> bool,
        each: &mut impl FnMut(&Past<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let column = |number: &Option<u32>| {
            let values = number.and_then(|number| batch.values.get(&number));
            values.map_or([].as_slice(), Vec::as_slice).iter().peekable()
        };
        let mut columns: Vec<_> = self.numbers.iter().map(column).collect();
        let mut values = vec![None; columns.len()];
        for (place, boottime_us) in (0_u32..).zip(&batch.times) {
            for (value, column) in values.iter_mut().zip(&mut columns) {
                *value = column.next_if(|(of, _)| *of == place).map(|(_, value)| *value);
            }
            if wants(*boottime_us) {
                each(&Past {
                    boot: segment.boot,
                    session: segment.session,
                    every: segment.every(),
                    boottime_us: *boottime_us,
                    wall_us: segment.wall_us(*boottime_us),
                    values: &values,
                })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// A position among the segments that are there.
#[derive(Debug, Clone, Copy)]
struct Place {
    position: Position,
    /// The last segment of its boot that had begun by then; 0 if none had.
    segment: u32,
}

impl Place {
    /// `None` if there is nothing of its boot.
    fn of(position: Position, keys: &BTreeSet<Key>, segments: &BTreeMap<u32, Segment>) -> Option<Self> {
        let mut is_known = false;
        let mut begun = 0;
        for key in keys {
            let segment = segments.get(&key.segment).filter(|segment| segment.boot == position.boot);
            let Some(segment) = segment else { continue };
            is_known = true;
            if key.hour <= segment.hour(position.boottime_us) {
                begun = key.segment;
            }
        }
        is_known.then_some(Self { position, segment: begun })
    }

    /// After which time since boot the sweeps of a key come after the position; `None` if none can.
    fn after_us(&self, key: Key, segment: &Segment) -> Option<i64> {
        if segment.boot == self.position.boot {
            let after_us = self.position.boottime_us;
            (key.hour >= segment.hour(after_us)).then_some(after_us)
        } else {
            (key.segment > self.segment).then_some(i64::MIN)
        }
    }
}

#[cfg(test)]
mod tests;
