//! What the tests of this crate share: a recorder in a folder of its own, and sweeps of a rig whose clocks are set by hand.

use std::{path::Path, time::Duration};

use fanfare_units::{Boottime, Stamp};
use jiff::Timestamp;

use crate::{
    Answer, Level, Opened, Position, Quantity, Question, Recorder, Retention, Series, Source, Sweep,
};

/// 2026-11-30T00:00:00Z, where days and hours begin.
pub(crate) const MIDNIGHT: i64 = 1_795_996_800;

/// Clocks and pace of a rig.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rig {
    /// Which boot, as one hexadecimal digit.
    pub(crate) boot: char,
    /// The wall when the time since boot was 0, in seconds since 1970.
    pub(crate) booted: i64,
    pub(crate) session: u32,
    /// Seconds between sweeps.
    pub(crate) every: u64,
}

impl Rig {
    /// One that was booted at the beginning of a day, with a sweep each second.
    pub(crate) const fn at_midnight() -> Self {
        Self { boot: 'a', booted: MIDNIGHT, session: 1, every: 1 }
    }

    /// The stamp of a second since boot.
    pub(crate) fn stamp(&self, second: u64) -> Stamp {
        Stamp {
            wall: self.wall(second),
            boottime: Boottime::since_boot(Duration::from_secs(second)),
            boot: self.boot.to_string().repeat(32).parse().unwrap(),
        }
    }

    /// The wall at a second since boot.
    pub(crate) fn wall(&self, second: u64) -> Timestamp {
        Timestamp::from_second(self.booted + i64::try_from(second).unwrap()).unwrap()
    }

    /// A sweep of a second since boot.
    pub(crate) fn sweep(&self, second: u64, values: &[(Series, Option<i64>)]) -> Sweep {
        let source = Source { session: self.session, every: Duration::from_secs(self.every) };
        Sweep { at: self.stamp(second), source, values: values.to_vec(), marks: Vec::new() }
    }

    /// The place of the sweep of a second since boot.
    pub(crate) fn position(&self, second: i64) -> Position {
        Position { boot: self.stamp(0).boot, boottime_us: second * 1_000_000 }
    }

    /// Records one power for each second since boot in the range, at the rig's pace: the second, in mW.
    pub(crate) fn run(&self, recorder: &mut Recorder, seconds: std::ops::Range<u64>) {
        for second in seconds.step_by(usize::try_from(self.every).unwrap()) {
            let value = i64::try_from(second).unwrap();
            recorder.record(&self.sweep(second, &[(power(), Some(value))])).unwrap();
        }
    }
}

/// The one series of most tests.
pub(crate) fn power() -> Series {
    Series::new("GPU-1", Quantity::Power)
}

/// The recorder of a folder.
pub(crate) fn recorder(folder: &Path) -> Recorder {
    let Opened { recorder, set_aside } =
        Recorder::open(folder, Retention::default(), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(set_aside, None);
    recorder
}

/// A question of the power between two seconds since a rig's boot.
pub(crate) fn power_between(rig: &Rig, from: u64, to: u64, points: usize) -> Question {
    Question { series: vec![power()], from: rig.wall(from), to: rig.wall(to), points, level: None }
}

/// The same, read from a level.
pub(crate) fn from_level(level: Level, question: Question) -> Question {
    Question { level: Some(level), ..question }
}

/// The least and the greatest of the first curve, by time in seconds since a rig's boot.
pub(crate) fn extremes(rig: &Rig, answer: &Answer) -> Vec<(i64, Option<(i64, i64)>)> {
    let times = answer.times_us.iter().map(|time_us| time_us.div_euclid(1_000_000) - rig.booted);
    let points = answer.curves[0].points.iter().map(|point| point.map(|fold| (fold.min, fold.max)));
    times.zip(points).collect()
}
