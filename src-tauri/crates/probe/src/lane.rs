//! One card as the desk sees it, from one sweep to the next.

use fanfare_rig::{
    Answer, CardUuid, Sample,
    wire::{CardLine, Slow},
};
use fanfare_units::Stamp;

use crate::cards::{Ask, CardReader, Report};

/// One card.
#[derive(Debug)]
pub(crate) struct Lane {
    uuid: CardUuid,
    /// What it takes to read it; `None` while it is being read.
    card: Option<Box<CardReader>>,
    /// What is wanted of it, until somebody begins to read it.
    wanted: Option<Ask>,
    /// When it was asked for what the next line says of it; `None` if it was not: it was met only just now.
    asked: Option<Stamp>,
    /// Its answer to the sweep that is running.
    sample: Option<Box<Sample>>,
    /// Slow facts not yet sent.
    slow: Option<Box<Slow>>,
    /// Whether slow facts were ever read.
    slow_known: bool,
}

impl Lane {
    /// A card that was met just now.
    pub(crate) fn of(card: Box<CardReader>) -> Self {
        let uuid = card.uuid().clone();
        Self {
            uuid,
            card: Some(card),
            wanted: None,
            asked: None,
            sample: None,
            slow: None,
            slow_known: false,
        }
    }

    /// Wants it read, unless it is being read already. `slow_is_due` tells whether its slow facts are wanted again.
    pub(crate) fn ask(&mut self, sweep: u64, at: Stamp, slow_is_due: bool) {
        // What came after the line it was for is of a moment gone by.
        self.sample = None;
        if self.card.is_none() {
            return;
        }
        let unread = self.wanted.take();
        if unread.is_none() {
            // One that nobody came to in the sweep before has been waiting since then; this one has not.
            self.asked = Some(at);
        }
        let slow = slow_is_due || !self.slow_known || unread.is_some_and(|unread| unread.slow);
        self.wanted = Some(Ask { sweep, slow });
    }

    /// The card, and what is wanted of it, to whoever reads it.
    pub(crate) fn hand_out(&mut self) -> Option<(Box<CardReader>, Ask)> {
        let ask = self.wanted.take()?;
        Some((self.card.take()?, ask))
    }

    /// Whether it was asked and has not answered.
    pub(crate) const fn is_out(&self) -> bool {
        self.card.is_none() || self.wanted.is_some()
    }

    /// Takes its answer in. A late one frees the card for the next sweep; its readings are of a moment gone by and are not passed
    /// off as present ones.
    pub(crate) fn answered(&mut self, report: Report, sweep: u64) {
        self.slow_known |= report.slow.is_some();
        self.slow = report.slow.or(self.slow.take());
        self.sample = (report.sweep == sweep).then_some(report.sample);
        self.card = Some(report.card);
    }

    /// Its part of the line.
    pub(crate) fn line(&mut self) -> Option<CardLine> {
        let since = self.asked?;
        if !self.is_out() {
            self.asked = None;
        }
        let answer = self.sample.take().map_or(Answer::Silent { since }, Answer::Sample);
        Some(CardLine { uuid: self.uuid.clone(), answer, slow: self.slow.take() })
    }
}
