//! The one that writes: it takes sweeps, holds them for 50 s, writes them, and puts away hours and days that are over.
//!
//! What it costs a rig of eight cards with twelve quantities: one commit (one fsync) every 50 s, an hour's sealing once an hour, a
//! day's packing once a day. Nothing is committed twice: a recorder goes on after the last sweep on the disk, and a sweep that is
//! not later than that is dropped and counted.
//!
//! When the disk does not take it (full, locked for over 3 s) the error is returned, the sweeps stay in memory, and it is tried
//! again no sooner than 10 s later; see [`crate::tail`] for how much is held. An hour that cannot be sealed stays as it was written
//! and is sealed later: no sweep waits for it.

mod commit;
mod compact;
pub(crate) mod gather;
mod looking;
pub(crate) mod seal;

use std::{collections::BTreeSet, path::Path};

use fanfare_units::Stamp;
use jiff::Timestamp;
use rusqlite::Connection;

pub use compact::Compacted;

use crate::{
    mark::{self, PastMark},
    retention::{self, Retention},
    roster::{Roster, newest_segment, segments},
    segment::{Place, Segment, place},
    store::{HistoryError, SetAside, Store},
    sweep::{Counts, Sweep, Taken},
    tail::{Held, Key, Tail},
    time::{day_of, micros},
    walk::Position,
};

/// How long the disk is left alone after it did not take something.
const PAUSE_US: i64 = 10_000_000;

/// The history of a data directory, in the hands of its one holder.
#[derive(Debug)]
pub struct Recorder {
    store: Store,
    roster: Roster,
    retention: Retention,
    tail: Tail,
    open: Option<Open>,
    /// Begun, and not in the file yet.
    new_segments: Vec<Segment>,
    unsealed: BTreeSet<Key>,
    /// Days with hours that are sealed and not packed.
    loose_days: BTreeSet<i64>,
    /// The last sweep in the file.
    stored: Option<Position>,
    /// No try before this time since boot.
    pause_until_us: i64,
    counts: Counts,
}

/// A recorder, as it was opened.
#[derive(Debug)]
pub struct Opened {
    /// It.
    pub recorder: Recorder,
    /// The file in whose place a new one was begun, where that was damaged.
    pub set_aside: Option<SetAside>,
}

/// The segment that sweeps go into, and its last sweep.
#[derive(Debug, Clone, Copy)]
struct Open {
    segment: Segment,
    last_us: i64,
}

impl Open {
    /// Where sweeps of a time since boot would go; an hour is never gone back to.
    fn key(&self, now_us: i64) -> Key {
        Key { segment: self.segment.id, hour: self.segment.hour(now_us.max(self.last_us)) }
    }
}

/// What a recorder must know of its file.
#[derive(Debug)]
struct Contents {
    roster: Roster,
    newest: Option<(Segment, i64)>,
    unsealed: BTreeSet<Key>,
    loose_days: BTreeSet<i64>,
}

impl Recorder {
    /// Opens the history in `directory`. The caller holds the directory: one recorder a directory, ever. A damaged file is set aside
    /// as `history.db.damaged-<UTC of now>` and a new one begun.
    ///
    /// # Errors
    /// The file is newer than this build (it is left alone), locked for longer than 9 s, its directory cannot be written, or a
    /// damaged one cannot be moved.
    pub fn open(directory: &Path, retention: Retention, now: Timestamp) -> Result<Opened, HistoryError> {
        let opened = Store::open_or_begin(directory, now, |store| contents(&store.connection))?;
        let (store, Contents { roster, newest, unsealed, loose_days }) = opened.db;
        let recorder = Self {
            store,
            roster,
            retention,
            tail: Tail::default(),
            open: newest.map(|(segment, last_us)| Open { segment, last_us }),
            new_segments: Vec::new(),
            unsealed,
            loose_days,
            stored: newest
                .filter(|(_, last_us)| *last_us != i64::MIN)
                .map(|(segment, last_us)| Position { boot: segment.boot, boottime_us: last_us }),
            pause_until_us: i64::MIN,
            counts: Counts::default(),
        };
        Ok(Opened { recorder, set_aside: opened.set_aside })
    }

    /// Takes a sweep, and writes what is due.
    ///
    /// # Errors
    /// The disk did not take what was due. The sweep is held, or on the disk, all the same.
    pub fn record(&mut self, sweep: &Sweep) -> Result<Taken, HistoryError> {
        let at_us = micros(sweep.at.boottime);
        let open = self.open.as_ref().map(|open| (&open.segment, open.last_us));
        let segment = match (place(open, &sweep.at, sweep.source), self.open) {
            (Place::Late, _) => {
                self.counts.late += 1;
                return Ok(Taken::Late);
            }
            (Place::Open, Some(open)) => open.segment,
            _ => self.begin_segment(sweep),
        };
        let open = Open { segment, last_us: at_us };
        self.open = Some(open);
        let (values, marks) = (self.values(sweep), self.marks_of(sweep, &segment));
        if self.tail.push(Held { key: open.key(at_us), at_us, values, marks }) {
            self.counts.lost += 1;
            // Segments are not kept longer than their sweeps.
            let oldest = self.tail.oldest_segment();
            self.new_segments.retain(|segment| Some(segment.id) >= oldest);
        }
        self.write_what_is_due(open.key(at_us), at_us)
            .map(|written| if written { Taken::Stored } else { Taken::Held })
    }

    /// Writes what is due though no sweep comes; to be called now and then while the driver is silent.
    ///
    /// # Errors
    /// The disk did not take what was due.
    pub fn tick(&mut self, now: &Stamp) -> Result<(), HistoryError> {
        match self.open.filter(|open| open.segment.boot == now.boot) {
            Some(open) => {
                let now_us = micros(now.boottime);
                self.write_what_is_due(open.key(now_us), now_us).map(drop)
            }
            None => Ok(()),
        }
    }

    /// Writes all that is held, due or not: at the end of the program.
    ///
    /// # Errors
    /// The disk did not take it.
    pub fn flush(&mut self) -> Result<(), HistoryError> {
        self.commit().map(drop)
    }

    /// The last sweep that is on the disk.
    pub fn stored_until(&self) -> Option<Position> {
        self.stored
    }

    /// The session of the newest sweep; 0 if there is none.
    pub fn newest_session(&self) -> u32 {
        self.open.map_or(0, |open| open.segment.session)
    }

    /// What was counted since it was opened.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How many sweeps wait in memory.
    pub fn held(&self) -> usize {
        self.tail.len()
    }

    /// Keeps things for another time from now on; what is too old by it goes at once, which may take seconds.
    ///
    /// # Errors
    /// The disk did not take it.
    pub fn keep(&mut self, retention: Retention) -> Result<(), HistoryError> {
        self.retention = retention;
        let Some(hour) = self.newest_hour() else { return Ok(()) };
        while retention::prune(&mut self.store.connection, retention, hour)? {}
        Ok(())
    }

    /// Leaves it to the system when the disk is written, for tests that write a year.
    #[cfg(test)]
    pub(crate) fn flush_lazily(&self) {
        self.store.connection.pragma_update(None, "synchronous", "OFF").expect("a pragma is no trouble");
    }

    /// Takes the log over into the file whenever it has so many pages.
    #[cfg(test)]
    pub(crate) fn take_over_after(&self, pages: i64) {
        self.store
            .connection
            .pragma_update(None, "wal_autocheckpoint", pages)
            .expect("a pragma is no trouble");
    }

    fn begin_segment(&mut self, sweep: &Sweep) -> Segment {
        let id = self.open.map_or(1, |open| open.segment.id.saturating_add(1));
        let segment = Segment::begun_by(id, &sweep.at, sweep.source);
        self.new_segments.push(segment);
        // Another boot counts its time anew.
        self.pause_until_us = i64::MIN;
        segment
    }

    fn values(&mut self, sweep: &Sweep) -> Vec<(u32, i64)> {
        let mut values = Vec::with_capacity(sweep.values.len());
        for (series, value) in &sweep.values {
            let Some(value) = value else { continue };
            match self.roster.enrol(series).filter(|_| series.quantity.range().contains(value)) {
                Some(number) => values.push((number, *value)),
                None => self.counts.refused += 1,
            }
        }
        values
    }

    fn marks_of(&mut self, sweep: &Sweep, segment: &Segment) -> Vec<PastMark> {
        let marks = sweep.marks.iter().take(mark::MOST_A_SWEEP);
        let marks: Vec<PastMark> = marks.filter_map(|mark| PastMark::of(mark, segment)).collect();
        self.counts.refused += u64::try_from(sweep.marks.len() - marks.len()).unwrap_or(u64::MAX);
        marks
    }

    /// Whether everything that was held was written.
    fn write_what_is_due(&mut self, current: Key, now_us: i64) -> Result<bool, HistoryError> {
        let due = self.tail.is_due(current, now_us) || self.is_anything_over(current);
        if !due || now_us < self.pause_until_us {
            return Ok(false);
        }
        let written = self.commit().and_then(|written| self.put_away(current).map(|()| written));
        if written.is_err() {
            self.pause_until_us = now_us.saturating_add(PAUSE_US);
        }
        written
    }

    fn is_anything_over(&self, current: Key) -> bool {
        let over = |key: &Key| *key != current;
        self.unsealed.iter().any(over) || self.loose_days.iter().any(|day| *day != day_of(current.hour))
    }

    fn commit(&mut self) -> Result<bool, HistoryError> {
        if self.tail.len() == 0 {
            return Ok(false);
        }
        let batches = self.tail.batches();
        let marks: Vec<PastMark> = self.tail.marks().cloned().collect();
        commit::commit(&mut self.store.connection, &self.roster, &self.new_segments, &batches, &marks)?;
        self.roster.all_saved();
        self.new_segments.clear();
        self.unsealed.extend(batches.iter().map(|(key, _)| *key));
        self.stored = self.open.map(|open| Position { boot: open.segment.boot, boottime_us: open.last_us });
        self.counts.stored += u64::try_from(self.tail.len()).unwrap_or(u64::MAX);
        self.counts.commits += 1;
        self.tail.clear();
        Ok(true)
    }

    /// Seals the hours and packs the days that are over, and drops what is too old. One that fails holds up no other; the first
    /// failure is told.
    fn put_away(&mut self, current: Key) -> Result<(), HistoryError> {
        if !self.is_anything_over(current) {
            return Ok(());
        }
        let mut first_failure = Ok(());
        let over: Vec<Key> = self.unsealed.iter().copied().filter(|key| *key != current).collect();
        for key in over {
            first_failure = first_failure.and(self.seal(key));
        }
        let today = day_of(current.hour);
        let days: Vec<i64> = self.loose_days.iter().copied().filter(|day| *day != today).collect();
        for day in days {
            first_failure = first_failure.and(self.gather(day));
        }
        first_failure?;
        retention::prune(&mut self.store.connection, self.retention, current.hour).map(drop)
    }

    fn seal(&mut self, key: Key) -> Result<(), HistoryError> {
        let segments = segments(&self.store.connection)?;
        let unknown = || HistoryError::Nonsense { what: "segment", value: key.segment.to_string() };
        let segment = segments.get(&key.segment).ok_or_else(unknown)?;
        seal::seal(&mut self.store.connection, &self.roster, segment, key)?;
        self.unsealed.remove(&key);
        self.loose_days.insert(day_of(key.hour));
        Ok(())
    }

    fn gather(&mut self, day: i64) -> Result<(), HistoryError> {
        gather::gather(&mut self.store.connection, &self.roster, day)?;
        self.loose_days.remove(&day);
        Ok(())
    }

    fn newest_hour(&self) -> Option<i64> {
        self.open.map(|open| open.segment.hour(open.last_us))
    }
}

/// Everything that a recorder goes on from; the rows of sweeps are read whole, since they are still to be sealed.
fn contents(connection: &Connection) -> Result<Contents, HistoryError> {
    let mut unsealed = BTreeSet::new();
    let mut statement = connection.prepare("SELECT DISTINCT segment, hour FROM tail")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        unsealed.insert(Key { segment: row.get(0)?, hour: row.get(1)? });
    }
    for key in &unsealed {
        seal::unsealed(connection, *key, |_| true)?;
    }
    let mut loose_days = BTreeSet::new();
    let mut statement = connection.prepare("SELECT DISTINCT hour FROM fresh")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        loose_days.insert(day_of(row.get(0)?));
    }
    let (roster, newest) = (Roster::read(connection)?, newest_segment(connection)?);
    Ok(Contents { roster, newest, unsealed, loose_days })
}

#[cfg(test)]
mod faults;
#[cfg(test)]
mod keeping;
#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
