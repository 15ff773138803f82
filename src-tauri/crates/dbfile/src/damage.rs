//! A damaged file at the start: it is set aside under another name, never deleted, and a new one begun, so that one bad sector costs
//! what lay in it and not the program.
//!
//! Only the holder of the data directory may do this: it renames a file that no other process may have open for writing. What is
//! found is told by the caller; the file, with its log beside it, stays for whoever wants to rescue it. At most one is made at a
//! start. The examination reads the whole file once: a few milliseconds for 100 kB, a tenth of a second for 110 MB.

use std::{fs, io, path::Path, path::PathBuf};

use jiff::{Timestamp, tz::TimeZone};
use rusqlite::{Connection, OpenFlags};

use crate::{DbError, DbFile, Fault, with_suffix};

/// SQLite's files beside a database, moved before it: a log without its database is harmless, a new database with an old log not.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A file that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// What it is called now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub why: String,
}

/// A file as its holder has it at the start.
#[derive(Debug)]
pub struct Opened<T> {
    /// What was made of it.
    pub db: T,
    /// The one in whose place it was begun, where that was damaged.
    pub set_aside: Option<SetAside>,
}

impl DbFile {
    /// Opens it in `directory` for its holder, who makes of it by `read` what is wanted. One that is damaged, by SQLite's word or by
    /// that of `read`, is set aside as `<name>.damaged-<UTC of now>` and a new one begun.
    ///
    /// # Errors
    /// The file is newer than this build (it is left alone), locked for too long, its directory cannot be written, or a damaged one
    /// cannot be moved.
    pub fn open_or_begin<T, E: Fault + From<DbError>>(
        &self,
        directory: &Path,
        now: Timestamp,
        read: impl Fn(Connection) -> Result<T, E>,
    ) -> Result<Opened<T>, E> {
        let path = self.path(directory);
        let open = || read(self.open(directory)?);
        let examined = self.examine(&path).map_err(E::from);
        match examined.and_then(|()| open()) {
            Ok(db) => Ok(Opened { db, set_aside: None }),
            Err(error) if error.is_damage() => {
                let moved = move_aside(&path, now);
                let moved = moved.map_err(|source| DbError::SetAside { path: path.clone(), source })?;
                let set_aside = Some(SetAside { path: moved, why: error.to_string() });
                Ok(Opened { db: open()?, set_aside })
            }
            Err(error) => Err(error),
        }
    }

    /// Looks for damage without writing: a connection that may write would, on its close, mix its log into a broken file.
    fn examine(&self, path: &Path) -> Result<(), DbError> {
        let disorder = |finding: String| Err(DbError::Disorder { path: path.into(), finding });
        refuse_special(path)?;
        match fs::metadata(path) {
            Ok(metadata) if metadata.len() == 0 => return disorder("it is empty".into()),
            Ok(_) => {}
            // None is there, or it cannot be reached: opening it will tell.
            Err(_) => return Ok(()),
        }
        let connection = self.read_at(path, path, OpenFlags::empty())?;
        let finding: Result<String, _> = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        let finding = finding.map_err(|source| self.failed(source))?;
        if finding == "ok" { Ok(()) } else { disorder(finding) }
    }
}

/// Refuses what is no plain file: to open a pipe of that name would wait for its other end for ever.
pub(crate) fn refuse_special(path: &Path) -> Result<(), DbError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(DbError::Disorder { path: path.into(), finding: "it is no plain file".into() })
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
