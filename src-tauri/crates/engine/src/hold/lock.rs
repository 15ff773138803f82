//! `engine.lock` in the data directory: an exclusive `flock`, and in the file who has it, as one JSON object.
//!
//! The lock is the kernel's: it goes with its holder, so neither a file that a dead process left nor what is written in it is an
//! obstacle. What is written there is believed only while the lock is held. No call here waits.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Read},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::HeldBy;

/// More than this is not read of the file; what this program writes is below 1 KiB even with the longest path.
const CONTENT_MOST: u64 = 16 << 10;

/// The lock, held. Dropping it gives it back.
#[derive(Debug)]
pub struct HoldLock {
    file: File,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it: this one, where it has said so already.
    #[error("the data directory is held by another process{}", .0.as_deref().map(shown).unwrap_or_default())]
    Held(Option<Box<HeldBy>>),
    /// Nothing can be written there, so there is nothing to hold.
    #[error("{path} cannot be written: {source}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// This user may not even look at it: the data are another user's, and nobody here can know whether they are held.
    #[error("{path} cannot be opened: {source}")]
    Closed {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It failed otherwise.
    #[error("{path} cannot be locked: {source}")]
    Failed {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

fn shown(held: &HeldBy) -> String {
    format!(" ({}, version {})", held.holder.pid, held.holder.version)
}

/// Whether a data directory is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holding {
    /// Nobody holds it.
    Free,
    /// A process holds it: this one, where it has said so already.
    Held(Option<Box<HeldBy>>),
}

impl HoldLock {
    /// The file's name in a data directory.
    pub const FILE: &'static str = "engine.lock";

    /// Takes the lock of `directory`, and empties the file of what the last holder wrote.
    ///
    /// # Errors
    /// Another process has it, or the file cannot be opened for writing or locked, or not even be looked at.
    pub fn take(directory: &Path) -> Result<Self, LockError> {
        let path = directory.join(Self::FILE);
        let opened =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(source) if is_refusal(&source) => return Err(refused(directory, path, source)),
            Err(source) => return Err(LockError::Failed { path, source }),
        };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(LockError::Held(content(&file))),
            Err(error) => return Err(LockError::Failed { path, source: error.into() }),
        }
        file.set_len(0).map_err(|source| LockError::Failed { path, source })?;
        Ok(Self { file })
    }

    /// Writes into the file who holds.
    ///
    /// # Errors
    /// It cannot be written; the lock is held all the same, by nobody knows whom.
    pub fn name(&self, held: &HeldBy) -> io::Result<()> {
        let mut content = serde_json::to_vec(held)?;
        content.push(b'\n');
        self.file.write_all_at(&content, 0)
    }
}

/// Looks whether `directory` is held, without taking it.
///
/// For the moment of the look the file is locked for sharing. Whoever wants to take it just then is refused for as long, and tries
/// again.
///
/// # Errors
/// The file is another user's ([`LockError::Closed`]), or cannot be read or locked ([`LockError::Failed`]).
pub fn look(directory: &Path) -> Result<Holding, LockError> {
    let path = directory.join(HoldLock::FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(source) => {
            return match source.kind() {
                ErrorKind::NotFound => Ok(Holding::Free),
                ErrorKind::PermissionDenied => Err(LockError::Closed { path, source }),
                _ => Err(LockError::Failed { path, source }),
            };
        }
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(Holding::Free),
        Err(Errno::WOULDBLOCK) => Ok(Holding::Held(content(&file))),
        Err(error) => Err(LockError::Failed { path, source: error.into() }),
    }
}

/// Why the lock cannot be taken where the file cannot be written: it may be held all the same, or nobody here can know.
fn refused(directory: &Path, path: PathBuf, source: io::Error) -> LockError {
    match look(directory) {
        Ok(Holding::Held(by)) => LockError::Held(by),
        Err(closed @ LockError::Closed { .. }) => closed,
        Ok(Holding::Free) | Err(_) => LockError::Unwritable { path, source },
    }
}

/// Whether nothing can be written there, as opposed to a lock that cannot be had. A full disk must not take the cards off the screen.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotADirectory
            | ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
    )
}

/// What the holder wrote; `None` while it has not, or if it is not of this shape.
fn content(file: &File) -> Option<Box<HeldBy>> {
    let mut text = Vec::new();
    file.take(CONTENT_MOST).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok().map(Box::new)
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        process::{Command, Stdio},
    };

    use jiff::Timestamp;

    use super::*;
    use crate::api::{Holder, Kind};

    fn held_by(pid: u32) -> HeldBy {
        HeldBy {
            holder: Holder { pid, kind: Kind::Serve, version: "0.1.0".into() },
            since: Timestamp::UNIX_EPOCH,
            socket: Some("/run/user/1000/fanfare/engine.sock".into()),
        }
    }

    #[test]
    fn one_at_a_time_and_the_others_learn_who() {
        let data = tempfile::tempdir().unwrap();
        let lock = HoldLock::take(data.path()).unwrap();
        assert!(matches!(HoldLock::take(data.path()), Err(LockError::Held(None))), "it has not said who");
        lock.name(&held_by(7)).unwrap();
        let Err(LockError::Held(Some(by))) = HoldLock::take(data.path()) else {
            panic!("it was taken twice")
        };
        assert_eq!(*by, held_by(7));
        drop(lock);
        HoldLock::take(data.path()).unwrap();
    }

    #[test]
    fn a_look_takes_nothing_and_makes_nothing() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(look(data.path()).unwrap(), Holding::Free);
        assert!(!data.path().join(HoldLock::FILE).exists());
        let lock = HoldLock::take(data.path()).unwrap();
        lock.name(&held_by(7)).unwrap();
        assert_eq!(look(data.path()).unwrap(), Holding::Held(Some(Box::new(held_by(7)))));
        drop(lock);
        assert_eq!(look(data.path()).unwrap(), Holding::Free, "what a former holder wrote is not believed");
    }

    #[test]
    fn the_file_of_a_dead_process_is_no_obstacle() {
        let data = tempfile::tempdir().unwrap();
        // A process that takes the lock, and is killed with it: no way out that gives it back in order.
        let mut holder = Command::new("flock")
            .arg("--no-fork")
            .arg(data.path().join(HoldLock::FILE))
            .args(["sh", "-c", "echo held; exec sleep 600"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 5];
        holder.stdout.take().unwrap().read_exact(&mut said).unwrap();
        assert!(matches!(HoldLock::take(data.path()), Err(LockError::Held(None))));
        holder.kill().unwrap();
        holder.wait().unwrap();
        fs::write(data.path().join(HoldLock::FILE), serde_json::to_vec(&held_by(holder.id())).unwrap())
            .unwrap();
        let lock = HoldLock::take(data.path()).unwrap();
        assert!(
            matches!(HoldLock::take(data.path()), Err(LockError::Held(None))),
            "the dead one's name is gone"
        );
        drop(lock);
    }

    #[test]
    fn what_is_no_name_is_nobodys_and_no_obstacle() {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join(HoldLock::FILE), "{\"holder\": 5").unwrap();
        let lock = HoldLock::take(data.path()).unwrap();
        lock.file.write_all_at(b"{\"holder\": 5", 0).unwrap();
        assert_eq!(look(data.path()).unwrap(), Holding::Held(None));
    }

    #[test]
    fn where_nothing_can_be_written_there_is_nothing_to_hold() {
        let data = tempfile::tempdir().unwrap();
        // A file stands where the directory should be: no user, root included, can write in it.
        let directory = data.path().join("no-directory");
        fs::write(&directory, "").unwrap();
        assert!(matches!(HoldLock::take(&directory), Err(LockError::Unwritable { .. })));
    }
}
