//! How far a long work is, and whether it should go on: asked of whoever waits for it, between any two of its parts.

use std::ops::ControlFlow;

use crate::store::HistoryError;

/// How far a long work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Parts that are done.
    pub done: u64,
    /// Parts in all, known from the beginning; parts of about the same work.
    pub of: u64,
}

/// A work in parts, and the one who watches it.
pub(crate) struct Steps<'w> {
    progress: Progress,
    watch: &'w mut dyn FnMut(Progress) -> ControlFlow<()>,
}

impl<'w> Steps<'w> {
    pub(crate) fn new(of: u64, watch: &'w mut dyn FnMut(Progress) -> ControlFlow<()>) -> Self {
        Self { progress: Progress { done: 0, of }, watch }
    }

    /// Nothing is done yet.
    pub(crate) fn begin(&mut self) -> Result<(), HistoryError> {
        self.tell()
    }

    /// One part more is done.
    ///
    /// # Errors
    /// It should go no further.
    pub(crate) fn step(&mut self) -> Result<(), HistoryError> {
        let Progress { done, of } = self.progress;
        self.progress = Progress { done: done.saturating_add(1).min(of), of };
        self.tell()
    }

    fn tell(&mut self) -> Result<(), HistoryError> {
        match (self.watch)(self.progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(HistoryError::Interrupted),
        }
    }
}
