//! The coordinator: keeps time, asks the cards, and writes a line a sweep.

use std::{
    io::Write,
    process::ExitCode,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender},
    time::{Duration, Instant},
};

use fanfare_rig::{
    Answer, CardEvent, CardUuid, Driver, NvmlCode, Roster, Sample, Trouble, Unreachable,
    clock::Clock,
    wire::{self, CardLine, Line, Slow, SweepLine},
};
use fanfare_units::Stamp;

use crate::{
    args::Args,
    cards::{Ask, Report},
    leave,
};

/// Events kept between two lines; the rest is counted as dropped.
const EVENTS_MOST: usize = 256;

/// What the other threads tell the coordinator.
#[derive(Debug)]
pub(crate) enum Message {
    /// A read of the list of cards, or the start of the driver, has begun.
    RosterBegun(Stamp),
    /// The driver is there.
    Driver(Driver),
    /// A card was met for the first time.
    Card { uuid: CardUuid, ask: SyncSender<Ask> },
    /// The list of cards was read.
    RosterRead { unreachable: Vec<Unreachable> },
    /// The list of cards could not be read.
    RosterFailed(NvmlCode),
    /// A card answered.
    Answer(Box<Report>),
    /// The driver reported something.
    Event(CardEvent),
    /// The driver cannot be read.
    Trouble(Trouble),
}

/// One card as the coordinator sees it.
#[derive(Debug)]
struct Lane {
    uuid: CardUuid,
    ask: SyncSender<Ask>,
    state: LaneState,
    /// Slow facts not yet sent.
    slow: Option<Slow>,
    /// Whether slow facts were ever read.
    slow_known: bool,
}

#[derive(Debug)]
enum LaneState {
    /// It was not asked in this sweep: it was met only just now, or its answer has been sent.
    Idle,
    /// It was asked, in this sweep or an earlier one, and has not answered.
    Out { since: Stamp },
    /// It has answered an earlier sweep, in the course of this one.
    Late { since: Stamp },
    /// It has answered this sweep.
    Answered(Box<Sample>),
}

/// Keeps time, asks and writes.
#[derive(Debug)]
pub(crate) struct Coordinator {
    interval: Duration,
    deadline: Duration,
    slow_every: u64,
    clock: Clock,
    inbox: Receiver<Message>,
    lanes: Vec<Lane>,
    sweep: u64,
    driver: Option<Driver>,
    roster: Roster,
    roster_begun: Option<Stamp>,
    unreachable: Vec<Unreachable>,
    events: Vec<CardEvent>,
    events_dropped: u64,
    trouble: Option<Trouble>,
}

impl Coordinator {
    pub(crate) fn new(args: &Args, clock: Clock, inbox: Receiver<Message>) -> Self {
        Self {
            interval: args.interval(),
            deadline: args.deadline(),
            slow_every: args.slow_every(),
            clock,
            inbox,
            lanes: Vec::new(),
            sweep: 0,
            driver: None,
            roster: Roster::Starting,
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
        let met = |this: &Self| !matches!(this.roster, Roster::Starting) || this.trouble.is_some();
        self.listen_until(Instant::now() + self.deadline, met);
        let mut tick = Instant::now();
        loop {
            let line = self.one_sweep();
            if wire::write(&line, &mut to).is_err() {
                leave::now(leave::READER_GONE);
            }
            if matches!(line, Line::Trouble(_)) {
                leave::now(leave::TROUBLE);
            }
            tick = next_tick(tick, Instant::now(), self.interval);
            self.listen_until(tick, |_| false);
        }
    }

    /// Asks every idle card, waits for them until the deadline, and puts the line together.
    fn one_sweep(&mut self) -> Line {
        self.sweep += 1;
        let at = self.clock.stamp();
        self.ask(at);
        self.listen_until(Instant::now() + self.deadline, Self::all_answered);
        match self.trouble.take() {
            Some(trouble) => Line::Trouble(trouble),
            None => Line::Sweep(Box::new(self.line(at))),
        }
    }

    fn ask(&mut self, at: Stamp) {
        let (sweep, slow_every) = (self.sweep, self.slow_every);
        for (number, lane) in (0_u64..).zip(&mut self.lanes) {
            if matches!(lane.state, LaneState::Out { .. }) {
                continue;
            }
            let ask = Ask { sweep, slow: !lane.slow_known || (sweep + number).is_multiple_of(slow_every) };
            // The queue of one is empty, as the card is idle; a dead thread would have ended the process.
            if lane.ask.try_send(ask).is_ok() {
                lane.state = LaneState::Out { since: at };
            }
        }
    }

    fn all_answered(&self) -> bool {
        let out = |lane: &Lane| matches!(lane.state, LaneState::Out { .. });
        !self.lanes.iter().any(out) || self.trouble.is_some()
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
            Message::Card { uuid, ask } => {
                self.lanes.push(Lane { uuid, ask, state: LaneState::Idle, slow: None, slow_known: false });
            }
            Message::RosterRead { unreachable } => {
                self.roster_begun = None;
                self.roster = Roster::Read;
                self.unreachable = unreachable;
            }
            Message::RosterFailed(code) => {
                self.roster_begun = None;
                self.roster = Roster::Failed { code };
            }
            Message::Answer(report) => self.answered(*report),
            Message::Event(event) if self.events.len() < EVENTS_MOST => self.events.push(event),
            Message::Event(_) => self.events_dropped += 1,
            Message::Trouble(trouble) => self.trouble = Some(trouble),
        }
    }

    /// A late answer frees its card for the next sweep; its readings are of a moment gone by and are not passed off as present.
    fn answered(&mut self, report: Report) {
        let sweep = self.sweep;
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.uuid == report.uuid) {
            lane.slow_known |= report.slow.is_some();
            lane.slow = report.slow.or(lane.slow.take());
            lane.state = match lane.state {
                LaneState::Out { since } if report.sweep != sweep => LaneState::Late { since },
                _ => LaneState::Answered(report.sample),
            };
        }
    }
}

impl Lane {
    /// Its part of the line; a card met while the sweep ran has none yet.
    fn line(&mut self) -> Option<CardLine> {
        let answer = match std::mem::replace(&mut self.state, LaneState::Idle) {
            LaneState::Idle => return None,
            LaneState::Answered(sample) => Answer::Sample(sample),
            LaneState::Late { since } => Answer::Silent { since },
            LaneState::Out { since } => {
                self.state = LaneState::Out { since };
                Answer::Silent { since }
            }
        };
        Some(CardLine { uuid: self.uuid.clone(), answer, slow: self.slow.take() })
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
