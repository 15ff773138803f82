//! The coordinator: keeps time, has the cards read, and writes a line a sweep.

use std::{
    io::Write,
    process::ExitCode,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender},
    time::{Duration, Instant},
};

use fanfare_rig::{
    CardEvent, Driver, NvmlCode, Roster, Trouble, Unreachable,
    clock::Clock,
    wire::{self, Line, SweepLine},
};
use fanfare_units::Stamp;

use crate::{args::Args, lane::Lane, leave, message::Message, relay::Relay};

/// Events kept between two lines; the rest is counted as dropped.
const EVENTS_MOST: usize = 256;

/// Cards without a UUID, or why there is no list.
type Listed = Result<Vec<Unreachable>, NvmlCode>;

/// Keeps time, asks and writes.
#[derive(Debug)]
pub(crate) struct Coordinator {
    interval: Duration,
    deadline: Duration,
    patience: Duration,
    slow_every: u64,
    clock: Clock,
    inbox: Receiver<Message>,
    relay: Relay,
    lanes: Vec<Lane>,
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

impl Coordinator {
    pub(crate) fn new(args: &Args, clock: Clock, report: Sender<Message>, inbox: Receiver<Message>) -> Self {
        Self {
            interval: args.interval(),
            deadline: args.deadline(),
            patience: args.patience(),
            slow_every: args.slow_every(),
            clock,
            inbox,
            relay: Relay::new(report),
            lanes: Vec::new(),
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

    /// Sweeps until the reader is gone or the driver cannot be read.
    pub(crate) fn run(mut self, mut to: impl Write) -> ExitCode {
        // The first sweep waits for the driver and the first cards, a deadline at most, so that the first line is not an empty one.
        let met = |this: &Self| this.listed.is_some() || this.trouble.is_some();
        self.listen_until(Instant::now() + self.deadline, met);
        let mut tick = Instant::now();
        let mut buffer = Vec::new();
        loop {
            let line = self.one_sweep();
            // One write a line, so that a reader never finds a torn one behind a whole one.
            if wire::write(&line, &mut buffer).is_err()
                || to.write_all(&buffer).and_then(|()| to.flush()).is_err()
            {
                leave::now(leave::READER_GONE);
            }
            if matches!(line, Line::Trouble(_)) {
                leave::now(leave::TROUBLE);
            }
            tick = next_tick(tick, Instant::now(), self.interval);
            self.listen_until(tick, |_| false);
        }
    }

    /// Has every idle card read, waits for them until the deadline, and puts the line together.
    fn one_sweep(&mut self) -> Line {
        self.sweep += 1;
        let at = self.clock.stamp();
        let begun = Instant::now();
        self.take_list_in();
        let (sweep, slow_every) = (self.sweep, self.slow_every);
        let due = |number: u64| (sweep + number).is_multiple_of(slow_every);
        let jobs = (0..).zip(&mut self.lanes).filter_map(|(number, lane)| lane.ask(sweep, at, due(number)));
        if let Err(error) = self.relay.read(jobs) {
            leave::without_thread(&error);
        }
        self.wait_for_answers(begun + self.deadline);
        match self.trouble.take() {
            Some(trouble) => Line::Trouble(trouble),
            None => Line::Sweep(Box::new(self.line(at))),
        }
    }

    /// Waits until every card has answered, or until `end`; each patience that passes sends more readers.
    fn wait_for_answers(&mut self, end: Instant) {
        loop {
            let patience = (Instant::now() + self.patience).min(end);
            self.listen_until(patience, Self::all_answered);
            self.fetch_reports();
            if self.all_answered() || Instant::now() >= end {
                return;
            }
            if let Err(error) = self.relay.relieve() {
                leave::without_thread(&error);
            }
        }
    }

    fn all_answered(&self) -> bool {
        !self.lanes.iter().any(Lane::is_out) || self.trouble.is_some()
    }

    fn fetch_reports(&mut self) {
        for report in self.relay.reports() {
            if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.uuid() == report.card.uuid()) {
                lane.answered(report, self.sweep);
            }
        }
    }

    fn line(&mut self, at: Stamp) -> SweepLine {
        SweepLine {
            sweep: self.sweep,
            at,
            driver: self.driver.take(),
            roster: self.roster(&at),
            cards: self.lanes.iter_mut().filter_map(Lane::line).collect(),
            unreachable: self.unreachable.clone(),
            events: std::mem::take(&mut self.events),
            events_dropped: std::mem::take(&mut self.events_dropped),
        }
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

    /// Takes messages until `enough`, or until `end`.
    fn listen_until(&mut self, end: Instant, enough: impl Fn(&Self) -> bool) {
        while !enough(self) {
            let left = end.saturating_duration_since(Instant::now());
            match self.inbox.recv_timeout(left) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => return,
                // Every other thread is gone, which only trouble explains; without the pause the sweeps would spin.
                Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(left),
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::RosterBegun(at) => self.roster_begun = Some(at),
            Message::Driver(driver) => self.driver = Some(driver),
            Message::Card(card) => self.lanes.push(Lane::of(card)),
            Message::RosterRead { unreachable } => self.listed = Some(Ok(unreachable)),
            Message::RosterFailed(code) => self.listed = Some(Err(code)),
            Message::QueueRead => self.fetch_reports(),
            Message::Event(event) if self.events.len() < EVENTS_MOST => self.events.push(event),
            Message::Event(_) => self.events_dropped += 1,
            Message::Trouble(trouble) => self.trouble = Some(trouble),
        }
    }
}

/// The next beginning of a sweep: on the grid of the first, and never one that has passed, so that a machine that slept or was
/// overloaded makes up for nothing.
fn next_tick(last: Instant, now: Instant, interval: Duration) -> Instant {
    let behind = now.saturating_duration_since(last).as_nanos() / interval.as_nanos().max(1);
    let steps = u32::try_from(behind).unwrap_or(u32::MAX).saturating_add(1);
    interval.checked_mul(steps).and_then(|ahead| last.checked_add(ahead)).unwrap_or(now + interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_sweep_skips_to_the_next_beginning_on_the_grid() {
        let last = Instant::now();
        let after = |milliseconds| last + Duration::from_millis(milliseconds);
        let second = Duration::from_secs(1);
        let table = [
            (0, 1_000),
            (300, 1_000),
            (999, 1_000),
            (1_000, 2_000),
            (4_700, 5_000),
            (28_800_000, 28_801_000),
        ];
        for (now, next) in table {
            assert_eq!(next_tick(last, after(now), second), after(next), "{now} ms after the last");
        }
    }
}
