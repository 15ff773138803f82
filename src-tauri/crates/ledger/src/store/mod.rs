//! `ledger.db`: the file, how it is opened, and what it holds.
//!
//! What lies in it cannot be had again: write-ahead log and synchronous FULL, a copy before each migration and one each day, rows that
//! nothing can change. A file of a newer version is refused and left alone. A damaged one is set aside by its holder alone.
//!
//! A year of eight cards is 70,080 rows of some 170 bytes, with their indices 20 MB.

mod error;
mod rows;
mod schema;
#[cfg(test)]
mod tests;

use std::{ops::Range, path::Path, sync::LazyLock, time::Duration};

use fanfare_dbfile::{DbFile, Opened, Place, copy_of_version};
use fanfare_units::BootId;
use jiff::Timestamp;
use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

pub use error::LedgerError;
pub use rows::CardHour;

use crate::Cursor;

/// The file's name in a data directory.
pub const FILE: &str = "ledger.db";

/// The version this build writes: the number of migrations.
pub const VERSION: i64 = 1;

/// How long a lock of another process is waited for.
const BUSY: Duration = Duration::from_secs(3);

static DB: LazyLock<DbFile> = LazyLock::new(|| DbFile {
    name: FILE,
    busy: BUSY,
    migrations: Migrations::new(schema::VERSIONS.into_iter().map(M::up).collect()),
    version: VERSION,
    set_up: |_| Ok(()),
    before_migration: copy_of_version,
});

/// What became of hours that were posted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Posted {
    /// They were added.
    pub new: u64,
    /// There were rows of their card and hour, which stay as they were.
    pub known: u64,
}

/// The ledger, open for its holder.
#[derive(Debug)]
pub struct Ledger {
    reader: LedgerReader,
    place: Place,
}

impl Ledger {
    /// Opens the file in `directory` for its holder, made and migrated as needed; one that is damaged is set aside as
    /// `ledger.db.damaged-<UTC of now>` and a new one begun.
    ///
    /// # Errors
    /// The file is newer than this build (it is left alone), locked for longer than 9 s, its directory cannot be written, it cannot be
    /// copied before a migration, or a damaged one cannot be moved.
    pub fn open_or_begin(directory: &Path, now: Timestamp) -> Result<Opened<Self>, LedgerError> {
        DB.open_or_begin(directory, now, |connection| {
            let place = Place::of(DB.path(directory));
            Self { reader: LedgerReader { connection }, place }.readable()
        })
    }

    /// Itself, if the last row of each card can be read; SQLite has looked at all of them.
    fn readable(self) -> Result<Self, LedgerError> {
        for card in self.reader.cards()? {
            self.reader.cursor(&card)?;
        }
        Ok(self)
    }

    /// Adds hours, all or none; one whose card and hour stand there already changes nothing and is counted.
    ///
    /// # Errors
    /// They cannot be written; the file is as it was.
    pub fn post(&mut self, hours: &[CardHour]) -> Result<Posted, LedgerError> {
        let connection = &mut self.reader.connection;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut posted = Posted::default();
        for hour in hours {
            let is_new = rows::insert(&transaction, hour)?;
            posted.new += u64::from(is_new);
            posted.known += u64::from(!is_new);
        }
        transaction.commit()?;
        Ok(posted)
    }

    /// Whether somebody took its file away, or put another in its place: what is posted then is posted for nobody.
    pub fn is_lost(&self) -> bool {
        self.place.is_lost()
    }

    /// What is in it.
    pub const fn reader(&self) -> &LedgerReader {
        &self.reader
    }

    /// Copies the file to `ledger.db.daily` if none of the last day lies there.
    ///
    /// # Errors
    /// It cannot be written; the copy of before is as it was.
    pub fn back_up_daily(&self, directory: &Path, now: Timestamp) -> Result<(), LedgerError> {
        Ok(DB.back_up_daily(&self.reader.connection, directory, now)?)
    }
}

/// What is in the ledger; for those who only look on, a file that somebody else may be writing.
#[derive(Debug)]
pub struct LedgerReader {
    connection: Connection,
}

impl LedgerReader {
    /// Opens the ledger in `directory` for reading alone; `None` if there is none. It makes and migrates nothing.
    ///
    /// # Errors
    /// The file is of another version, damaged, or cannot be read.
    pub fn open(directory: &Path) -> Result<Option<Self>, LedgerError> {
        let Some(connection) = DB.read(directory)? else { return Ok(None) };
        match DB.version_of(&connection)? {
            VERSION => Ok(Some(Self { connection })),
            theirs => Err(LedgerError::Older { path: DB.path(directory), theirs }),
        }
    }

    /// Every card of which there is a row.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn cards(&self) -> Result<Vec<String>, LedgerError> {
        rows::cards(&self.connection)
    }

    /// The rows of a card from one hour to before another, in order; a row is some 300 bytes in memory.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn hours(&self, card: &str, hours: Range<i64>) -> Result<Vec<CardHour>, LedgerError> {
        let mut all = Vec::new();
        rows::each_between(&self.connection, card, hours, |hour| all.push(hour))?;
        Ok(all)
    }

    /// Shows them one by one, which takes no memory.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn each_hour(
        &self,
        card: &str,
        hours: Range<i64>,
        each: impl FnMut(CardHour),
    ) -> Result<(), LedgerError> {
        rows::each_between(&self.connection, card, hours, each)
    }

    /// Where the account of a card goes on; none if nothing of it was posted.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn cursor(&self, card: &str) -> Result<Option<Cursor>, LedgerError> {
        Ok(rows::last(&self.connection, card)?.map(|hour| hour.cursor))
    }

    /// Whether there is a row of a card and hour.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn has(&self, card: &str, hour: i64) -> Result<bool, LedgerError> {
        rows::exists(&self.connection, card, hour)
    }

    /// Whether a row of a card ends in a boot: then all readings of boots before that are in the account. Where none does, it looks at
    /// all rows of the card, the newest first: some 0.1 s after ten years.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn ends_in(&self, card: &str, boot: BootId) -> Result<bool, LedgerError> {
        rows::ends_in(&self.connection, card, boot)
    }
}
