//! A damaged `state.db` at the start is set aside, so that it costs the owner settings and not the program; what is damage to it
//! beside SQLite's word: an inventory or marks that cannot be read.

use std::path::Path;

use jiff::Timestamp;

use super::{FILE, Opened, StateDb, StateDbError};

impl StateDb {
    /// Opens the file in `directory` for its holder; a damaged one is set aside as `state.db.damaged-<UTC>` and a new one begun.
    ///
    /// # Errors
    /// The file is newer than this build (it is left alone), locked for longer than 4 s, its directory cannot be written, or a
    /// damaged one cannot be moved.
    pub fn open_or_begin(directory: &Path, now: Timestamp) -> Result<Opened<Self>, StateDbError> {
        FILE.open_or_begin(directory, now, |connection| Self { connection }.readable())
    }

    /// Itself, if what it holds can be read; settings are apart, because a damaged section is reset alone.
    fn readable(self) -> Result<Self, StateDbError> {
        self.inventory()?;
        self.own_jobs()?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
