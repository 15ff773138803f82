//! A damaged `state.db` at the start: it is set aside under another name, never deleted, and a new one begun, so that one bad sector
//! costs the owner settings and not the program.
//!
//! Only the holder of the data directory may do this: it renames a file that no other process may have open for writing. What is
//! found is told by the caller; the file, with its log beside it, stays for whoever wants to rescue it. At most one is made at a
//! start. The examination reads the whole file (some 100 kB) once: a few milliseconds.

use std::{fs, io, path::Path, path::PathBuf};

use jiff::{Timestamp, tz::TimeZone};
use rusqlite::{Connection, OpenFlags};

use super::{BUSY, StateDb, StateDbError, refuse_newer};

/// SQLite's files beside a database, moved before it: a log without its database is harmless, a new database with an old log not.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A `state.db` that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// What it is called now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub why: String,
}

/// `state.db`, as the holder of a data directory has it at its start.
#[derive(Debug)]
pub struct Opened {
    /// It.
    pub db: StateDb,
    /// The one in whose place it was begun, where that was damaged.
    pub set_aside: Option<SetAside>,
}

impl StateDb {
    /// Opens the file in `directory` for its holder; a damaged one is set aside as `state.db.damaged-<UTC>` and a new one begun.
    ///
    /// # Errors
    /// The file is newer than this build (it is left alone), locked for longer than 4 s, its directory cannot be written, or a
    /// damaged one cannot be moved.
    pub fn open_or_begin(directory: &Path, now: Timestamp) -> Result<Opened, StateDbError> {
        let path = directory.join(Self::FILE);
        let opened = examine(&path).and_then(|()| Self::open(directory)).and_then(Self::readable);
        match opened {
            Ok(db) => Ok(Opened { db, set_aside: None }),
            Err(error) if error.is_damage() => {
                let moved = move_aside(&path, now)
                    .map_err(|source| StateDbError::SetAside { path: path.clone(), source })?;
                let set_aside = Some(SetAside { path: moved, why: error.to_string() });
                Ok(Opened { db: Self::open(directory)?, set_aside })
            }
            Err(error) => Err(error),
        }
    }

    /// Itself, if what it holds can be read; settings are apart, because a damaged section is reset alone.
    fn readable(self) -> Result<Self, StateDbError> {
        self.inventory()?;
        self.own_jobs()?;
        Ok(self)
    }
}

/// Looks for damage without writing: a connection that may write would, on its close, mix its log into a broken file.
fn examine(path: &Path) -> Result<(), StateDbError> {
    let disorder = |finding: String| Err(StateDbError::Disorder { path: path.into(), finding });
    refuse_special(path)?;
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() == 0 => return disorder("it is empty".into()),
        Ok(_) => {}
        // None is there, or it cannot be reached: opening it will tell.
        Err(_) => return Ok(()),
    }
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(BUSY)?;
    refuse_newer(&connection, path)?;
    let finding: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if finding == "ok" { Ok(()) } else { disorder(finding) }
}

/// Refuses what is no plain file: to open a pipe of that name would wait for its other end for ever.
pub(super) fn refuse_special(path: &Path) -> Result<(), StateDbError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(StateDbError::Disorder { path: path.into(), finding: "it is no plain file".into() })
        }
        _ => Ok(()),
    }
}

fn move_aside(path: &Path, now: Timestamp) -> io::Result<PathBuf> {
    let stamp = now.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ");
    let target = with_suffix(path, &format!(".damaged-{stamp}"));
    if target.exists() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists));
    }
    for suffix in COMPANIONS {
        match fs::rename(with_suffix(path, suffix), with_suffix(&target, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, &target)?;
    Ok(target)
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests;
