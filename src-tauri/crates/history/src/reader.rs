//! The history for those who only look on: a file that somebody else may be writing.

use std::path::Path;

use crate::{
    quantity::Series,
    query::{self, Answer, Question},
    roster::{Roster, segments},
    store::{HistoryError, Store},
    verify::{self, Verified},
};

/// A history that is read and never written.
#[derive(Debug)]
pub struct Reader {
    store: Store,
}

impl Reader {
    /// Opens the history in `directory`; `None` if there is none.
    ///
    /// # Errors
    /// The file is of another version, damaged, or cannot be read.
    pub fn open(directory: &Path) -> Result<Option<Self>, HistoryError> {
        Ok(Store::read(directory)?.map(|store| Self { store }))
    }

    /// All series that there is something of.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn series(&self) -> Result<Vec<Series>, HistoryError> {
        Ok(Roster::read(&self.store.connection)?.all().map(|(_, series)| series.clone()).collect())
    }

    /// Answers from the file: what its writer still holds in memory, up to 50 s, is not in it.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn query(&self, question: &Question) -> Result<Answer, HistoryError> {
        // One state of the file for the whole answer, and no longer.
        let state = self.store.connection.unchecked_transaction()?;
        query::answer(&state, &Roster::read(&state)?, &segments(&state)?, &[], question)
    }

    /// Reads everything in the file and checks it.
    ///
    /// # Errors
    /// The file cannot be read at all.
    pub fn verify(&self) -> Result<Verified, HistoryError> {
        verify::verify(&self.store.connection)
    }
}
