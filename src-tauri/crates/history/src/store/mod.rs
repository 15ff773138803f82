//! `history.db`: the file, how it is opened, and what it means that it cannot be.
//!
//! Write-ahead log and synchronous FULL: what was committed survives a power cut. A file of a newer version is refused and left
//! alone. A damaged one is set aside by its holder alone ([`Store::open_or_begin`]); it can be lost, so no copy of it is kept.

mod error;
mod schema;

use std::{path::Path, sync::LazyLock, time::Duration};

use fanfare_dbfile::{DbFile, Opened, Place};
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

pub use error::HistoryError;
pub use fanfare_dbfile::SetAside;

/// The file's name in a data directory.
pub const FILE: &str = "history.db";

/// The version this build writes: the number of migrations.
pub const VERSION: i64 = 1;

/// How long a lock of another process is waited for: longer than the two seconds that a backup or a reader of the whole may hold
/// it, and short enough for the thread that records.
const BUSY: Duration = Duration::from_secs(3);

/// Size of a new file's pages. A commit is some 3.4 kB of sweeps, and small pages leave less of the last one empty: a day of eight
/// cards costs 17 MB of writing in place of 33 with SQLite's own 4,096 bytes, or, as the system counts in blocks of 4 kB, 25 in
/// place of 40.
const PAGE: i64 = 1_024;

/// Pages of the log that are taken over into the file at once: 4 MB, some eight hours of eight cards.
const LOG_PAGES: i64 = 4_000;

/// The log is cut to this when it is begun anew: what a long reader may have made of it goes.
const LOG_LIMIT: i64 = 8 << 20;

static DB: LazyLock<DbFile> = LazyLock::new(|| DbFile {
    name: FILE,
    busy: BUSY,
    migrations: Migrations::new(schema::VERSIONS.into_iter().map(M::up).collect()),
    version: VERSION,
    set_up,
    // It can be lost.
    before_migration: |_, _, _| Ok(()),
});

fn set_up(connection: &Connection) -> Result<(), rusqlite::Error> {
    // Without effect on a file that is there.
    connection.pragma_update(None, "page_size", PAGE)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", LOG_LIMIT)
}

/// An open `history.db`.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) connection: Connection,
    pub(crate) place: Place,
}

impl Store {
    fn of(connection: Connection, directory: &Path) -> Self {
        Self { connection, place: Place::of(DB.path(directory)) }
    }

    /// Opens the file in `directory` for writing, made and migrated as needed.
    ///
    /// # Errors
    /// The file is newer than this build, damaged, locked for longer than 6 s, or its directory cannot be written.
    #[cfg(test)]
    pub(crate) fn open(directory: &Path) -> Result<Self, HistoryError> {
        Ok(Self::of(DB.open(directory)?, directory))
    }

    /// Opens the file in `directory` for its holder and reads what is wanted of it; one that is damaged, or cannot be read so, is
    /// set aside as `history.db.damaged-<UTC>` and a new one begun.
    ///
    /// # Errors
    /// The file is newer than this build (it is left alone), locked for longer than 9 s, its directory cannot be written, or a
    /// damaged one cannot be moved.
    pub(crate) fn open_or_begin<T>(
        directory: &Path,
        now: Timestamp,
        read: impl Fn(&Self) -> Result<T, HistoryError>,
    ) -> Result<Opened<(Self, T)>, HistoryError> {
        DB.open_or_begin(directory, now, |connection| {
            let store = Self::of(connection, directory);
            let contents = read(&store)?;
            Ok((store, contents))
        })
    }

    /// Opens the file in `directory` for reading alone; `None` if there is none. It makes and migrates nothing.
    ///
    /// # Errors
    /// The file is of another version, damaged, or cannot be read.
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, HistoryError> {
        let Some(connection) = DB.read(directory)? else { return Ok(None) };
        match DB.version_of(&connection)? {
            VERSION => Ok(Some(Self::of(connection, directory))),
            theirs => Err(HistoryError::Older { path: DB.path(directory), theirs }),
        }
    }
}

/// A transaction that will write: it takes its lock at once, so that it waits for others here and nowhere else.
pub(crate) fn begin(connection: &mut Connection) -> Result<Transaction<'_>, HistoryError> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod tests;
