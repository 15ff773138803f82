//! The history for those who only look on: a file that somebody else may be writing.

use std::{ops::ControlFlow, path::Path};

use jiff::Timestamp;

use crate::{
    levels::Packed,
    mark::{self, Marks, Wanted},
    progress::Progress,
    quantity::Series,
    query::{self, Answer, PastCell, Question, cells_between},
    roster::{Roster, segments},
    store::{HistoryError, Store},
    usage::{self, Usage},
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

    /// Shows each sweep in the file from one moment of the wall on and before another, as [`Reader::walk`] does.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn walk_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        series: &[Series],
        each: impl FnMut(&Past<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        let connection = &self.store.connection;
        let (roster, segments) = (Roster::read(connection)?, segments(connection)?);
        let walk = Walk::new(connection, &roster, &segments, &[], series);
        walk.between(from.as_microsecond(), to.as_microsecond(), each)
    }

    /// Shows each minute in the file from one moment of the wall on and before another that any of the series has something of, in the
    /// order of time, until it is told to stop. Where minutes are gone nothing stands in for them.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn minutes_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        series: &[Series],
        mut each: impl FnMut(&PastCell<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        let range = (from.as_microsecond(), to.as_microsecond());
        cells_between(&self.store.connection, Packed::Minutes, series, range, &mut each)
    }

    /// The same of hours.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn hours_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        series: &[Series],
        mut each: impl FnMut(&PastCell<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        let range = (from.as_microsecond(), to.as_microsecond());
        cells_between(&self.store.connection, Packed::Hours, series, range, &mut each)
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

    /// What is on the disk.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn usage(&self) -> Result<Usage, HistoryError> {
        usage::usage(&self.store.connection)
    }

    /// Reads everything in the file and checks it.
    ///
    /// # Errors
    /// The file cannot be read at all.
    pub fn verify(&self) -> Result<Verified, HistoryError> {
        self.verify_while(|_| ControlFlow::Continue(()))
    }

    /// The same; `watch` is told how far it is, and says whether to go on.
    ///
    /// # Errors
    /// The file cannot be read at all, or it was told to stop: [`HistoryError::Interrupted`].
    pub fn verify_while(
        &self,
        mut watch: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Verified, HistoryError> {
        verify::verify(&self.store.connection, &mut watch)
    }
}
