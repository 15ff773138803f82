use tempfile::tempdir;

use super::*;
use crate::{
    Quantity, Reader, Recorder,
    fixtures::{MIDNIGHT, Rig, power, recorder},
};

const RIG: Rig = Rig::at_midnight();
const HOUR: u64 = 3_600;

/// What a walk shows: time since boot in seconds, and the power.
type Shown = Vec<(i64, Option<i64>)>;

fn push(shown: &mut Shown, past: &Past<'_>) -> ControlFlow<()> {
    shown.push((past.boottime_us / 1_000_000, past.values[0]));
    ControlFlow::Continue(())
}

fn walked(recorder: &Recorder, after: Option<Position>) -> Shown {
    let mut shown = Shown::new();
    recorder.walk(after, &[power()], |past| push(&mut shown, past)).unwrap();
    shown
}

fn read(reader: &Reader, after: Option<Position>) -> Shown {
    let mut shown = Shown::new();
    reader.walk(after, &[power()], |past| push(&mut shown, past)).unwrap();
    shown
}

/// One power a second: the second.
fn seconds(range: std::ops::Range<i64>) -> Shown {
    range.map(|second| (second, Some(second))).collect()
}

#[test]
fn each_sweep_is_shown_once_whether_sealed_or_written_or_waiting() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..2 * HOUR + 70);
    // 7,200 was written with its hour's end, 7,201 to 7,251 after 50 s.
    assert_eq!(recorder.held(), 18);
    assert_eq!(walked(&recorder, None), seconds(0..7_270));
    let reader = Reader::open(folder.path()).unwrap().unwrap();
    assert_eq!(read(&reader, None), seconds(0..7_252));
}

#[test]
fn a_walk_begins_after_its_position_and_ends_when_it_is_told() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..2 * HOUR + 70);
    for after in [-1, 0, 3_599, 3_600, 7_251, 7_260, 7_269, 90_000] {
        assert_eq!(walked(&recorder, Some(RIG.position(after))), seconds((after + 1).min(7_270)..7_270));
    }
    let mut shown = Shown::new();
    recorder
        .walk(Some(RIG.position(3_590)), &[power()], |past| {
            push(&mut shown, past).is_continue();
            if past.boottime_us < 3_605_000_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
    assert_eq!(shown, seconds(3_591..3_606), "over the end of an hour, and no further");
}

#[test]
fn the_hours_before_the_position_are_not_read() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..3 * HOUR);
    // Whoever reads these, fails.
    let damage = "UPDATE sheet SET block = x'09' WHERE hour < (SELECT max(hour) FROM sheet);
                  UPDATE chunk SET block = x'09' WHERE sheet < (SELECT max(id) FROM sheet)";
    Connection::open(folder.path().join(crate::FILE)).unwrap().execute_batch(damage).unwrap();
    assert_eq!(walked(&recorder, Some(RIG.position(3_600))), seconds(3_601..10_800));
    assert!(recorder.walk(None, &[power()], |_| ControlFlow::Continue(())).is_err());
}

#[test]
fn what_a_sweep_was_part_of_is_shown_with_it() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let slow = Rig { session: 7, every: 10, ..RIG };
    let heat = Series::new("GPU-1", Quantity::Temperature);
    let never = Series::new("GPU-9", Quantity::Power);
    recorder.record(&slow.sweep(10, &[(power(), Some(5)), (heat.clone(), None)])).unwrap();
    recorder.record(&slow.sweep(20, &[(heat.clone(), Some(60))])).unwrap();
    recorder.record(&slow.sweep(30, &[])).unwrap();
    let mut shown = Vec::new();
    recorder
        .walk(None, &[heat, never, power()], |past| {
            assert_eq!((past.boot, past.session), (slow.stamp(0).boot, 7));
            assert_eq!(past.every, Duration::from_secs(10));
            assert_eq!(past.wall_us, MIDNIGHT * 1_000_000 + past.boottime_us);
            shown.push((past.position(), past.values.to_vec()));
            ControlFlow::Continue(())
        })
        .unwrap();
    let expected = [
        (slow.position(10), vec![None, None, Some(5)]),
        (slow.position(20), vec![Some(60), None, None]),
        (slow.position(30), vec![None, None, None]),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn sweeps_come_in_the_order_in_which_they_were_recorded_when_the_clock_goes_back() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 3_500..3_700);
    let back = Rig { booted: MIDNIGHT - 2 * 3_600, ..RIG };
    back.run(&mut recorder, 3_700..4_000);
    RIG.run(&mut recorder, 4_000..4_010);
    assert_eq!(walked(&recorder, None), seconds(3_500..4_010));
    // From each of the three segments on.
    for after in [3_599, 3_650, 3_699, 3_700, 3_900, 3_999, 4_005] {
        assert_eq!(walked(&recorder, Some(RIG.position(after))), seconds(after + 1..4_010), "{after}");
    }
}

/// Boots a, b and c, each with the seconds 100 to 109 of its own, a day apart.
fn three_boots(recorder: &mut Recorder) -> [Rig; 3] {
    let boots = [('a', 0), ('b', 1), ('c', 2)].map(|(boot, day)| Rig {
        boot,
        booted: MIDNIGHT + day * 86_400,
        ..RIG
    });
    boots.iter().for_each(|boot| boot.run(recorder, 100..110));
    boots
}

#[test]
fn after_a_position_come_the_rest_of_its_boot_and_all_later_boots() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let [a, b, c] = three_boots(&mut recorder);
    for (after, expected) in [
        (a.position(104), [seconds(105..110), seconds(100..110), seconds(100..110)].concat()),
        (b.position(104), [seconds(105..110), seconds(100..110)].concat()),
        (b.position(500), seconds(100..110)),
        (b.position(0), [seconds(100..110), seconds(100..110)].concat()),
        (c.position(109), vec![]),
    ] {
        assert_eq!(walked(&recorder, Some(after)), expected, "{after:?}");
    }
}

#[test]
fn after_a_position_of_a_boot_that_is_not_there_comes_everything() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    three_boots(&mut recorder);
    let gone = Rig { boot: 'f', ..RIG }.position(105);
    assert_eq!(walked(&recorder, Some(gone)).len(), 30);
    assert_eq!(walked(&crate::fixtures::recorder(tempdir().unwrap().path()), Some(gone)), vec![]);
}

#[test]
fn a_position_whose_sweep_is_gone_goes_on_with_what_is_left_of_its_boot() {
    let folder = tempdir().unwrap();
    let retention = crate::Retention { raw_days: 1, minute_days: 2 };
    let opened = Recorder::open(folder.path(), retention, jiff::Timestamp::UNIX_EPOCH).unwrap();
    let mut recorder = opened.recorder;
    let slow = Rig { every: 600, ..RIG };
    slow.run(&mut recorder, 0..3 * 24 * HOUR);
    let all = walked(&recorder, None);
    // In hour 71 the hours from 47 on are kept.
    assert_eq!(all.first(), Some(&(47 * 3_600, Some(47 * 3_600))));
    assert_eq!(walked(&recorder, Some(slow.position(3_600))), all);
}

#[test]
fn an_hour_that_is_sealed_in_the_middle_of_a_walk_is_shown_once() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..HOUR + 51);
    // The second hour lies in the tail when the walk begins, and in a sheet when it comes to it.
    let reader = Reader::open(folder.path()).unwrap().unwrap();
    let mut shown = Shown::new();
    reader
        .walk(None, &[power()], |past| {
            if past.boottime_us == 3_000_000_000 {
                recorder.tick(&RIG.stamp(2 * HOUR)).unwrap();
            }
            push(&mut shown, past)
        })
        .unwrap();
    assert_eq!(shown, seconds(0..3_651));
}

#[test]
fn nothing_of_a_late_sweep_is_shown() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 10..20);
    recorder.record(&RIG.sweep(15, &[(power(), Some(-1))])).unwrap();
    assert_eq!(walked(&recorder, None), seconds(10..20));
}

#[test]
fn between_two_moments_of_the_wall_come_the_sweeps_of_those_moments() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 3_500..3_700);
    // Set back by a minute: the wall's seconds 3,640 to 3,699 are lived through twice.
    Rig { booted: MIDNIGHT - 60, ..RIG }.run(&mut recorder, 3_700..3_800);
    recorder.flush().unwrap();
    let reader = Reader::open(folder.path()).unwrap().unwrap();
    for (from, to, expected) in [
        (3_590, 3_610, seconds(3_590..3_610)),
        (3_650, 3_655, [seconds(3_650..3_655), seconds(3_710..3_715)].concat()),
        (0, 100_000, seconds(3_500..3_800)),
        (3_655, 3_650, vec![]),
    ] {
        let mut shown = Shown::new();
        let each = |past: &Past<'_>| push(&mut shown, past);
        reader.walk_between(RIG.wall(from), RIG.wall(to), &[power()], each).unwrap();
        assert_eq!(shown, expected, "{from} {to}");
    }
}
