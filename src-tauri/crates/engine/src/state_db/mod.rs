//! `state.db`: what must outlive the process and cannot be had again. Today the inventory, the settings and the owner's marks; each
//! later room brings its tables.
//!
//! Write-ahead log and synchronous FULL: what was committed survives a power cut. Before each migration the file is backed up
//! beside itself. A file of a newer version is refused and left alone: an older program cannot know what it would destroy. A damaged
//! one is set aside by the holder of the data directory alone ([`StateDb::open_or_begin`]).

mod backup;
mod damage;
mod error;
mod inventory;
mod own_job;
mod settings;

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    str::FromStr,
    sync::LazyLock,
    time::{Duration, Instant},
};

use fanfare_rig::Inventory;
use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, Migrations};

pub use damage::{Opened, SetAside};
pub use error::StateDbError;
pub use settings::SettingsError;

/// How long a lock of another process is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// Pause between two tries to open a file that another process may be bringing up at the same time: neither the change to a
/// write-ahead log nor a migration waits for a lock as a statement does.
const OPEN_PAUSE: Duration = Duration::from_millis(50);

/// Each schema version in turn; never edit one that was released, only add.
static MIGRATIONS: LazyLock<Migrations<'static>> = LazyLock::new(|| {
    Migrations::new(vec![M::up(inventory::SCHEMA), M::up(settings::SCHEMA), M::up(own_job::SCHEMA)])
});

/// The version this build writes: the number of migrations.
pub const VERSION: i64 = 3;

/// An open `state.db`.
#[derive(Debug)]
pub struct StateDb {
    connection: Connection,
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
        damage::refuse_special(&path)?;
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

    fn read_once(path: &Path, location: &Path, flags: OpenFlags) -> Result<Self, StateDbError> {
        let connection = Connection::open_with_flags(location, flags)?;
        connection.busy_timeout(BUSY)?;
        refuse_newer(&connection, path)?;
        Ok(Self { connection })
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

/// A stored text as what it stands for.
fn sense<T: FromStr>(what: &'static str, value: String) -> Result<T, StateDbError> {
    value.parse().map_err(|_| StateDbError::Nonsense { what, value })
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
        backup::before_migration(connection, path, from)?;
    }
    MIGRATIONS.to_latest(connection).map_err(|source| StateDbError::Migrate { path: path.into(), source })
}

#[cfg(test)]
mod tests;
