//! What can be asked of a recorder: the same as of a reader, with what waits in memory.

use std::{collections::BTreeMap, ops::ControlFlow};

use jiff::Timestamp;

use super::Recorder;
use crate::{
    Series,
    mark::{self, Marks, Wanted},
    progress::Progress,
    query::{self, Answer, Question},
    roster::segments,
    segment::Segment,
    store::HistoryError,
    usage::{self, Usage},
    verify::{self, Verified},
    walk::{Past, Position, Walk},
};

impl Recorder {
    /// All series that there is something of, those included that are not on the disk yet.
    pub fn series(&self) -> Vec<Series> {
        self.roster.all().map(|(_, series)| series.clone()).collect()
    }

    /// Answers from the file and from what waits in memory.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn query(&self, question: &Question) -> Result<Answer, HistoryError> {
        let held = self.tail.batches();
        query::answer(&self.store.connection, &self.roster, &self.segments()?, &held, question)
    }

    /// Shows each sweep after a position, of those series that are asked for, in the order in which they were recorded, until it is
    /// told to stop; those that wait in memory are the last. Without a position it begins with the oldest. [`Position`] says what
    /// becomes of one that is not there any more.
    ///
    /// It holds the values of one hour in memory, and reads nothing of the hours before the position.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn walk(
        &self,
        after: Option<Position>,
        series: &[Series],
        each: impl FnMut(&Past<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        let (segments, held) = (self.segments()?, self.tail.batches());
        Walk::new(&self.store.connection, &self.roster, &segments, &held, series).after(after, each)
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
        mark::find(&self.store.connection, self.tail.marks(), Wanted::new(subject, from, to))
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

    /// What is on the disk.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn usage(&self) -> Result<Usage, HistoryError> {
        usage::usage(&self.store.connection)
    }

    /// Whether somebody took its file away, or put another in its place: what it writes then is written for nobody.
    pub fn is_lost(&self) -> bool {
        self.store.place.is_lost()
    }

    fn segments(&self) -> Result<BTreeMap<u32, Segment>, HistoryError> {
        let mut segments = segments(&self.store.connection)?;
        segments.extend(self.new_segments.iter().map(|segment| (segment.id, *segment)));
        Ok(segments)
    }
}
