//! A database file of the program's: how it is opened, brought to this build's version, read beside its holder, refused, or set
//! aside as damaged. What lies in it is the affair of the room that describes it by a [`DbFile`].
//!
//! Write-ahead log and synchronous FULL: what was committed survives a power cut. A file of a newer version is refused and left
//! alone: an older program cannot know what it would destroy. A damaged one is set aside by the holder of the data directory alone.
//!
//! Worst cases: with `busy` the time that a lock is waited for, opening takes twice that, and for the holder three times; each
//! statement after it once.

mod backup;
mod damage;
mod error;
mod open;
mod place;

pub use backup::copy_of_version;
pub use damage::{Opened, SetAside};
pub use error::{DbError, Fault};
pub use open::DbFile;
pub use place::Place;

use std::path::{Path, PathBuf};

/// A path with something added to its last name, as SQLite names what it keeps beside a file.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
