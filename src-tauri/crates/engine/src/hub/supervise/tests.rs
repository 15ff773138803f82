//! The machine played by hand: what is heard and when, against what it wants and says. Times are milliseconds.

use std::{io, path::PathBuf};

use fanfare_rig::{NvmlCode, TroubleCode};

use super::*;
use crate::fixtures::{eight, failing, silent, snapshot, stamp};

/// A supervisor at one sweep a second, with its usual limits.
struct Play {
    zero: Instant,
    machine: Supervisor,
}

impl Play {
    fn new() -> Self {
        let zero = Instant::now();
        Self { zero, machine: Supervisor::new(Limits::default(), Duration::from_secs(1), zero) }
    }

    /// One whose probe was started at 0.
    fn started() -> Self {
        let mut play = Self::new();
        assert_eq!(play.tick(0), Some(Order::Start));
        play
    }

    fn steady(&self, at: u64) -> Instant {
        self.zero + Duration::from_millis(at)
    }

    fn moment(&self, at: u64) -> Moment {
        Moment { steady: self.steady(at), stamp: stamp(at) }
    }

    fn tick(&mut self, at: u64) -> Option<Order> {
        self.machine.tick(self.moment(at))
    }

    fn sweep(&mut self, sign: Sign, at: u64) {
        self.machine.swept(sign, self.moment(at));
    }

    fn gone(&mut self, at: u64) {
        self.machine.gone(self.steady(at));
    }

    fn crash(&mut self) {
        self.machine.ended(crash());
    }

    /// When it wants to be asked again.
    fn wake(&self) -> Option<u64> {
        let wake = self.machine.wake()? - self.zero;
        Some(u64::try_from(wake.as_millis()).unwrap())
    }

    fn state(&self) -> &ProbeState {
        self.machine.state()
    }
}

fn crash() -> End {
    End::Failed(ProbeFailure::Crashed, "signal 9".into())
}

fn trouble() -> Trouble {
    Trouble { code: TroubleCode::VersionMismatch, nvml: Some(NvmlCode(18)), detail: "mismatch".into() }
}

#[test]
fn three_intervals_without_a_sweep_are_a_silence_until_the_next() {
    let mut play = Play::started();
    assert_eq!((play.state(), play.wake()), (&ProbeState::Starting, Some(3_000)));
    play.sweep(Sign::Reads, 1_000);
    assert_eq!((play.state(), play.wake()), (&ProbeState::Reading, Some(4_000)));
    assert_eq!(play.tick(3_999), None);
    assert_eq!(play.state(), &ProbeState::Reading);
    assert_eq!(play.tick(4_000), None);
    assert_eq!(play.state(), &ProbeState::Silent { since: stamp(1_000) });
    play.sweep(Sign::Reads, 4_500);
    assert_eq!(play.state(), &ProbeState::Reading);
}

#[test]
fn a_probe_that_never_speaks_is_silent_since_its_start() {
    let mut play = Play::new();
    assert_eq!(play.tick(0), Some(Order::Start));
    assert_eq!(play.tick(3_000), None);
    assert_eq!(play.state(), &ProbeState::Silent { since: stamp(0) });
}

#[test]
fn a_silence_of_thirty_seconds_ends_the_probe_and_another_comes_once_it_is_gone() {
    let mut play = Play::started();
    play.sweep(Sign::Reads, 1_000);
    play.tick(4_000);
    assert_eq!(play.wake(), Some(31_000));
    assert_eq!(play.tick(30_999), None);
    assert_eq!(play.tick(31_000), Some(Order::End));
    // It may never be gone: then nothing is wanted, ever.
    assert_eq!((play.wake(), play.tick(1_000_000)), (None, None));
    play.gone(1_000_000);
    assert_eq!(play.wake(), Some(1_001_000), "a second after the first failure");
    assert_eq!(play.tick(1_000_999), None);
    assert_eq!(play.tick(1_001_000), Some(Order::Start));
    assert_eq!(play.state(), &ProbeState::Silent { since: stamp(1_000) }, "a start is no sweep");
}

#[test]
fn pauses_double_from_one_second_to_thirty() {
    let mut play = Play::started();
    let mut now = 0;
    for pause in [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000] {
        play.crash();
        assert!(matches!(play.state(), ProbeState::Failed { failure: ProbeFailure::Crashed, .. }));
        play.gone(now);
        assert_eq!(play.wake(), Some(now + pause));
        now += pause;
        assert_eq!(play.tick(now), Some(Order::Start));
    }
}

#[test]
fn a_minute_of_sweeps_makes_failures_forgotten_and_less_does_not() {
    // After two failures the next pause is 4 s, or 1 s if they are forgotten.
    for (last_sweep, pause) in [(59_999, 4_000), (60_000, 1_000)] {
        let mut play = Play::started();
        for _ in 0..2 {
            play.crash();
            play.gone(0);
            play.tick(100_000);
        }
        let begun = 200_000;
        for at in (0..last_sweep).step_by(1_000).chain([last_sweep]) {
            play.sweep(Sign::Reads, begun + at);
        }
        play.crash();
        play.gone(300_000);
        assert_eq!(play.wake(), Some(300_000 + pause), "sweeps for {last_sweep} ms");
    }
}

#[test]
fn only_sweeps_that_read_count_for_the_minute() {
    let mut play = Play::started();
    play.crash();
    play.gone(0);
    play.tick(1_000);
    play.sweep(Sign::Reads, 2_000);
    play.sweep(Sign::Still(stamp(40_000)), 41_000);
    play.sweep(Sign::Reads, 42_000);
    play.sweep(Sign::Reads, 63_000);
    play.crash();
    play.gone(64_000);
    assert_eq!(play.wake(), Some(66_000), "the second failure in a row");
}

#[test]
fn a_driver_in_trouble_is_tried_every_thirty_seconds_and_that_is_no_failure_of_the_probe() {
    let mut play = Play::started();
    let told = ProbeState::Trouble { trouble: trouble() };
    let mut now = 0;
    for _ in 0..3 {
        play.machine.ended(End::Trouble(trouble()));
        play.gone(now);
        assert_eq!((play.state(), play.wake()), (&told, Some(now + 30_000)));
        now += 30_000;
        assert_eq!(play.tick(now), Some(Order::Start));
        // Another try, and the driver's start, are no cure.
        play.sweep(Sign::Waiting, now + 500);
        assert_eq!(play.state(), &told);
    }
    play.sweep(Sign::Reads, now + 1_000);
    assert_eq!(play.state(), &ProbeState::Reading);
    play.crash();
    play.gone(now + 2_000);
    assert_eq!(play.wake(), Some(now + 3_000), "the first failure");
}

#[test]
fn a_standstill_of_thirty_seconds_ends_the_probe_once_and_stays_until_a_sweep_reads() {
    let mut play = Play::started();
    play.sweep(Sign::Reads, 1_000);
    // The first call hung at 1.4 s; all are seen to hang from 2 s on.
    let still = Sign::Still(stamp(1_400));
    for at in (2_000..32_000).step_by(1_000) {
        play.sweep(still, at);
        assert_eq!((play.tick(at), play.state()), (None, &ProbeState::Reading), "at {at} ms");
    }
    assert_eq!(play.wake(), Some(32_000));
    assert_eq!(play.tick(32_000), Some(Order::End));
    let stuck = ProbeState::Stuck { since: stamp(1_400) };
    assert_eq!((play.state(), play.wake()), (&stuck, None));
    // What it says while it is being ended changes nothing, nor does its end.
    play.sweep(Sign::Reads, 32_100);
    play.crash();
    assert_eq!((play.tick(500_000), play.state()), (None, &stuck));
    play.gone(500_000);
    assert_eq!(play.tick(501_000), Some(Order::Start));
    play.sweep(Sign::Waiting, 501_500);
    play.sweep(Sign::Still(stamp(501_600)), 503_000);
    assert_eq!(play.state(), &stuck);
    play.sweep(Sign::Reads, 504_000);
    assert_eq!(play.state(), &ProbeState::Reading);
}

#[test]
fn what_was_wrong_is_not_forgotten_for_the_silence_of_the_next_probe_which_is_ended_all_the_same() {
    type GoWrong = fn(&mut Play);
    let wrong: [(&str, GoWrong); 3] = [
        ("trouble", |play| play.machine.ended(End::Trouble(trouble()))),
        ("a crash", Play::crash),
        ("a silence since 0 s", |play| {
            play.tick(3_000);
            assert_eq!(play.tick(30_000), Some(Order::End));
        }),
    ];
    for (case, go_wrong) in wrong {
        let mut play = Play::started();
        go_wrong(&mut play);
        let state = play.state().clone();
        play.gone(40_000);
        assert_eq!(play.tick(100_000), Some(Order::Start), "{case}");
        assert_eq!((play.tick(103_000), play.state()), (None, &state), "{case}");
        assert_eq!(play.wake(), Some(130_000), "{case}");
        assert_eq!((play.tick(130_000), play.state()), (Some(Order::End), &state), "{case}");
    }
}

#[test]
fn of_several_probes_that_hang_one_after_another_the_first_ones_moment_is_told() {
    let mut play = Play::started();
    play.sweep(Sign::Still(stamp(1_400)), 2_000);
    assert_eq!(play.tick(32_000), Some(Order::End));
    play.gone(33_000);
    assert_eq!(play.tick(34_000), Some(Order::Start));
    // The second one's calls hang from their first on.
    play.sweep(Sign::Still(stamp(34_500)), 35_000);
    assert_eq!(play.tick(65_000), Some(Order::End));
    assert_eq!(play.state(), &ProbeState::Stuck { since: stamp(1_400) });
}

#[test]
fn a_standstill_that_passes_is_forgotten() {
    let mut play = Play::started();
    for (sign, at) in
        [(Sign::Still(stamp(900)), 1_000), (Sign::Reads, 30_000), (Sign::Still(stamp(30_500)), 31_000)]
    {
        play.sweep(sign, at);
    }
    for at in (32_000..61_000).step_by(1_000) {
        play.sweep(Sign::Still(stamp(30_500)), at);
        assert_eq!(play.tick(at), None, "at {at} ms");
    }
    play.sweep(Sign::Still(stamp(30_500)), 60_999);
    assert_eq!(play.tick(61_000), Some(Order::End));
}

#[test]
fn a_sleep_of_the_machine_is_no_silence() {
    let mut play = Play::started();
    play.sweep(Sign::Reads, 1_000);
    // An hour passed for the wall and for the boot-time clock, and half a second for a clock that stands still meanwhile.
    let woken = Moment { steady: play.steady(1_500), stamp: stamp(3_600_000) };
    assert_eq!(play.machine.tick(woken), None);
    assert_eq!(play.state(), &ProbeState::Reading);
}

#[test]
fn the_end_of_a_probe_that_is_gone_already_wants_nothing() {
    let mut play = Play::new();
    play.crash();
    play.gone(0);
    assert_eq!((play.state(), play.wake()), (&ProbeState::Starting, Some(0)));
}

#[test]
fn each_end_of_a_probe_has_its_meaning() {
    let error = || io::Error::from(io::ErrorKind::PermissionDenied);
    let garbage = || fanfare_rig::wire::WireError::Garbage(serde_json::from_str::<u8>("x").unwrap_err());
    let table = [
        (ProbeError::Absent(PathBuf::from("/p")), ProbeFailure::Absent),
        (ProbeError::Start(error()), ProbeFailure::Start),
        (ProbeError::Version { theirs: 9 }, ProbeFailure::Version),
        (ProbeError::Babble(garbage()), ProbeFailure::Crashed),
        (ProbeError::Output(error()), ProbeFailure::Crashed),
        (ProbeError::Ended { status: None, words: vec!["no memory".into()] }, ProbeFailure::Crashed),
    ];
    for (error, failure) in table {
        assert_eq!(End::from(&error), End::Failed(failure, error.to_string()));
    }
    assert_eq!(End::from(&ProbeError::Trouble(trouble())), End::Trouble(trouble()));
}

#[test]
fn each_sweep_says_whether_the_driver_reads() {
    let starting = |cards| Snapshot { roster: Roster::Starting, ..snapshot(9_000, cards) };
    let table = [
        (starting(vec![]), Sign::Waiting),
        (starting(eight(9_000, |_| None)), Sign::Reads),
        (snapshot(9_000, vec![]), Sign::Reads),
        (snapshot(9_000, eight(9_000, |_| None)), Sign::Reads),
        (snapshot(9_000, eight(9_000, |_| Some(silent(8_000)))), Sign::Still(stamp(8_000))),
        (snapshot(9_000, eight(9_000, |_| Some(failing(9_000, NvmlCode::GPU_IS_LOST)))), Sign::Reads),
        (Snapshot { roster: Roster::Failed { code: NvmlCode(999) }, ..snapshot(9_000, vec![]) }, Sign::Reads),
        (
            Snapshot { roster: Roster::Stuck { since: stamp(2_000) }, ..snapshot(9_000, vec![]) },
            Sign::Still(stamp(2_000)),
        ),
    ];
    for (snapshot, sign) in table {
        assert_eq!(Sign::of(&snapshot), sign, "{snapshot:?}");
    }
}
