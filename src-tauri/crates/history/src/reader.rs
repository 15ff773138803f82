//! The history for those who only look on: a file that somebody else may be writing.

use std::{ops::ControlFlow, path::Path};

use jiff::Timestamp;

use crate::{
    mark::{self, Marks, Wanted},
    quantity::Series,
    query::{self, Answer, Question},
    roster::{Roster, segments},
    store::{HistoryError, Store},
    verify::{self, Verified},
    walk::{Past, Position, Walk},
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

    /// Shows each sweep in the file after a position, of those series that are asked for, in the order in which they were recorded,
    /// until it is told to stop. Without a position it begins with the oldest. [`Position`] says what becomes of one that is not
    /// there any more.
    ///
    /// It holds the values of one hour in memory, and reads nothing of the hours before the position. Each hour is read by itself and
    /// then shown: however long that takes, the file's writer is not held up.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn walk(
        &self,
        after: Option<Position>,
        series: &[Series],
        each: impl FnMut(&Past<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        let connection = &self.store.connection;
        let (roster, segments) = (Roster::read(connection)?, segments(connection)?);
        Walk::new(connection, &roster, &segments, &[], series).after(after, each)
    }

    /// What happened from one moment of the wall on and before another, to one subject or to all.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn marks(
        &self,
        subject: Option<&str>,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Marks, HistoryError> {
        // One state of the file for those that are told and the count of the others.
        let state = self.store.connection.unchecked_transaction()?;
        mark::find(&state, std::iter::empty(), Wanted::new(subject, from, to))
    }

    /// Reads everything in the file and checks it.
    ///
    /// # Errors
    /// The file cannot be read at all.
    pub fn verify(&self) -> Result<Verified, HistoryError> {
        verify::verify(&self.store.connection)
    }
}
