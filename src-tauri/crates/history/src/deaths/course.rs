//! A rig for the tests of what a death leaves behind: six series whose values follow from the second, so that each one that is read
//! back can be told right from wrong.

use std::{path::Path, time::Duration};

use fanfare_units::{Boottime, Stamp};
use jiff::Timestamp;

use crate::{
    HistoryError, Level, Opened, Quantity, Question, Recorder, Retention, Series, Source, Sweep, Verified,
};

/// The wall when the time since boot was 0: 2026-11-30T22:30:00Z, so that an hour, and then a day, is soon over.
const BOOTED: i64 = 1_796_077_800;

/// Everything is kept, so that everything can be counted.
const RETENTION: Retention = Retention { raw_days: 10_000, minute_days: 10_000 };

/// Sweeps a second are the rig's pace.
const SOURCE: Source = Source { session: 1, every: Duration::from_secs(1) };

/// The boot that all sweeps are of.
const BOOT: &str = "0123456789abcdef0123456789abcdef";

const QUANTITIES: [Quantity; 3] = [Quantity::Power, Quantity::Temperature, Quantity::Utilisation];

fn series() -> Vec<Series> {
    let of = |card: &str| QUANTITIES.map(|quantity| Series::new(card, quantity));
    ["GPU-1", "GPU-2"].into_iter().flat_map(of).collect()
}

/// The value of a series in a second; some are missing.
fn value(series: usize, second: u64) -> Option<i64> {
    let mixed = (second * 6 + series as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    let missing = series == 3 && (second / 100).is_multiple_of(7);
    let value = [110_000 + mixed % 5_000, 60 + mixed % 3, mixed % 101][series % 3];
    (!missing).then(|| i64::try_from(value).unwrap())
}

fn sweep(second: u64) -> Sweep {
    let at = Stamp {
        wall: wall(second),
        boottime: Boottime::since_boot(Duration::from_secs(second)),
        boot: BOOT.parse().unwrap(),
    };
    let values = series().into_iter().enumerate().map(|(n, series)| (series, value(n, second))).collect();
    Sweep { at, source: SOURCE, values, marks: Vec::new() }
}

fn wall(second: u64) -> Timestamp {
    Timestamp::from_second(BOOTED + i64::try_from(second).unwrap()).unwrap()
}

/// Opens what is there; that it was not damaged is part of each test.
pub(super) fn open(folder: &Path) -> Recorder {
    let Opened { recorder, set_aside } = Recorder::open(folder, RETENTION, wall(0)).unwrap();
    assert_eq!(set_aside, None, "no death damages the file");
    recorder
}

/// The first second that is not on the disk.
pub(super) fn next_second(recorder: &Recorder) -> u64 {
    let stored = recorder.stored_until();
    stored.map_or(0, |last| u64::try_from(last.boottime_us / 1_000_000).unwrap() + 1)
}

/// Records a second; the first second that is not on the disk, if something was written.
pub(super) fn try_to_record(recorder: &mut Recorder, second: u64) -> Result<Option<u64>, HistoryError> {
    let before = recorder.counts().commits;
    recorder.record(&sweep(second))?;
    Ok((recorder.counts().commits > before).then(|| next_second(recorder)))
}

/// The same, where nothing is in its way.
pub(super) fn record(recorder: &mut Recorder, second: u64) -> Option<u64> {
    try_to_record(recorder, second).unwrap()
}

/// Checks the whole file: nothing is wrong with it, and each second before the first that is not on the disk is there once with the
/// values that it had.
pub(super) fn assert_whole(recorder: &Recorder) -> Verified {
    let verified = recorder.verify().unwrap();
    let seconds = next_second(recorder);
    assert_eq!(verified.findings, Vec::<String>::new());
    assert_eq!(verified.sweeps, seconds, "each second once");
    let expected = |n| (0..seconds).filter(|second| value(n, *second).is_some()).count();
    assert_eq!(verified.samples, (0..series().len()).map(expected).sum::<usize>() as u64);
    // What is near the end, where a death would show, one by one.
    assert_values(recorder, seconds.saturating_sub(300), seconds);
    verified
}

/// The seconds of a range have their values, read at most 1,500 at once.
pub(super) fn assert_values(recorder: &Recorder, from: u64, to: u64) {
    for first in (from..to).step_by(1_500) {
        let end = to.min(first + 1_500);
        let question = Question {
            series: series(),
            from: wall(first),
            to: wall(end),
            points: 2_000,
            level: Some(Level::Raw),
        };
        let answer = recorder.query(&question).unwrap();
        assert_eq!(answer.times_us.len() as u64, end - first);
        for (n, curve) in answer.curves.iter().enumerate() {
            for (point, second) in curve.points.iter().zip(first..end) {
                assert_eq!(
                    point.map(|fold| (fold.min, fold.count)),
                    value(n, second).map(|value| (value, 1))
                );
            }
        }
    }
}
