//! What is known between two calls of the driver: which cards are to be read, who has answered, and what the next line says.
//!
//! It makes no call, keeps no time and knows no thread, so all of it is decided under one short lock.

use std::time::Duration;

use fanfare_rig::{
    CardEvent, Driver, NvmlCode, Roster, Trouble, Unreachable,
    wire::{Line, SweepLine},
};
use fanfare_units::Stamp;

use crate::{
    cards::{Ask, CardReader, Report},
    lane::Lane,
    message::Message,
};

/// Events kept between two lines; the rest is counted as dropped.
const EVENTS_MOST: usize = 256;

/// Cards without a UUID, or why there is no list.
type Listed = Result<Vec<Unreachable>, NvmlCode>;

/// A card to be read. Whoever has it is the only one that can call the driver for it: that at most one call is out for a card is a
/// matter of ownership, not of care.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) lane: usize,
    pub(crate) card: Box<CardReader>,
    pub(crate) ask: Ask,
}

/// The rig as the sweep that is running has it.
#[derive(Debug)]
pub(crate) struct Desk {
    interval: Duration,
    slow_every: u64,
    lanes: Vec<Lane>,
    /// The first lane that the running sweep has not come to.
    next: usize,
    sweep: u64,
    driver: Option<Driver>,
    roster: Roster,
    /// The outcome of the last read of the list, until the cards it brought have been asked.
    listed: Option<Listed>,
    roster_begun: Option<Stamp>,
    unreachable: Vec<Unreachable>,
    events: Vec<CardEvent>,
    events_dropped: u64,
    trouble: Option<Trouble>,
}

impl Desk {
    /// A rig of which nothing is known yet.
    pub(crate) const fn new(interval: Duration, slow_every: u64) -> Self {
        Self {
            interval,
            slow_every,
            lanes: Vec::new(),
            next: 0,
            sweep: 0,
            driver: None,
            roster: Roster::Starting,
            listed: None,
            roster_begun: None,
            unreachable: Vec::new(),
            events: Vec::new(),
            events_dropped: 0,
            trouble: None,
        }
    }

    /// Takes in what another thread has to say.
    pub(crate) fn take(&mut self, message: Message) {
        match message {
            Message::RosterBegun(at) => self.roster_begun = Some(at),
            Message::Driver(driver) => self.driver = Some(driver),
            Message::Card(card) => self.lanes.push(Lane::of(card)),
            Message::RosterRead { unreachable } => self.listed = Some(Ok(unreachable)),
            Message::RosterFailed(code) => self.listed = Some(Err(code)),
            Message::Event(event) if self.events.len() < EVENTS_MOST => self.events.push(event),
            Message::Event(_) => self.events_dropped += 1,
            Message::Trouble(trouble) => self.trouble = Some(trouble),
        }
    }

    /// Whether there is anything to begin with.
    pub(crate) const fn has_begun(&self) -> bool {
        self.listed.is_some() || self.trouble.is_some()
    }

    /// Begins a sweep: wants every card read that nobody is reading still.
    pub(crate) fn begin(&mut self, at: Stamp) {
        self.sweep += 1;
        self.next = 0;
        self.take_list_in();
        for (number, lane) in (0..).zip(&mut self.lanes) {
            // Each card in a sweep of its own.
            let slow_is_due = (self.sweep + number).is_multiple_of(self.slow_every);
            lane.ask(self.sweep, at, slow_is_due);
        }
    }

    /// The next card that is to be read.
    pub(crate) fn next_job(&mut self) -> Option<Job> {
        while let Some(lane) = self.lanes.get_mut(self.next) {
            let number = self.next;
            self.next += 1;
            if let Some((card, ask)) = lane.hand_out() {
                return Some(Job { lane: number, card, ask });
            }
        }
        None
    }

    /// Takes the answer of the card in `lane` in.
    pub(crate) fn answered(&mut self, lane: usize, report: Report) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.answered(report, self.sweep);
        }
    }

    /// Whether there is nothing to wait for: every card has answered, or none can.
    pub(crate) fn is_settled(&self) -> bool {
        self.trouble.is_some() || !self.lanes.iter().any(Lane::is_out)
    }

    /// The line of the sweep that began at `at`.
    pub(crate) fn line(&mut self, at: Stamp) -> Line {
        if let Some(trouble) = self.trouble.take() {
            return Line::Trouble(trouble);
        }
        Line::Sweep(Box::new(SweepLine {
            sweep: self.sweep,
            at,
            driver: self.driver.take(),
            roster: self.roster(&at),
            cards: self.lanes.iter_mut().filter_map(Lane::line).collect(),
            unreachable: self.unreachable.clone(),
            events: std::mem::take(&mut self.events),
            events_dropped: std::mem::take(&mut self.events_dropped),
        }))
    }

    /// A list that takes longer than an interval is stuck until it comes.
    fn roster(&self, now: &Stamp) -> Roster {
        match self.roster_begun {
            Some(since) if now.since(&since) >= Some(self.interval) => Roster::Stuck { since },
            _ => self.roster,
        }
    }

    /// A list counts from the next sweep on, which asks every card in it: a line that says that the list was read lacks none.
    fn take_list_in(&mut self) {
        match self.listed.take() {
            None => return,
            Some(Ok(unreachable)) => {
                self.roster = Roster::Read;
                self.unreachable = unreachable;
            }
            Some(Err(code)) => self.roster = Roster::Failed { code },
        }
        self.roster_begun = None;
    }
}
