//! Giving room in the file that is free back to the disk: SQLite writes the file anew, beside it first and then in its place.
//!
//! It takes as much room again for a while, and some seconds for 100 MB. Sweeps wait meanwhile.

use std::ops::ControlFlow;

use rusqlite::{Connection, ErrorCode};

use super::Recorder;
use crate::{store::HistoryError, usage::file_bytes};

/// Steps of SQLite's machine between two questions whether to go on: some thirty rows, of a few hundred bytes each.
const STEPS: i32 = 100;

/// What compacting came to; the log is in neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    /// Bytes of the file before.
    pub before: u64,
    /// Bytes of the file after.
    pub after: u64,
}

impl Recorder {
    /// Gives the room in the file that is free back to the disk. `watch` is asked every now and then whether to go on, on this thread, but
    /// not while the new file is put into the old one's place, which is its last third.
    ///
    /// # Errors
    /// The disk did not take it, somebody reads for too long, or it was told to stop ([`HistoryError::Interrupted`]): the file is as it
    /// was.
    pub fn compact(
        &mut self,
        mut watch: impl FnMut() -> ControlFlow<()> + Send + 'static,
    ) -> Result<Compacted, HistoryError> {
        let connection = &self.store.connection;
        let before = file_bytes(connection)?;
        connection.progress_handler(STEPS, Some(move || watch().is_break()))?;
        let done = write_anew(connection);
        connection.progress_handler(0, None::<fn() -> bool>)?;
        done.map_err(interrupted)?;
        Ok(Compacted { before, after: file_bytes(connection)? })
    }
}

fn write_anew(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.execute_batch("VACUUM")?;
    // The new file is in the log yet. While somebody reads, it stays there until the next time that the log is taken over.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

fn interrupted(error: rusqlite::Error) -> HistoryError {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => HistoryError::Interrupted,
        _ => error.into(),
    }
}
