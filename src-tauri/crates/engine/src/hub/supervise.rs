//! What to do about the probe: a pure machine of what was heard, and when.
//!
//! - Three intervals without a sweep are a silence. A probe that is silent for 30 s is ended.
//! - If no card answers and one is stuck, or the driver does not start, for 30 s, the probe is ended. No second one starts before
//!   the system has taken the first back, which may be never: then the state stays `Stuck` and says so.
//! - A probe that failed is followed by another after 1, 2, 4, 8, 16, 30, 30 ... s; after a minute of sweeps the count begins anew.
//! - While the driver cannot be read, it is tried again every 30 s.
//!
//! A bad state outlasts the probe it was found by: it is over when a sweep shows that the driver reads, not when another try
//! begins. Spans are measured on a clock that stands still while the machine sleeps, so that waking up is no silence.

use std::time::{Duration, Instant};

use fanfare_rig::{Roster, Snapshot, Trouble};
use fanfare_units::Stamp;

use crate::{
    probe::ProbeError,
    rig_state::{ProbeFailure, ProbeState, STALE_AFTER},
    standstill::standstill,
};

/// How long the hub puts up with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A standstill of the driver, or a silence of the probe, before the probe is ended.
    pub hang: Duration,
    /// The pause after the first failure of a probe; each further one doubles it.
    pub pause: Duration,
    /// The longest pause.
    pub pause_most: Duration,
    /// Sweeps for this long make earlier failures forgotten.
    pub proven: Duration,
    /// The pause before a driver that could not be read is tried again.
    pub trouble: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hang: Duration::from_secs(30),
            pause: Duration::from_secs(1),
            pause_most: Duration::from_secs(30),
            proven: Duration::from_secs(60),
            trouble: Duration::from_secs(30),
        }
    }
}

/// A moment, for spans and for showing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) steady: Instant,
    pub(super) stamp: Stamp,
}

/// What the machine wants done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Start a probe: there is none.
    Start,
    /// End the one that runs.
    End,
}

/// What a sweep says of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The driver is being started.
    Waiting,
    /// Nothing in it moves, since then.
    Still(Stamp),
    /// It reads.
    Reads,
}

impl Sign {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        match (standstill(snapshot), snapshot.roster) {
            (Some(since), _) => Self::Still(since),
            (None, Roster::Starting) if snapshot.cards.is_empty() => Self::Waiting,
            (None, _) => Self::Reads,
        }
    }
}

/// Why a probe says no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The driver cannot be read.
    Trouble(Trouble),
    /// The probe failed.
    Failed(ProbeFailure, String),
}

impl From<&ProbeError> for End {
    fn from(error: &ProbeError) -> Self {
        let failure = match error {
            ProbeError::Trouble(trouble) => return Self::Trouble(trouble.clone()),
            ProbeError::Absent(_) => ProbeFailure::Absent,
            ProbeError::Start(_) => ProbeFailure::Start,
            ProbeError::Version { .. } => ProbeFailure::Version,
            ProbeError::Babble(_) | ProbeError::Output(_) | ProbeError::Ended { .. } => ProbeFailure::Crashed,
        };
        Self::Failed(failure, error.to_string())
    }
}

/// Where the machine is.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// There is no probe until then.
    Resting { until: Instant },
    /// One runs.
    Running(Run),
    /// One is being ended, or has ended, and is not reaped; the pause after it.
    Ending { pause: Duration },
}

/// What is known of the running probe.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Its last sweep, or its start.
    heard: Moment,
    /// Since when the driver has read.
    reading: Option<Instant>,
    /// Since when it has been seen to stand still, and since when it has by its own word.
    still: Option<(Instant, Stamp)>,
}

/// Watches over one probe at a time.
#[derive(Debug)]
pub(super) struct Supervisor {
    limits: Limits,
    silence: Duration,
    phase: Phase,
    state: ProbeState,
    /// Failures in a row.
    failures: u32,
}

impl Supervisor {
    /// One that wants a probe at once.
    pub(super) fn new(limits: Limits, interval: Duration, now: Instant) -> Self {
        Self {
            limits,
            silence: interval * STALE_AFTER,
            phase: Phase::Resting { until: now },
            state: ProbeState::Starting,
            failures: 0,
        }
    }

    /// How the reading goes.
    pub(super) const fn state(&self) -> &ProbeState {
        &self.state
    }

    /// When the machine must be asked again, if nothing is heard before; `None` while it waits for the end of a probe.
    pub(super) fn wake(&self) -> Option<Instant> {
        match self.phase {
            Phase::Resting { until } => Some(until),
            Phase::Ending { .. } => None,
            Phase::Running(run) => {
                let patience = if self.would_be_silent() { self.silence } else { self.limits.hang };
                let unheard = run.heard.steady + patience;
                let still = run.still.map(|(seen, _)| seen + self.limits.hang);
                Some(still.map_or(unheard, |still| still.min(unheard)))
            }
        }
    }

    /// What to do as time passes.
    pub(super) fn tick(&mut self, now: Moment) -> Option<Order> {
        match self.phase {
            Phase::Resting { until } if now.steady >= until => {
                self.phase = Phase::Running(Run { heard: now, reading: None, still: None });
                Some(Order::Start)
            }
            Phase::Resting { .. } | Phase::Ending { .. } => None,
            Phase::Running(run) => self.judge(run, now.steady),
        }
    }

    /// A sweep came.
    pub(super) fn swept(&mut self, sign: Sign, now: Moment) {
        let Phase::Running(mut run) = self.phase else { return };
        run.heard = now;
        run.still = match (sign, run.still) {
            (Sign::Still(since), Some((seen, _))) => Some((seen, since)),
            (Sign::Still(since), None) => Some((now.steady, since)),
            (Sign::Waiting | Sign::Reads, _) => None,
        };
        if sign == Sign::Reads {
            let since = *run.reading.get_or_insert(now.steady);
            if now.steady - since >= self.limits.proven {
                self.failures = 0;
            }
        } else {
            run.reading = None;
        }
        let bad = matches!(
            self.state,
            ProbeState::Trouble { .. } | ProbeState::Failed { .. } | ProbeState::Stuck { .. }
        );
        if sign == Sign::Reads || !bad {
            self.state = ProbeState::Reading;
        }
        self.phase = Phase::Running(run);
    }

    /// The probe says no more.
    pub(super) fn ended(&mut self, end: End) {
        let Phase::Running(_) = self.phase else { return };
        let (state, pause) = match end {
            End::Trouble(trouble) => (ProbeState::Trouble { trouble }, self.limits.trouble),
            End::Failed(failure, detail) => (ProbeState::Failed { failure, detail }, self.next_pause()),
        };
        (self.state, self.phase) = (state, Phase::Ending { pause });
    }

    /// The system has taken the probe back.
    pub(super) fn gone(&mut self, now: Instant) {
        if let Phase::Ending { pause } = self.phase {
            self.phase = Phase::Resting { until: now + pause };
        }
    }

    /// What a running probe comes to at `now`.
    fn judge(&mut self, run: Run, now: Instant) -> Option<Order> {
        let unheard = now.saturating_duration_since(run.heard.steady);
        if unheard >= self.silence && self.would_be_silent() {
            self.state = ProbeState::Silent { since: run.heard.stamp };
        }
        let still = run.still.filter(|(seen, _)| now.saturating_duration_since(*seen) >= self.limits.hang);
        if let Some((_, since)) = still
            && !matches!(self.state, ProbeState::Stuck { .. })
        {
            // Of several probes that hang one after another the first one's moment counts: nothing has moved since.
            self.state = ProbeState::Stuck { since };
        }
        if still.is_none() && unheard < self.limits.hang {
            return None;
        }
        self.phase = Phase::Ending { pause: self.next_pause() };
        Some(Order::End)
    }

    /// Whether a silence would be news: a bad state is not bettered by a probe that says nothing of it.
    const fn would_be_silent(&self) -> bool {
        matches!(self.state, ProbeState::Starting | ProbeState::Reading)
    }

    /// The pause after one more failure.
    fn next_pause(&mut self) -> Duration {
        let doubled = self.limits.pause.saturating_mul(1_u32.checked_shl(self.failures).unwrap_or(u32::MAX));
        // Beyond 2^31 s nothing is added, and the count stays in its bounds.
        self.failures = (self.failures + 1).min(31);
        doubled.min(self.limits.pause_most)
    }
}

#[cfg(test)]
mod tests;
