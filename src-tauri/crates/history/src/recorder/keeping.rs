//! What is kept for how long, and the room that it leaves.

use std::{fs, ops::ControlFlow};

use jiff::Timestamp;
use tempfile::tempdir;

use super::{Compacted, Recorder, Retention, tests::rows};
use crate::{
    HistoryError, Quantity, Series,
    fixtures::{MIDNIGHT, Rig, power, recorder},
};

const RIG: Rig = Rig::at_midnight();
const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

#[test]
fn what_is_too_old_goes_and_its_hours_stay() {
    let folder = tempdir().unwrap();
    let retention = Retention { raw_days: 1, minute_days: 2 };
    let mut recorder = Recorder::open(folder.path(), retention, Timestamp::UNIX_EPOCH).unwrap().recorder;
    let slow = Rig { every: 600, ..RIG };
    slow.run(&mut recorder, 0..5 * DAY + 600);
    // The hour is 120: sheets from hour 96 on, minutes from day 3 on, hours all.
    assert_eq!(["sheet", "chunk"].map(|table| rows(&recorder, table)), [24, 24]);
    let spans: Vec<i64> = {
        let mut statement =
            recorder.store.connection.prepare("SELECT span FROM pack WHERE level = 1 ORDER BY span").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let first_day = MIDNIGHT / 86_400;
    assert_eq!(spans, [first_day + 3, first_day + 4]);
    let verified = recorder.verify().unwrap();
    assert_eq!((verified.findings, verified.hours), (vec![], 120));
}

#[test]
fn a_clock_that_is_wrong_by_years_for_an_hour_does_not_clear_the_history() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let slow = Rig { every: 600, ..RIG };
    slow.run(&mut recorder, 0..3 * DAY);
    let before = rows(&recorder, "sheet");
    let wrong = Rig { booted: MIDNIGHT + 10 * 365 * 86_400, ..slow };
    wrong.run(&mut recorder, 3 * DAY..3 * DAY + HOUR);
    slow.run(&mut recorder, 3 * DAY + HOUR..3 * DAY + 2 * HOUR);
    let after = rows(&recorder, "sheet");
    assert!(after >= before - 12, "{before} sheets, then {after}");
    assert!(rows(&recorder, "pack") >= 4, "minutes stay as long as their samples");
    assert_eq!(recorder.verify().unwrap().findings, Vec::<String>::new());
}

#[test]
fn a_shorter_retention_takes_effect_at_once() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let slow = Rig { every: 600, ..RIG };
    slow.run(&mut recorder, 0..3 * DAY);
    recorder.keep(Retention { raw_days: 1, minute_days: 1 }).unwrap();
    // In hour 71: sheets from hour 47 to 70.
    assert_eq!(rows(&recorder, "sheet"), 24);
    assert_eq!(recorder.verify().unwrap().findings, Vec::<String>::new());
}

#[test]
fn room_that_became_free_is_given_back() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    // Powers without a pattern, which take a byte each.
    for second in 0..12 * HOUR {
        let noise = i64::try_from(second * 7_919 % 257).unwrap();
        recorder.record(&RIG.sweep(second, &[(power(), Some(noise * noise % 257))])).unwrap();
    }
    recorder.compact(|| ControlFlow::Continue(())).unwrap();
    let size = || fs::metadata(folder.path().join(crate::FILE)).unwrap().len();
    let before = size();
    recorder.keep(Retention { raw_days: 0, minute_days: 400 }).unwrap();
    let compacted = recorder.compact(|| ControlFlow::Continue(())).unwrap();
    assert_eq!(compacted, Compacted { before, after: size() });
    assert!(compacted.after < before / 2, "{compacted:?}");
    RIG.run(&mut recorder, 12 * HOUR..13 * HOUR);
    assert_eq!(recorder.verify().unwrap().findings, Vec::<String>::new());
}

#[test]
fn a_compaction_that_is_told_to_stop_leaves_the_file_as_it_was() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    recorder.flush_lazily();
    // Twenty cards for two days, so that some hundred rows stay when the first day's samples go.
    let slow = Rig { every: 600, ..RIG };
    let cards: Vec<Series> = (0..20).map(|n| Series::new(format!("GPU-{n}"), Quantity::Power)).collect();
    let sweep = |second: u64| {
        let noise = |card: usize| i64::try_from((second * 7_919 + card as u64 * 104_729) % 115_001).unwrap();
        let values = cards.iter().enumerate().map(|(n, card)| (card.clone(), Some(noise(n))));
        slow.sweep(second, &values.collect::<Vec<_>>())
    };
    for second in (0..2 * DAY).step_by(600) {
        recorder.record(&sweep(second)).unwrap();
    }
    recorder.keep(Retention { raw_days: 1, minute_days: 400 }).unwrap();
    let (before, usage) = (recorder.verify().unwrap(), recorder.usage().unwrap());
    let stopped = recorder.compact(|| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(stopped, HistoryError::Interrupted), "{stopped}");
    assert_eq!((recorder.verify().unwrap(), recorder.usage().unwrap()), (before, usage));
    // It records on, and a later one is not stopped.
    recorder.record(&sweep(2 * DAY)).unwrap();
    let compacted = recorder.compact(|| ControlFlow::Continue(())).unwrap();
    assert!(compacted.after < compacted.before, "{compacted:?}");
    assert_eq!(recorder.verify().unwrap().findings, Vec::<String>::new());
}
