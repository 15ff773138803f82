//! Opening a file, for its holder and beside it.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::Migrations;

use crate::{DbError, damage::refuse_special, with_suffix};

/// Pause between two tries to open a file that another process may be bringing up at the same time: neither the change to a
/// write-ahead log nor a migration waits for a lock as a statement does.
const OPEN_PAUSE: Duration = Duration::from_millis(50);

/// What a file is called, and what a room wants of it.
#[derive(Debug)]
pub struct DbFile {
    /// Its name in a data directory.
    pub name: &'static str,
    /// How long a lock of another process is waited for.
    pub busy: Duration,
    /// Each version of the schema in turn.
    pub migrations: Migrations<'static>,
    /// The version that this build writes: the number of migrations.
    pub version: i64,
    /// Sets up a connection that may write, before the file is changed in any way: pages and log.
    pub set_up: fn(&Connection) -> Result<(), rusqlite::Error>,
    /// Called with the file's path and version before it is migrated from an older one.
    pub before_migration: fn(&Connection, &Path, i64) -> Result<(), DbError>,
}

impl DbFile {
    /// Where it lies.
    pub fn path(&self, directory: &Path) -> PathBuf {
        directory.join(self.name)
    }

    /// Opens it in `directory` for writing, made and migrated as needed.
    ///
    /// # Errors
    /// The file is newer than this build, damaged, locked for too long, or its directory cannot be written.
    pub fn open(&self, directory: &Path) -> Result<Connection, DbError> {
        let begun = Instant::now();
        loop {
            match self.open_once(&self.path(directory)) {
                Err(error) if error.may_pass() && begun.elapsed() < self.busy => {
                    std::thread::sleep(OPEN_PAUSE);
                }
                opened => return opened,
            }
        }
    }

    fn open_once(&self, path: &Path) -> Result<Connection, DbError> {
        refuse_special(path)?;
        let connected = Connection::open(path).and_then(|connection| {
            // First of all: every statement after it may meet another process's lock.
            connection.busy_timeout(self.busy)?;
            Ok(connection)
        });
        let mut connection = connected.map_err(|source| self.failed(source))?;
        self.refuse_newer(&connection, path)?;
        self.make_durable(&connection).map_err(|source| self.failed(source))?;
        self.migrate(&mut connection, path)?;
        Ok(connection)
    }

    fn make_durable(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        (self.set_up)(connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)
    }

    /// Opens it in `directory` for reading alone; `None` if there is none. It makes and migrates nothing; one of an older version is
    /// opened as it is.
    ///
    /// # Errors
    /// The file is newer than this build, damaged, or cannot be read.
    pub fn read(&self, directory: &Path) -> Result<Option<Connection>, DbError> {
        let path = self.path(directory);
        if !path.exists() {
            return Ok(None);
        }
        refuse_special(&path)?;
        match self.read_at(&path, &path, OpenFlags::empty()) {
            // A write-ahead log wants files beside it even to be read. Where they cannot be made and none lies there, nobody writes,
            // and the file may be taken as it is.
            Err(error) if error.lacks_companions() && !with_suffix(&path, "-wal").exists() => {
                self.read_at(&path, &immutable(&path), OpenFlags::SQLITE_OPEN_URI)
            }
            read => read,
        }
        .map(Some)
    }

    /// A connection that only reads, through `location`, and has refused a newer file.
    pub(crate) fn read_at(
        &self,
        path: &Path,
        location: &Path,
        flags: OpenFlags,
    ) -> Result<Connection, DbError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connected = Connection::open_with_flags(location, flags).and_then(|connection| {
            connection.busy_timeout(self.busy)?;
            Ok(connection)
        });
        let connection = connected.map_err(|source| self.failed(source))?;
        self.refuse_newer(&connection, path)?;
        Ok(connection)
    }

    /// The version of an open file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn version_of(&self, connection: &Connection) -> Result<i64, DbError> {
        connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|source| self.failed(source))
    }

    /// SQLite failed over this file.
    pub fn failed(&self, source: rusqlite::Error) -> DbError {
        DbError::Sqlite { name: self.name, source }
    }

    fn refuse_newer(&self, connection: &Connection, path: &Path) -> Result<(), DbError> {
        match self.version_of(connection)? {
            theirs if theirs > self.version => {
                Err(DbError::Newer { path: path.into(), theirs, ours: self.version })
            }
            _ => Ok(()),
        }
    }

    fn migrate(&self, connection: &mut Connection, path: &Path) -> Result<(), DbError> {
        let from = self.version_of(connection)?;
        if from == self.version {
            return Ok(());
        }
        if from > 0 {
            (self.before_migration)(connection, path, from)?;
        }
        let failed = |source| DbError::Migrate { path: path.into(), ours: self.version, source };
        self.migrations.to_latest(connection).map_err(failed)
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
