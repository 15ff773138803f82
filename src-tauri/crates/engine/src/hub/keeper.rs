//! Keeps what must be remembered on disk, as well as it can: a full disk, a locked or damaged file, or a directory of somebody
//! else's must not take the cards off the screen.
//!
//! The inventory's changes are written at once, its dates once a minute. What could not be written is tried again at each sweep in
//! which something is due, at most once in ten seconds, and the trouble is told until it is written. What the owner orders (a mark,
//! a setting) is written or refused, and never half done.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

use fanfare_dbfile::DbError;
use fanfare_rig::{CardUuid, Inventory};
use jiff::Timestamp;

use crate::{
    api::{ApiError, ErrorCode},
    rig_state::Unstored,
    settings::{Section, Settings, SettingsPatch},
    state_db::{SetAside, StateDb, StateDbError},
};

/// When a card was last seen is stored this often; it is a date on a list, not a series.
const DATES_EVERY: Duration = Duration::from_secs(60);
/// After a failure the next try waits this long: each may itself wait 2 s for another process's lock.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// What is kept, as it was found at the start.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Every card ever met.
    pub(super) inventory: Inventory,
    /// The cards that do own work.
    pub(super) own: BTreeSet<CardUuid>,
    /// The damaged file that was set aside.
    pub(super) set_aside: Option<SetAside>,
    /// Sections of the settings that were damaged and have their defaults again.
    pub(super) settings_reset: Vec<Section>,
    /// The settings, if they could be read.
    pub(super) settings: Option<Settings>,
}

/// Keeps it.
#[derive(Debug)]
pub(super) struct Keeper {
    directory: PathBuf,
    db: Result<StateDb, StateDbError>,
    /// As they are stored, or as they could be read.
    settings: Settings,
    /// Whether a change of the inventory waits to be written.
    due: bool,
    /// When the inventory was last written.
    stored: Option<Timestamp>,
    /// The last failure to write it, until it is written.
    failed: Option<StateDbError>,
    /// When opening or writing was last tried in vain.
    failed_at: Option<Timestamp>,
}

impl Keeper {
    /// Opens what is kept in `directory`; what cannot be read is as if it were not there.
    pub(super) fn open(directory: &Path, now: Timestamp) -> (Self, Kept) {
        let opened = StateDb::open_or_begin(directory, now);
        let (db, set_aside) = match opened {
            Ok(opened) => (Ok(opened.db), opened.set_aside),
            Err(error) => (Err(error), None),
        };
        let failed_at = db.is_err().then_some(now);
        let mut keeper = Self {
            directory: directory.into(),
            db,
            settings: Settings::default(),
            due: false,
            stored: None,
            failed: None,
            failed_at,
        };
        let kept = Kept { set_aside, ..keeper.read(now) };
        (keeper, kept)
    }

    /// Stores the inventory if it `changed`, or if its dates are due, and sees to the daily copy. Takes some 0.1 ms, and at most 4 s if another process holds
    /// the file. Gives back what is kept if the file could be opened only now; it then waits for an inventory that knows of that.
    pub(super) fn keep(&mut self, inventory: &Inventory, changed: bool, now: Timestamp) -> Option<Kept> {
        self.due |= changed || self.stored.is_none_or(|at| between(at, now) >= DATES_EVERY);
        let rests = self.failed_at.is_some_and(|at| between(at, now) < RETRY_AFTER);
        if !self.due || rests {
            return None;
        }
        let stored = match &mut self.db {
            Ok(db) => db.store_inventory(inventory).and_then(|()| db.back_up_daily(&self.directory, now)),
            Err(_) => return self.reopen(now),
        };
        match stored {
            Ok(()) => {
                (self.due, self.stored, self.failed, self.failed_at) = (false, Some(now), None, None);
            }
            Err(error) => (self.failed, self.failed_at) = (Some(error), Some(now)),
        }
        None
    }

    /// Marks a card as doing own work or takes the mark away, and gives back all marks.
    pub(super) fn mark(
        &mut self,
        uuid: &CardUuid,
        own: bool,
        now: Timestamp,
    ) -> Result<BTreeSet<CardUuid>, ApiError> {
        let db = self.db()?;
        db.mark_own_job(uuid, own, now).and_then(|()| db.own_jobs()).map(names).map_err(not_stored)
    }

    /// Takes a card off the expected ones. It goes by what is on disk, not by what was seen: in the owner's profile a simulated
    /// card may have been seen, which must not get there.
    pub(super) fn forget(&mut self, uuid: &CardUuid) -> Result<(), ApiError> {
        let db = self.db()?;
        let forgotten = db.inventory().and_then(|mut inventory| {
            if inventory.forget(uuid) { db.store_inventory(&inventory) } else { Ok(()) }
        });
        forgotten.map_err(not_stored)
    }

    /// The settings.
    pub(super) const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes settings, and gives back all.
    pub(super) fn change(&mut self, patch: &SettingsPatch) -> Result<Settings, ApiError> {
        // What cannot serve is named even where nothing can be written.
        patch.check()?;
        self.settings = self.db()?.change_settings(patch)?;
        Ok(self.settings.clone())
    }

    /// Gives a section its defaults, and gives back all settings.
    pub(super) fn reset(&mut self, section: Section) -> Result<Settings, ApiError> {
        self.settings = self.db()?.reset_settings(section).map_err(not_stored)?;
        Ok(self.settings.clone())
    }

    /// Why what must be remembered is not on disk as it is in memory, if it is not.
    pub(super) fn trouble(&self) -> Option<Unstored> {
        let error = self.db.as_ref().err().or(self.failed.as_ref())?;
        Some(match error {
            StateDbError::File(DbError::Newer { .. }) => Unstored::Newer(error.to_string()),
            _ => Unstored::Refused(error.to_string()),
        })
    }

    /// Tries once more to open a file that could not be opened.
    fn reopen(&mut self, now: Timestamp) -> Option<Kept> {
        self.db = StateDb::open(&self.directory);
        self.failed_at = self.db.is_err().then_some(now);
        self.db.is_ok().then(|| self.read(now))
    }

    fn db(&mut self) -> Result<&mut StateDb, ApiError> {
        self.db.as_mut().map_err(|error| not_stored_for(error))
    }

    /// What is kept. What cannot be written may still be read.
    fn read(&mut self, now: Timestamp) -> Kept {
        let settings_reset = match &mut self.db {
            Ok(db) => db.reset_damaged_settings(now).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let reader = match &self.db {
            Ok(_) => None,
            Err(_) => StateDb::read(&self.directory).ok().flatten(),
        };
        let Some(db) = reader.as_ref().or(self.db.as_ref().ok()) else { return Kept::default() };
        let settings = db.settings().ok();
        self.settings = settings.clone().unwrap_or_default();
        let inventory = db.inventory().unwrap_or_default();
        let own = db.own_jobs().map(names).unwrap_or_default();
        Kept { inventory, own, set_aside: None, settings_reset, settings }
    }
}

fn names(marks: BTreeMap<CardUuid, Timestamp>) -> BTreeSet<CardUuid> {
    marks.into_keys().collect()
}

#[expect(clippy::needless_pass_by_value, reason = "it maps an error")]
fn not_stored(error: StateDbError) -> ApiError {
    not_stored_for(&error)
}

fn not_stored_for(error: &StateDbError) -> ApiError {
    ApiError { code: ErrorCode::NotStored, message: error.to_string(), detail: None }
}

/// The span between two moments of the wall, whichever came first: a clock that stepped back holds nothing up.
fn between(one: Timestamp, other: Timestamp) -> Duration {
    other.duration_since(one).unsigned_abs()
}
