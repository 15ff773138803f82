use tempfile::tempdir;

use super::*;
use crate::{
    Level, Quantity, Question, Series,
    fixtures::{MIDNIGHT, Rig, extremes, from_level, power, power_between, recorder},
};

const RIG: Rig = Rig::at_midnight();
const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

pub(super) fn rows(recorder: &Recorder, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    recorder.store.connection.query_row(&sql, [], |row| row.get(0)).unwrap()
}

/// So many power samples are in the file, each once, and nothing is wrong with it.
pub(super) fn assert_whole(recorder: &Recorder, samples: u64) {
    let verified = recorder.verify().unwrap();
    assert_eq!(verified.findings, Vec::<String>::new());
    assert_eq!((verified.sweeps, verified.samples), (samples, samples));
}

#[test]
fn sweeps_are_written_together_when_the_first_has_waited_fifty_seconds() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    for second in 0..=102_u64 {
        let taken = recorder.record(&RIG.sweep(second, &[(power(), Some(1))])).unwrap();
        // The first 51 lie 50 s apart, and so do the next.
        assert_eq!(taken == Taken::Stored, second == 50 || second == 101, "{second}: {taken:?}");
    }
    let counts = recorder.counts();
    assert_eq!((counts.stored, counts.commits, recorder.held()), (102, 2, 1));
    assert_eq!((rows(&recorder, "tail"), rows(&recorder, "sheet")), (2, 0));
    assert_eq!(recorder.stored_until(), Some(RIG.position(101)));
}

#[test]
fn a_restart_goes_on_after_the_last_sweep_on_the_disk() {
    let folder = tempdir().unwrap();
    RIG.run(&mut recorder(folder.path()), 0..60);
    let mut recorder = recorder(folder.path());
    assert_eq!(recorder.stored_until(), Some(RIG.position(50)));
    // Those up to second 50 are there; offered again they are late.
    RIG.run(&mut recorder, 40..70);
    recorder.flush().unwrap();
    assert_eq!(recorder.counts(), Counts { stored: 19, late: 11, commits: 1, ..Counts::default() });
    assert_whole(&recorder, 70);
    assert_eq!(rows(&recorder, "segment"), 1, "one boot, one clock: one segment");
}

#[test]
fn a_sample_out_of_order_is_dropped_and_counted() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    for second in [10, 11, 11, 9, 12] {
        let expected =
            if [11, 9].contains(&second) && recorder.held() == 2 { Taken::Late } else { Taken::Held };
        assert_eq!(recorder.record(&RIG.sweep(second, &[(power(), Some(1))])).unwrap(), expected);
    }
    recorder.flush().unwrap();
    assert_eq!(recorder.counts().late, 2);
    assert_whole(&recorder, 3);
}

#[test]
fn an_hour_is_sealed_when_the_wall_has_passed_it() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..HOUR);
    assert_eq!(rows(&recorder, "sheet"), 0);
    RIG.run(&mut recorder, HOUR..HOUR + 1);
    // The last of the hour and the first of the next are written at once, and the hour is put away.
    assert_eq!(["tail", "sheet", "chunk", "fresh"].map(|table| rows(&recorder, table)), [1, 1, 1, 1]);
    assert_whole(&recorder, HOUR + 1);
    let question = power_between(&RIG, HOUR - 2, HOUR + 2, 2_000);
    assert_eq!(
        extremes(&RIG, &recorder.query(&question).unwrap()),
        [(3_598, Some((3_598, 3_598))), (3_599, Some((3_599, 3_599))), (3_600, Some((3_600, 3_600)))]
    );
}

#[test]
fn a_silent_driver_keeps_no_sweep_from_the_disk() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..5);
    recorder.tick(&RIG.stamp(49)).unwrap();
    assert_eq!(recorder.held(), 5);
    recorder.tick(&RIG.stamp(50)).unwrap();
    assert_eq!((recorder.held(), rows(&recorder, "tail")), (0, 1));
    // Nor an hour from being sealed.
    recorder.tick(&RIG.stamp(HOUR)).unwrap();
    assert_eq!((rows(&recorder, "tail"), rows(&recorder, "sheet")), (0, 1));
    assert_whole(&recorder, 5);
}

#[test]
fn a_sweep_that_comes_after_its_hour_was_sealed_is_added_to_it() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..HOUR - 1);
    recorder.tick(&RIG.stamp(HOUR)).unwrap();
    assert_eq!(rows(&recorder, "sheet"), 1);
    // Begun in the last second of the hour, and done in the next.
    RIG.run(&mut recorder, HOUR - 1..HOUR + 20);
    assert_eq!(["tail", "sheet", "chunk", "fresh"].map(|table| rows(&recorder, table)), [1, 1, 1, 2]);
    recorder.flush().unwrap();
    assert_whole(&recorder, HOUR + 20);
    let hour = from_level(Level::Hour, power_between(&RIG, 0, HOUR, 1));
    let folded = recorder.query(&hour).unwrap().curves[0].points[0].unwrap();
    assert_eq!((folded.min, folded.max, folded.count), (0, 3_599, 3_600));
}

#[test]
fn what_another_boot_left_is_sealed_and_nothing_is_doubled() {
    let folder = tempdir().unwrap();
    RIG.run(&mut recorder(folder.path()), 0..200);
    // The next boot is a minute later and begins its time anew.
    let next = Rig { boot: 'b', booted: MIDNIGHT + 260, ..RIG };
    let mut recorder = recorder(folder.path());
    next.run(&mut recorder, 0..100);
    recorder.flush().unwrap();
    assert_eq!(["segment", "sheet"].map(|table| rows(&recorder, table)), [2, 1]);
    // 4 × 51 would be 204: of the first boot 153 were written, the rest was lost with it.
    assert_whole(&recorder, 253);
}

#[test]
fn a_suspend_is_a_gap_of_one_segment() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..100);
    let awake = 100 + 8 * HOUR;
    RIG.run(&mut recorder, awake..awake + 100);
    recorder.flush().unwrap();
    assert_eq!(rows(&recorder, "segment"), 1);
    assert_whole(&recorder, 200);
    let answer = recorder.query(&power_between(&RIG, 98, awake + 2, 2_000)).unwrap();
    let expected = [98, 99].map(|s| (s, Some((s, s))));
    let after = [28_900, 28_901].map(|s| (s, Some((s, s))));
    // Second 99 speaks for two intervals.
    let expected: Vec<_> = expected.into_iter().chain([(101, None)]).chain(after).collect();
    assert_eq!(extremes(&RIG, &answer), expected);
}

#[test]
fn a_clock_set_back_neither_hides_nor_doubles_anything() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 3_000..4_000);
    let back = Rig { booted: MIDNIGHT - 600, ..RIG };
    back.run(&mut recorder, 4_000..5_000);
    recorder.flush().unwrap();
    assert_eq!(rows(&recorder, "segment"), 2);
    assert_whole(&recorder, 2_000);
    // By the wall, 3,400 to 3,999 were lived through twice.
    let answer = recorder.query(&power_between(&RIG, 3_400, 3_401, 1)).unwrap();
    assert_eq!(
        answer.curves[0].points[0].map(|fold| (fold.min, fold.max, fold.count)),
        Some((3_400, 4_000, 2))
    );
    // Both halves of the hour that both segments have a part of are sealed apart, and its minutes are one.
    RIG.run(&mut recorder, 3 * HOUR..3 * HOUR + 60);
    recorder.flush().unwrap();
    assert_whole(&recorder, 2_060);
    let minute = from_level(Level::Minute, power_between(&RIG, 3_420, 3_480, 1));
    let folded = recorder.query(&minute).unwrap().curves[0].points[0];
    assert_eq!(folded.map(|fold| (fold.min, fold.max, fold.count)), Some((3_420, 4_079, 120)));
}

#[test]
fn a_day_is_packed_when_it_is_over() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let slow = Rig { every: 60, ..RIG };
    slow.run(&mut recorder, 0..DAY);
    assert_eq!((rows(&recorder, "fresh"), rows(&recorder, "pack")), (23, 0));
    slow.run(&mut recorder, DAY..DAY + 60);
    assert_eq!((rows(&recorder, "fresh"), rows(&recorder, "pack")), (0, 2));
    slow.run(&mut recorder, DAY + 60..2 * DAY + 60);
    // A second day of minutes; the hours of both lie in one.
    assert_eq!((rows(&recorder, "fresh"), rows(&recorder, "pack")), (0, 3));
    assert_whole(&recorder, 2 * 1_440 + 1);
    let verified = recorder.verify().unwrap();
    assert_eq!((verified.minutes, verified.hours), (2 * 1_440, 48));
    // Each sealed minute against its sample, each packed hour against its minutes.
    assert_eq!(verified.compared, 2 * 1_440 + 48);
}

#[test]
fn a_clock_set_back_into_a_packed_day_adds_to_it() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let slow = Rig { every: 60, ..RIG };
    slow.run(&mut recorder, 23 * HOUR..25 * HOUR);
    assert_eq!(rows(&recorder, "pack"), 2);
    let back = Rig { booted: MIDNIGHT - i64::try_from(2 * HOUR).unwrap(), ..slow };
    back.run(&mut recorder, 25 * HOUR..28 * HOUR);
    recorder.flush().unwrap();
    // Those of the second day were packed when the clock left it, and nothing twice.
    assert_eq!(rows(&recorder, "pack"), 3);
    assert_whole(&recorder, 300);
    let hour = from_level(Level::Hour, power_between(&RIG, 23 * HOUR, 24 * HOUR, 1));
    let folded = recorder.query(&hour).unwrap().curves[0].points[0].unwrap();
    // Sixty samples each, the first at 82,800 s, the last at 90,000 + 3,540 s.
    assert_eq!((folded.min, folded.max, folded.count), (82_800, 93_540, 120));
}

#[test]
fn what_cannot_be_meant_is_dropped_and_counted_and_a_missing_value_is_none() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let heat = Series::new("GPU-1", Quantity::Temperature);
    recorder.record(&RIG.sweep(0, &[(power(), Some(-1)), (heat.clone(), Some(41))])).unwrap();
    recorder.record(&RIG.sweep(1, &[(power(), None), (heat.clone(), Some(0))])).unwrap();
    assert_eq!(recorder.counts().refused, 1);
    let question = Question { series: vec![power(), heat], ..power_between(&RIG, 0, 10, 2_000) };
    let answer = recorder.query(&question).unwrap();
    assert_eq!(answer.curves[0].points, [None, None]);
    let heats: Vec<_> = answer.curves[1].points.iter().map(|point| point.map(|fold| fold.min)).collect();
    assert_eq!(heats, [Some(41), Some(0)]);
}

#[test]
fn series_beyond_the_most_are_counted_and_do_no_harm() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let many: Vec<_> =
        (0..4_100).map(|n| (Series::new(format!("GPU-{n}"), Quantity::Power), Some(n))).collect();
    recorder.record(&RIG.sweep(0, &many)).unwrap();
    recorder.flush().unwrap();
    assert_eq!((recorder.counts().refused, rows(&recorder, "series")), (4, 4_096));
    assert!(recorder.verify().unwrap().is_clean());
}
