//! Any course of events against a plain list: sweeps and silences, clocks that are set, restarts with and without a last word, other
//! boots, sweeps out of order. What is on the disk in the end is the list, at each level.

use std::{collections::BTreeMap, path::Path};

use proptest::prelude::*;

use crate::{
    Answer, Fold, Level, Question, Recorder, Retention, Taken,
    fixtures::{MIDNIGHT, Rig, power},
    quantity::Folding,
};

/// The hours of the wall that are looked at, from ten days before the first sweep on.
const HOURS: i64 = 40 * 24;
const FIRST: i64 = MIDNIGHT - 10 * 86_400;

#[derive(Debug, Clone)]
enum Event {
    /// So many sweeps, so many seconds apart.
    Sweeps { count: u64, every: u64 },
    /// Nothing for so long: the driver hangs, or the machine sleeps.
    Silence { seconds: u64, ticked: bool },
    /// The wall is set on or back.
    ClockSet { seconds: i64 },
    /// A sweep that is not later than the last.
    OutOfOrder,
    /// The program ends and begins again; without a flush what waits is lost.
    Restart { flushed: bool },
    /// The driver is loaded anew.
    DriverLoaded,
    /// The machine is started anew, and the program with it.
    Reboot,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (1_u64..200, 1_u64..120).prop_map(|(count, every)| Event::Sweeps { count, every }),
        2 => (1_u64..20_000, any::<bool>()).prop_map(|(seconds, ticked)| Event::Silence { seconds, ticked }),
        2 => (-100_000_i64..100_000).prop_map(|seconds| Event::ClockSet { seconds }),
        1 => Just(Event::OutOfOrder),
        2 => any::<bool>().prop_map(|flushed| Event::Restart { flushed }),
        1 => Just(Event::DriverLoaded),
        1 => Just(Event::Reboot),
    ]
}

/// A sample of the list: the second of the wall, and the value.
type Sample = (i64, i64);

struct Course<'a> {
    folder: &'a Path,
    recorder: Recorder,
    rig: Rig,
    /// Seconds since boot of the next sweep.
    now: u64,
    value: i64,
    /// On the disk.
    stored: Vec<Sample>,
    /// In memory.
    held: Vec<Sample>,
}

impl<'a> Course<'a> {
    fn begun(folder: &'a Path) -> Self {
        let (rig, recorder) = (Rig::at_midnight(), opened(folder));
        Self { folder, recorder, rig, now: 1, value: 0, stored: Vec::new(), held: Vec::new() }
    }

    fn sweep(&mut self) {
        self.value += 1;
        let taken = self.recorder.record(&self.rig.sweep(self.now, &[(power(), Some(self.value))])).unwrap();
        self.held.push((self.rig.wall(self.now).as_second(), self.value));
        if taken == Taken::Stored {
            self.stored.append(&mut self.held);
        }
    }

    fn reopen(&mut self, flushed: bool) {
        if flushed {
            self.recorder.flush().unwrap();
            self.stored.append(&mut self.held);
        }
        self.held.clear();
        self.recorder = opened(self.folder);
    }

    fn happens(&mut self, event: &Event) {
        match *event {
            Event::Sweeps { count, every } => {
                self.rig.every = every;
                for _ in 0..count {
                    self.now += every;
                    self.sweep();
                }
            }
            Event::Silence { seconds, ticked } => {
                self.now += seconds;
                if ticked {
                    self.recorder.tick(&self.rig.stamp(self.now)).unwrap();
                    if self.recorder.held() == 0 {
                        self.stored.append(&mut self.held);
                    }
                }
            }
            Event::ClockSet { seconds } => self.rig.booted += seconds,
            Event::OutOfOrder => {
                if !self.held.is_empty() {
                    let late = self.rig.sweep(self.now.saturating_sub(30_000), &[(power(), Some(-5))]);
                    assert_eq!(self.recorder.record(&late).unwrap(), Taken::Late);
                }
            }
            Event::Restart { flushed } => self.reopen(flushed),
            Event::DriverLoaded => self.rig.session += 1,
            Event::Reboot => {
                self.reopen(false);
                let next = char::from_digit((self.rig.boot.to_digit(16).unwrap() + 1) % 16, 16).unwrap();
                let booted = self.rig.wall(self.now).as_second() + 30;
                (self.rig, self.now) = (Rig { boot: next, booted, ..self.rig }, 1);
            }
        }
    }

    /// What the list comes to in each hour.
    fn expected(&self) -> ByHour {
        let samples = self.stored.iter().chain(&self.held);
        by_hour(samples.map(|(second, value)| (*second, Fold::of(*value, Folding::Extremes))))
    }
}

type ByHour = BTreeMap<i64, Fold>;

/// What values of certain seconds come to in the hours since the first that is looked at.
fn by_hour(values: impl Iterator<Item = (i64, Fold)>) -> ByHour {
    let mut hours = ByHour::new();
    for (second, fold) in values {
        let hour = hours.entry((second - FIRST).div_euclid(3_600));
        hour.and_modify(|hour| *hour = hour.with(fold, Folding::Extremes)).or_insert(fold);
    }
    hours
}

fn answered(answer: &Answer) -> ByHour {
    let seconds = answer.times_us.iter().map(|time_us| time_us.div_euclid(1_000_000));
    by_hour(seconds.zip(&answer.curves[0].points).filter_map(|(second, point)| Some((second, (*point)?))))
}

fn opened(folder: &Path) -> Recorder {
    let retention = Retention { raw_days: 10_000, minute_days: 10_000 };
    let opened = Recorder::open(folder, retention, jiff::Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(opened.set_aside, None);
    opened.recorder.flush_lazily();
    opened.recorder
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_each_level_says_what_was_recorded(events in prop::collection::vec(event(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let mut course = Course::begun(folder.path());
        for event in &events {
            course.happens(event);
        }
        let expected = course.expected();
        let at = |hour| jiff::Timestamp::from_second(FIRST + hour * 3_600).unwrap();
        for level in Level::ALL {
            let question = Question {
                series: vec![power()],
                from: at(0),
                to: at(HOURS),
                points: usize::try_from(HOURS).unwrap(),
                level: Some(level),
            };
            prop_assert_eq!(answered(&course.recorder.query(&question).unwrap()), expected.clone(), "{:?}", level);
        }
        course.recorder.flush().unwrap();
        let verified = course.recorder.verify().unwrap();
        prop_assert_eq!(verified.findings, Vec::<String>::new());
        prop_assert_eq!(verified.samples, (course.stored.len() + course.held.len()) as u64);
    }
}
