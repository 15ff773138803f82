//! A file that stands while an accelerated start has not yet proved itself.
//!
//! A window that dies of its graphics driver cannot say so. So a marker is written before each accelerated start and taken away
//! once the window has lived; one that is found at a start tells that the last one died, and the safe path is taken until the
//! driver or the web view is another. A process that was killed within its first seconds looks the same: the cost is a window
//! drawn on the CPU, which this one is made for.
//!
//! Whoever wrote it holds a lock on it for as long, which the kernel takes back when that process goes: a marker that is locked is
//! one of a window that is just starting, and tells of no death.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// What a start depends on; a marker of other versions says nothing about this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Versions {
    /// The web view's, as it writes it.
    pub(crate) webkit: String,
    /// The graphics driver's own line; empty without NVIDIA's.
    pub(crate) driver: String,
}

impl Versions {
    fn as_text(&self) -> String {
        format!("webkit {}\ndriver {}\n", self.webkit, self.driver.lines().next().unwrap_or_default())
    }
}

/// Where the marker of a profile lies.
#[derive(Debug, Clone)]
pub(crate) struct Marker {
    path: PathBuf,
}

/// A marker that stands, until it is taken away or its process goes.
#[derive(Debug)]
pub(crate) struct Standing {
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

impl Marker {
    /// The marker of the profile whose data lie in `directory`.
    pub(crate) fn of(directory: &Path) -> Self {
        Self { path: directory.join("window-start") }
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the last accelerated start with these versions died. A marker that cannot be read is none.
    pub(crate) fn tells_of_a_death(&self, versions: &Versions) -> bool {
        let Ok(mut file) = File::open(&self.path) else { return false };
        if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return false;
        }
        let mut text = String::new();
        file.read_to_string(&mut text).is_ok() && text == versions.as_text()
    }

    /// Says that an accelerated start begins.
    ///
    /// # Errors
    /// It cannot be written, or another start is under way; this one goes on without it.
    pub(crate) fn stand(&self, versions: &Versions) -> io::Result<Standing> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
        file.try_lock()?;
        file.set_len(0)?;
        file.write_all(versions.as_text().as_bytes())?;
        Ok(Standing { path: self.path.clone(), _file: file })
    }
}

impl Standing {
    /// Says that the window lives. That there is no marker is what is wanted.
    pub(crate) fn clear(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(webkit: &str) -> Versions {
        Versions { webkit: webkit.into(), driver: "NVRM version: 595.71.05\nGCC version: 12".into() }
    }

    #[test]
    fn a_marker_that_stands_tells_of_a_death_until_something_is_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let marker = Marker::of(folder.path());
        assert!(!marker.tells_of_a_death(&versions("2.50.6")), "before any start");
        // Its process goes without taking it away.
        drop(marker.stand(&versions("2.50.6")).unwrap());
        assert!(marker.tells_of_a_death(&versions("2.50.6")));
        assert!(!marker.tells_of_a_death(&versions("2.52.0")), "the web view was updated");
        let driver = Versions { driver: "NVRM version: 600.1".into(), ..versions("2.50.6") };
        assert!(!marker.tells_of_a_death(&driver), "the driver was updated");
        marker.stand(&versions("2.50.6")).unwrap().clear();
        assert!(!marker.tells_of_a_death(&versions("2.50.6")), "the window lived");
        assert!(!marker.path().exists());
    }

    #[test]
    fn the_marker_of_a_window_that_is_just_starting_tells_of_no_death() {
        let folder = tempfile::tempdir().unwrap();
        let marker = Marker::of(folder.path());
        let starting = marker.stand(&versions("2.50.6")).unwrap();
        assert!(!marker.tells_of_a_death(&versions("2.50.6")));
        assert!(marker.stand(&versions("2.50.6")).is_err(), "a second one has no marker of its own");
        drop(starting);
        assert!(marker.tells_of_a_death(&versions("2.50.6")));
    }

    #[test]
    fn a_directory_that_is_not_there_costs_only_the_marker() {
        let marker = Marker::of(Path::new("/proc/no such directory"));
        assert!(marker.stand(&versions("2.50.6")).is_err());
        assert!(!marker.tells_of_a_death(&versions("2.50.6")));
    }
}
