//! A damaged `history.db` at the start: it is set aside under another name, never deleted, and a new one begun, so that one bad
//! sector costs the owner curves and not the program.
//!
//! Only the holder of the data directory may do this: it renames a file that no other process may have open for writing. What is
//! found is told by the caller; the file, with its log beside it, stays for whoever wants to rescue it. At most one is made at a
//! start. The examination reads the whole file once: a tenth of a second for the 110 MB that a rig of eight cards comes to.

use std::{fs, io, path::Path, path::PathBuf};

use jiff::{Timestamp, tz::TimeZone};
use rusqlite::{Connection, OpenFlags};

use super::{BUSY, FILE, HistoryError, Store, refuse_newer};

/// SQLite's files beside a database, moved before it: a log without its database is harmless, a new database with an old log not.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A `history.db` that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// What it is called now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub why: String,
}

/// `history.db` as its holder has it at the start, with what was read of it.
#[derive(Debug)]
pub(crate) struct Opened<T> {
    pub(crate) store: Store,
    pub(crate) contents: T,
    /// The one in whose place it was begun, where that was damaged.
    pub(crate) set_aside: Option<SetAside>,
}

impl Store {
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
    ) -> Result<Opened<T>, HistoryError> {
        let path = directory.join(FILE);
        let open = || {
            let store = Self::open(directory)?;
            let contents = read(&store)?;
            Ok(Opened { store, contents, set_aside: None })
        };
        match examine(&path).and_then(|()| open()) {
            Err(error) if error.is_damage() => {
                let moved = move_aside(&path, now)
                    .map_err(|source| HistoryError::SetAside { path: path.clone(), source })?;
                let set_aside = Some(SetAside { path: moved, why: error.to_string() });
                Ok(Opened { set_aside, ..open()? })
            }
            opened => opened,
        }
    }
}

/// Looks for damage without writing: a connection that may write would, on its close, mix its log into a broken file.
fn examine(path: &Path) -> Result<(), HistoryError> {
    let disorder = |finding: String| Err(HistoryError::Disorder { path: path.into(), finding });
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
pub(super) fn refuse_special(path: &Path) -> Result<(), HistoryError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(HistoryError::Disorder { path: path.into(), finding: "it is no plain file".into() })
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
