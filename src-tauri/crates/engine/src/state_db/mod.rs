//! `state.db`: what must outlive the process and cannot be had again. Today the inventory; each later room brings its tables.
//!
//! Write-ahead log and synchronous FULL: what was committed survives a power cut. Before each migration the file is backed up
//! beside itself. A file of a newer version is refused and left alone: an older program cannot know what it would destroy.

mod inventory;

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, Instant},
};

use fanfare_rig::Inventory;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rusqlite_migration::{M, Migrations};

/// How long a lock of another process is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// Pause between two tries to open a file that another process may be bringing up at the same time: neither the change to a
/// write-ahead log nor a migration waits for a lock as a statement does.
const OPEN_PAUSE: Duration = Duration::from_millis(50);

/// Each schema version in turn; never edit one that was released, only add.
static MIGRATIONS: LazyLock<Migrations<'static>> =
    LazyLock::new(|| Migrations::new(vec![M::up(inventory::SCHEMA)]));

/// The version this build writes: the number of migrations.
pub const VERSION: i64 = 1;

/// An open `state.db`.
#[derive(Debug)]
pub struct StateDb {
    connection: Connection,
}

/// Why `state.db` cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum StateDbError {
    /// It was written by a newer program.
    #[error("{path} is of version {theirs}, this program knows up to {VERSION}: it was left untouched")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        theirs: i64,
    },
    /// It could not be backed up before a migration, so it was not migrated.
    #[error("{path} could not be backed up before its migration: {source}")]
    Backup {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    /// A migration failed; the file is as it was.
    #[error("{path} could not be brought to version {VERSION}: {source}")]
    Migrate {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite_migration::Error,
    },
    /// A stored value makes no sense.
    #[error("{what} in state.db makes no sense: {value:?}")]
    Nonsense {
        /// Which column.
        what: &'static str,
        /// Its value.
        value: String,
    },
    /// SQLite failed.
    #[error("state.db: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl StateDb {
    /// The file's name in a data directory.
    pub const FILE: &'static str = "state.db";

    /// Opens the file in `directory` for writing, made and migrated as needed.
    ///
    /// # Errors
    /// The file is newer than this build, damaged, locked for longer than 4 s, or its directory cannot be written.
    pub fn open(directory: &Path) -> Result<Self, StateDbError> {
        let begun = Instant::now();
        loop {
            match Self::open_once(directory) {
                Err(error) if error.may_pass() && begun.elapsed() < BUSY => std::thread::sleep(OPEN_PAUSE),
                opened => return opened,
            }
        }
    }

    fn open_once(directory: &Path) -> Result<Self, StateDbError> {
        let path = directory.join(Self::FILE);
        let mut connection = Connection::open(&path)?;
        // First of all: every statement after it may meet another process's lock.
        connection.busy_timeout(BUSY)?;
        refuse_newer(&connection, &path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        migrate(&mut connection, &path)?;
        Ok(Self { connection })
    }

    /// Opens the file in `directory` for reading alone; `None` if there is none. It makes and migrates nothing.
    ///
    /// # Errors
    /// The file is of another version, damaged, or cannot be read.
    pub fn read(directory: &Path) -> Result<Option<Self>, StateDbError> {
        let path = directory.join(Self::FILE);
        if !path.exists() {
            return Ok(None);
        }
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(BUSY)?;
        refuse_newer(&connection, &path)?;
        Ok(Some(Self { connection }))
    }

    /// Every card ever met.
    ///
    /// # Errors
    /// It cannot be read, or holds what no version of this program wrote.
    pub fn inventory(&self) -> Result<Inventory, StateDbError> {
        inventory::read(&self.connection)
    }

    /// Stores every card ever met.
    ///
    /// # Errors
    /// It cannot be written; the file then is as it was.
    pub fn store_inventory(&mut self, inventory: &Inventory) -> Result<(), StateDbError> {
        inventory::write(&mut self.connection, inventory)
    }
}

impl StateDbError {
    /// Whether another process may have caused it, that will be done soon.
    fn may_pass(&self) -> bool {
        match self {
            Self::Migrate { .. } => true,
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy),
            Self::Newer { .. } | Self::Backup { .. } | Self::Nonsense { .. } => false,
        }
    }
}

fn version(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn refuse_newer(connection: &Connection, path: &Path) -> Result<(), StateDbError> {
    match version(connection)? {
        theirs if theirs > VERSION => Err(StateDbError::Newer { path: path.into(), theirs }),
        _ => Ok(()),
    }
}

/// Brings the file to this build's version; an existing one is backed up first as `state.db.v<its version>`.
fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StateDbError> {
    let from = version(connection)?;
    if from == VERSION {
        return Ok(());
    }
    if from > 0 {
        back_up(connection, path, from)?;
    }
    MIGRATIONS.to_latest(connection).map_err(|source| StateDbError::Migrate { path: path.into(), source })
}

fn back_up(connection: &Connection, path: &Path, version: i64) -> Result<(), StateDbError> {
    let backup = path.with_file_name(format!("{}.v{version}", StateDb::FILE));
    connection
        .backup("main", &backup, None)
        .map_err(|source| StateDbError::Backup { path: path.into(), source })
}

#[cfg(test)]
mod tests;
