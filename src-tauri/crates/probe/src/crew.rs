//! The threads that sweep: one leads, and another takes over when it is late.
//!
//! The leader keeps time, reads the cards in turn and writes the line, all in one thread: a sweep costs one wake-up. (Eight threads,
//! a card each, cost 800 µs of CPU a sweep, measured; one reader beside one timekeeper 490 µs; this way it is 290 µs.)
//! It cannot come back from a call that hangs, so an alarm is set while it reads. If the alarm goes off, a stand-by takes the lead
//! and goes on with the cards behind the one that hangs; who led before hands in its answer whenever it comes, helps to read what
//! is left, and stands by.
//!
//! So a card that hangs delays the others by one patience, in the first sweep of its hang only. The number of threads is two more
//! than the number of cards that ever hung at once (and a card whose look-up hangs as well costs one there); all cards of a rig of eight that begin to hang together cost eight patiences,
//! which is less than the deadline, and of 64 those behind the fifteenth are read in the sweeps that follow.

use std::{
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use fanfare_rig::{
    clock::Clock,
    wire::{self, Line},
};
use fanfare_units::Stamp;

use crate::{alarm::Alarm, args::Args, desk::Desk, leave, message::Message};

/// What the threads share.
#[derive(Debug)]
pub(crate) struct Crew {
    interval: Duration,
    deadline: Duration,
    patience: Duration,
    clock: Clock,
    alarm: Alarm,
    shift: Mutex<Shift>,
    /// Something came from another thread than the leader.
    news: Condvar,
}

/// The desk, and who sits at it.
#[derive(Debug)]
struct Shift {
    desk: Desk,
    /// How often the lead has changed hands: a leader that finds another number leads no more.
    lead: u64,
    /// When the sweep was due.
    tick: Instant,
    /// When it began.
    begun: Instant,
    at: Stamp,
    /// When the leader is late, while it reads.
    late: Option<Instant>,
    /// Threads that wait for the alarm.
    standing_by: usize,
}

impl Crew {
    /// A crew that has not begun.
    ///
    /// # Errors
    /// There is no alarm to be had.
    pub(crate) fn new(args: &Args, clock: Clock) -> io::Result<Self> {
        let now = Instant::now();
        let desk = Desk::new(args.interval(), args.slow_every());
        let shift =
            Shift { desk, lead: 0, tick: now, begun: now, at: clock.stamp(), late: None, standing_by: 0 };
        Ok(Self {
            interval: args.interval(),
            deadline: args.deadline(),
            patience: args.patience(),
            clock,
            alarm: Alarm::new()?,
            shift: Mutex::new(shift),
            news: Condvar::new(),
        })
    }

    /// Starts the first leader.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(self: &Arc<Self>) -> io::Result<()> {
        self.enlist(|crew| {
            crew.await_first_list();
            crew.begin(Instant::now());
            crew.lead();
        })
    }

    /// Puts something on the desk.
    pub(crate) fn tell(&self, message: Message) {
        self.lock().desk.take(message);
        self.news.notify_one();
    }

    /// Starts a thread that does `first` and stands by ever after.
    fn enlist(self: &Arc<Self>, first: impl FnOnce(&Arc<Self>) + Send + 'static) -> io::Result<()> {
        let crew = Arc::clone(self);
        let work = move || {
            first(&crew);
            loop {
                crew.stand_by();
                crew.lead();
            }
        };
        thread::Builder::new().name("sweep".into()).spawn(work).map(drop)
    }

    /// The first sweep waits for the driver and the first cards, a deadline at most, so that the first line is not an empty one.
    fn await_first_list(&self) {
        drop(self.wait_until(Instant::now() + self.deadline, Desk::has_begun));
    }

    /// Leads, from the beginning of a sweep or from where the last leader got stuck, until somebody takes over.
    fn lead(self: &Arc<Self>) {
        let mut buffer = Vec::new();
        while self.read_cards() {
            write(&self.line(), &mut buffer);
            let tick = self.next_tick();
            thread::sleep(tick.saturating_duration_since(Instant::now()));
            self.begin(tick);
        }
    }

    fn begin(&self, tick: Instant) {
        let mut shift = self.lock();
        shift.tick = tick;
        shift.begun = Instant::now();
        shift.at = self.clock.stamp();
        let at = shift.at;
        shift.desk.begin(at);
    }

    /// Reads the cards that are left, and tells whether this thread leads still.
    fn read_cards(self: &Arc<Self>) -> bool {
        let mut shift = self.lock();
        let lead = shift.lead;
        self.have_a_stand_by(&mut shift);
        shift.late = Some(Instant::now() + self.patience);
        self.alarm.set(self.patience).unwrap_or_else(|error| leave::for_want_of("alarm", &error));
        while let Some(job) = shift.desk.next_job() {
            drop(shift);
            // This call may hang.
            let report = job.card.answer(job.ask);
            shift = self.lock();
            shift.desk.answered(job.lane, report);
            if shift.lead != lead {
                self.news.notify_one();
            }
        }
        if shift.lead != lead {
            shift.standing_by += 1;
            return false;
        }
        shift.late = None;
        self.alarm.clear().unwrap_or_else(|error| leave::for_want_of("alarm", &error));
        true
    }

    fn have_a_stand_by(self: &Arc<Self>, shift: &mut Shift) {
        if shift.standing_by == 0 {
            shift.standing_by += 1;
            self.enlist(|_| {}).unwrap_or_else(|error| leave::for_want_of("thread", &error));
        }
    }

    /// Waits until the leader is late, and takes the lead.
    fn stand_by(&self) {
        loop {
            self.alarm.wait().unwrap_or_else(|error| leave::for_want_of("alarm", &error));
            let mut shift = self.lock();
            if shift.late.is_some_and(|late| Instant::now() >= late) {
                shift.late = None;
                shift.lead += 1;
                shift.standing_by -= 1;
                return;
            }
        }
    }

    /// The sweep's line, when every card has answered or at the deadline.
    fn line(&self) -> Line {
        let end = self.lock().begun + self.deadline;
        let mut shift = self.wait_until(end, Desk::is_settled);
        let at = shift.at;
        shift.desk.line(at)
    }

    fn next_tick(&self) -> Instant {
        next_tick(self.lock().tick, Instant::now(), self.interval)
    }

    /// Waits for news until there is `enough` on the desk, or until `end`.
    fn wait_until(&self, end: Instant, enough: impl Fn(&Desk) -> bool) -> MutexGuard<'_, Shift> {
        let shift = self.lock();
        if enough(&shift.desk) {
            return shift;
        }
        let limit = end.saturating_duration_since(Instant::now());
        let waited = self.news.wait_timeout_while(shift, limit, |shift| !enough(&shift.desk));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// A poisoned lock is taken all the same: a panic ends the process (see `leave`), so nobody is left to see half a change.
    fn lock(&self) -> MutexGuard<'_, Shift> {
        self.shift.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a line, in one write, so that a reader never finds a torn one behind a whole one.
fn write(line: &Line, buffer: &mut Vec<u8>) {
    let mut to = io::stdout().lock();
    let written = wire::write(line, buffer)
        .map_err(io::Error::from)
        .and_then(|()| to.write_all(buffer))
        .and_then(|()| to.flush());
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => leave::now(leave::READER_GONE),
        Err(error) => leave::for_want_of("place to write to", &error),
    }
    if matches!(line, Line::Trouble(_)) {
        leave::now(leave::TROUBLE);
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
