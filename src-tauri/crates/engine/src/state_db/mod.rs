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

use std::{path::Path, str::FromStr, sync::LazyLock, time::Duration};

use fanfare_dbfile::DbFile;
use fanfare_rig::Inventory;
use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

pub use error::StateDbError;
pub use fanfare_dbfile::{Opened, SetAside};
pub use settings::SettingsError;

/// How long a lock of another process is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// The version this build writes: the number of migrations.
pub const VERSION: i64 = 3;

/// The file. Each schema version in turn; never edit one that was released, only add.
static FILE: LazyLock<DbFile> = LazyLock::new(|| DbFile {
    name: StateDb::FILE,
    busy: BUSY,
    migrations: Migrations::new(vec![
        M::up(inventory::SCHEMA),
        M::up(settings::SCHEMA),
        M::up(own_job::SCHEMA),
    ]),
    version: VERSION,
    set_up: |_| Ok(()),
    before_migration: fanfare_dbfile::copy_of_version,
});

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
        Ok(Self { connection: FILE.open(directory)? })
    }

    /// Opens the file in `directory` for reading alone; `None` if there is none. It makes and migrates nothing.
    ///
    /// # Errors
    /// The file is of another version, damaged, or cannot be read.
    pub fn read(directory: &Path) -> Result<Option<Self>, StateDbError> {
        Ok(FILE.read(directory)?.map(|connection| Self { connection }))
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

/// A stored text as what it stands for.
fn sense<T: FromStr>(what: &'static str, value: String) -> Result<T, StateDbError> {
    value.parse().map_err(|_| StateDbError::Nonsense { what, value })
}

#[cfg(test)]
mod tests;
