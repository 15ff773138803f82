//! Keeps the inventory on disk, as well as it can: a full disk, a locked or damaged file, or a directory of somebody else's must
//! not take the cards off the screen.
//!
//! Changes are written at once, dates once a minute. What could not be written is tried again at each sweep in which something is
//! due, at most once in ten seconds, and the trouble is told until it is written.

use std::{path::Path, time::Duration};

use fanfare_rig::Inventory;
use jiff::Timestamp;

use crate::state_db::{StateDb, StateDbError};

/// When a card was last seen is stored this often; it is a date on a list, not a series.
const DATES_EVERY: Duration = Duration::from_secs(60);
/// After a failure the next try waits this long: each may itself wait 2 s for another process's lock.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Keeps the inventory.
#[derive(Debug)]
pub(crate) struct Keeper {
    db: Result<StateDb, StateDbError>,
    /// Whether a change waits to be written.
    due: bool,
    stored: Option<Timestamp>,
    failed: Option<(Timestamp, StateDbError)>,
}

impl Keeper {
    /// Opens the inventory in `directory`; an empty one if it cannot be read.
    pub(crate) fn open(directory: &Path) -> (Self, Inventory) {
        let opened = StateDb::open(directory).and_then(|db| db.inventory().map(|inventory| (db, inventory)));
        let (db, inventory) = match opened {
            Ok((db, inventory)) => (Ok(db), inventory),
            // What cannot be written may still be read.
            Err(error) => (Err(error), read_only(directory)),
        };
        (Self { db, due: false, stored: None, failed: None }, inventory)
    }

    /// Stores the inventory if it `changed`, or if its dates are due. Takes some 0.1 ms, and at most 2 s if another process holds
    /// the file.
    pub(crate) fn keep(&mut self, inventory: &Inventory, changed: bool, now: Timestamp) {
        self.due |= changed || self.stored.is_none_or(|at| since(at, now) >= DATES_EVERY);
        let rests = self.failed.as_ref().is_some_and(|(at, _)| since(*at, now) < RETRY_AFTER);
        let Ok(db) = &mut self.db else { return };
        if !self.due || rests {
            return;
        }
        match db.store_inventory(inventory) {
            Ok(()) => (self.due, self.stored, self.failed) = (false, Some(now), None),
            Err(error) => self.failed = Some((now, error)),
        }
    }

    /// Why the inventory is not on disk as it is in memory, if it is not.
    pub(crate) fn trouble(&self) -> Option<String> {
        let error = self.db.as_ref().err().or(self.failed.as_ref().map(|(_, error)| error));
        error.map(ToString::to_string)
    }
}

fn read_only(directory: &Path) -> Inventory {
    let read = StateDb::read(directory).ok().flatten().and_then(|db| db.inventory().ok());
    read.unwrap_or_default()
}

/// The span between two moments of the wall, whichever came first: a clock that stepped back holds nothing up.
fn since(earlier: Timestamp, now: Timestamp) -> Duration {
    now.duration_since(earlier).unsigned_abs()
}
