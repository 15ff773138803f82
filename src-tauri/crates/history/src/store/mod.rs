//! `history.db`: the file, how it is opened, and what it means that it cannot be.
//!
//! Write-ahead log and synchronous FULL: what was committed survives a power cut. A file of a newer version is refused and left
//! alone. A damaged one is set aside by its holder alone ([`Store::open_or_begin`]); it can be lost, so no copy of it is kept.

mod damage;
mod error;
mod schema;

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

pub use damage::SetAside;
pub use error::HistoryError;

/// The file's name in a data directory.
pub const FILE: &str = "history.db";

/// How long a lock of another process is waited for: longer than the two seconds that a backup or a reader of the whole may hold
/// it, and short enough for the thread that records.
const BUSY: Duration = Duration::from_secs(3);

/// Pause between two tries to open a file that another process may be bringing up at the same time: neither the change to a
/// write-ahead log nor a migration waits for a lock as a statement does.
const OPEN_PAUSE: Duration = Duration::from_millis(50);

/// Size of a new file's pages. A commit is some 3.4 kB of sweeps, and small pages leave less of the last one empty: a day of eight
/// cards costs 17 MB of writing in place of 33 with SQLite's own 4,096 bytes, or, as the system counts in blocks of 4 kB, 25 in
/// place of 40.
const PAGE: i64 = 1_024;

/// Pages of the log that are taken over into the file at once: 4 MB, some eight hours of eight cards.
const LOG_PAGES: i64 = 4_000;

/// The log is cut to this when it is begun anew: what a long reader may have made of it goes.
const LOG_LIMIT: i64 = 8 << 20;

static MIGRATIONS: LazyLock<Migrations<'static>> =
    LazyLock::new(|| Migrations::new(schema::VERSIONS.into_iter().map(M::up).collect()));

/// The version this build writes: the number of migrations.
pub const VERSION: i64 = 1;

/// An open `history.db`.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) connection: Connection,
}

impl Store {
    /// Opens the file in `directory` for writing, made and migrated as needed.
    ///
    /// # Errors
    /// The file is newer than this build, damaged, locked for longer than 6 s, or its directory cannot be written.
    pub(crate) fn open(directory: &Path) -> Result<Self, HistoryError> {
        let begun = Instant::now();
        loop {
            match Self::open_once(directory) {
                Err(error) if error.may_pass() && begun.elapsed() < BUSY => std::thread::sleep(OPEN_PAUSE),
                opened => return opened,
            }
        }
    }

    fn open_once(directory: &Path) -> Result<Self, HistoryError> {
        let path = directory.join(FILE);
        damage::refuse_special(&path)?;
        let mut connection = Connection::open(&path)?;
        // First of all: every statement after it may meet another process's lock.
        connection.busy_timeout(BUSY)?;
        refuse_newer(&connection, &path)?;
        // Without effect on a file that is there.
        connection.pragma_update(None, "page_size", PAGE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "journal_size_limit", LOG_LIMIT)?;
        migrate(&mut connection, &path)?;
        Ok(Self { connection })
    }

    /// Opens the file in `directory` for reading alone; `None` if there is none. It makes and migrates nothing.
    ///
    /// # Errors
    /// The file is of another version, damaged, or cannot be read.
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, HistoryError> {
        let path = directory.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        damage::refuse_special(&path)?;
        let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY;
        match Self::read_once(&path, &path, read_only) {
            // A write-ahead log wants files beside it even to be read. Where they cannot be made and none lies there, nobody writes,
            // and the file may be taken as it is.
            Err(error) if error.lacks_companions() && !damage::with_suffix(&path, "-wal").exists() => {
                Self::read_once(&path, &immutable(&path), read_only | OpenFlags::SQLITE_OPEN_URI)
            }
            read => read,
        }
        .map(Some)
    }

    fn read_once(path: &Path, location: &Path, flags: OpenFlags) -> Result<Self, HistoryError> {
        let connection = Connection::open_with_flags(location, flags)?;
        connection.busy_timeout(BUSY)?;
        refuse_newer(&connection, path)?;
        match version(&connection)? {
            VERSION => Ok(Self { connection }),
            theirs => Err(HistoryError::Older { path: path.into(), theirs }),
        }
    }
}

/// A transaction that will write: it takes its lock at once, so that it waits for others here and nowhere else.
pub(crate) fn begin(connection: &mut Connection) -> Result<Transaction<'_>, HistoryError> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// The file as an address that says that nobody changes it.
fn immutable(path: &Path) -> PathBuf {
    let mut address = b"file:".to_vec();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'%' | b'?' | b'#' => address.extend(format!("%{byte:02x}").into_bytes()),
            other => address.push(*other),
        }
    }
    address.extend(b"?immutable=1");
    OsString::from_vec(address).into()
}

fn version(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn refuse_newer(connection: &Connection, path: &Path) -> Result<(), HistoryError> {
    match version(connection)? {
        theirs if theirs > VERSION => Err(HistoryError::Newer { path: path.into(), theirs }),
        _ => Ok(()),
    }
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), HistoryError> {
    if version(connection)? == VERSION {
        return Ok(());
    }
    MIGRATIONS.to_latest(connection).map_err(|source| HistoryError::Migrate { path: path.into(), source })
}

#[cfg(test)]
mod tests;
