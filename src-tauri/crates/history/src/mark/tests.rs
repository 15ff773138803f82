use std::collections::BTreeSet;

use tempfile::tempdir;

use super::*;
use crate::{
    Reader, Recorder, Retention, Sweep, Taken,
    fixtures::{MIDNIGHT, Rig, power, recorder},
};

const RIG: Rig = Rig::at_midnight();

fn xid(rig: &Rig, second: u64, subject: Option<&str>, code: u64) -> Mark {
    Mark { at: rig.stamp(second), subject: subject.map(Arc::from), kind: MarkKind::Xid, code }
}

/// A sweep of a second, with marks of the same second.
fn marked(rig: &Rig, second: u64, codes: &[u64]) -> Sweep {
    let marks = codes.iter().map(|code| xid(rig, second, Some("GPU-1"), *code)).collect();
    Sweep { marks, ..rig.sweep(second, &[(power(), Some(1))]) }
}

/// The codes that a recorder tells of the rig's first day, with their seconds since midnight.
fn told(recorder: &Recorder, subject: Option<&str>) -> Vec<(i64, u64)> {
    let told = recorder.marks(subject, RIG.wall(0), RIG.wall(86_400)).unwrap();
    assert_eq!(told.left_out, 0);
    told.marks.iter().map(|mark| (mark.wall_us / 1_000_000 - MIDNIGHT, mark.code)).collect()
}

#[test]
fn a_number_in_the_file_means_one_kind_for_ever() {
    assert_eq!(MarkKind::Xid.number(), 1);
    for kind in MarkKind::ALL {
        assert_eq!(MarkKind::of_number(kind.number()), Some(kind));
    }
    assert_eq!([0, 2, 255].map(MarkKind::of_number), [None, None, None]);
}

#[test]
fn marks_are_told_of_one_subject_or_of_all_while_they_wait_and_when_they_are_written() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let marks =
        vec![xid(&RIG, 8, Some("GPU-1"), 79), xid(&RIG, 9, Some("GPU-2"), 48), xid(&RIG, 10, None, 13)];
    recorder.record(&Sweep { marks, ..RIG.sweep(10, &[]) }).unwrap();
    for _ in 0..2 {
        assert_eq!(told(&recorder, None), [(8, 79), (9, 48), (10, 13)]);
        assert_eq!(told(&recorder, Some("GPU-2")), [(9, 48)]);
        assert_eq!(told(&recorder, Some("GPU-3")), []);
        // From 9 on and before 10.
        let some = recorder.marks(None, RIG.wall(9), RIG.wall(10)).unwrap();
        assert_eq!(some.marks.iter().map(|mark| mark.code).collect::<Vec<_>>(), [48]);
        recorder.flush().unwrap();
    }
    let read = Reader::open(folder.path()).unwrap().unwrap().marks(None, RIG.wall(0), RIG.wall(60)).unwrap();
    let at = |second| (MIDNIGHT + second) * 1_000_000;
    let past = |second, subject: Option<&str>, code| PastMark {
        wall_us: at(second),
        subject: subject.map(Arc::from),
        kind: MarkKind::Xid,
        code,
    };
    let expected = vec![past(8, Some("GPU-1"), 79), past(9, Some("GPU-2"), 48), past(10, None, 13)];
    assert_eq!(read, Marks { marks: expected, left_out: 0 });
}

#[test]
fn a_mark_is_neither_lost_nor_doubled_by_a_restart() {
    let folder = tempdir().unwrap();
    let mut first = recorder(folder.path());
    for second in 0..60 {
        first.record(&marked(&RIG, second, if second == 50 { &[79] } else { &[] })).unwrap();
    }
    // Written with second 50; what comes after is lost with the program, and offered again by nobody.
    drop(first);
    let mut second = recorder(folder.path());
    assert_eq!(second.record(&marked(&RIG, 50, &[79])).unwrap(), Taken::Late);
    second.record(&marked(&RIG, 61, &[48])).unwrap();
    second.flush().unwrap();
    assert_eq!(told(&second, None), [(50, 79), (61, 48)]);
    assert_eq!(second.verify().unwrap().marks, 2);
}

#[test]
fn a_mark_stands_where_the_samples_of_its_segment_stand() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    recorder.record(&marked(&RIG, 10, &[1])).unwrap();
    // The wall drifts by a second, which is no new segment; then it is set on by an hour, which is.
    let drifted = Rig { booted: MIDNIGHT + 1, ..RIG };
    recorder.record(&marked(&drifted, 20, &[2])).unwrap();
    let set_on = Rig { booted: MIDNIGHT + 3_600, ..RIG };
    recorder.record(&marked(&set_on, 30, &[3])).unwrap();
    assert_eq!(told(&recorder, None), [(10, 1), (20, 2), (3_630, 3)]);
}

#[test]
fn marks_stay_when_the_samples_beside_them_go() {
    let folder = tempdir().unwrap();
    let retention = Retention { raw_days: 1, minute_days: 1 };
    let mut recorder = Recorder::open(folder.path(), retention, Timestamp::UNIX_EPOCH).unwrap().recorder;
    recorder.record(&marked(&RIG, 10, &[79])).unwrap();
    let slow = Rig { boot: 'b', every: 600, ..RIG };
    slow.run(&mut recorder, 600..5 * 86_400);
    recorder.flush().unwrap();
    let verified = recorder.verify().unwrap();
    assert_eq!((verified.segments, verified.findings), (1, vec![]), "the segment of the mark is gone");
    assert_eq!(told(&recorder, None), [(10, 79)]);
}

#[test]
fn a_sweep_with_too_many_marks_loses_the_rest_and_says_so() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let codes: Vec<u64> = (1..=70).collect();
    recorder.record(&marked(&RIG, 10, &codes)).unwrap();
    assert_eq!((told(&recorder, None).len(), recorder.counts().refused), (64, 6));
    recorder.record(&marked(&RIG, 11, &[1 << 53, u64::MAX, (1 << 53) - 1])).unwrap();
    assert_eq!((told(&recorder, None).last(), recorder.counts().refused), (Some(&(11, (1 << 53) - 1)), 8));
}

#[test]
fn an_answer_tells_the_newest_two_thousand_and_how_many_more_there_are() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    // 50 sweeps of 41 marks each are written, and one of them waits.
    let codes: Vec<u64> = (1..=41).collect();
    for second in 0..=51 {
        recorder.record(&marked(&RIG, second, &codes)).unwrap();
    }
    assert_eq!(recorder.held(), 1);
    let all = recorder.marks(None, RIG.wall(0), RIG.wall(60)).unwrap();
    // 52 × 41 = 2,132.
    assert_eq!((all.marks.len(), all.left_out), (2_000, 132));
    assert!(all.marks.is_sorted_by_key(|mark| mark.wall_us));
    assert_eq!(all.marks.last().unwrap().wall_us, (MIDNIGHT + 51) * 1_000_000);
    // The oldest three sweeps and nine of the fourth are not told: 3 × 41 + 9 = 132.
    assert_eq!(all.marks.first().unwrap().wall_us, (MIDNIGHT + 3) * 1_000_000);
    let some = recorder.marks(None, RIG.wall(40), RIG.wall(60)).unwrap();
    assert_eq!((some.marks.len(), some.left_out), (12 * 41, 0));
}

#[test]
fn the_file_keeps_the_newest_hundred_thousand() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    recorder.flush_lazily();
    let codes: Vec<u64> = (0..50).collect();
    for second in 0..2_010 {
        recorder.record(&marked(&RIG, second, &codes)).unwrap();
    }
    recorder.flush().unwrap();
    // 2,010 × 50 were recorded; the seconds 0 to 9 went.
    assert_eq!(recorder.verify().unwrap().marks, 100_000);
    let oldest = recorder.marks(None, RIG.wall(0), RIG.wall(11)).unwrap();
    let seconds: BTreeSet<i64> =
        oldest.marks.iter().map(|mark| mark.wall_us / 1_000_000 - MIDNIGHT).collect();
    assert_eq!((seconds, oldest.marks.len()), (BTreeSet::from([10]), 50));
}

#[test]
fn marks_of_no_kind_are_found_and_not_told_wrongly() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    recorder.record(&marked(&RIG, 10, &[79])).unwrap();
    recorder.flush().unwrap();
    let other = Connection::open(folder.path().join(crate::FILE)).unwrap();
    other.execute_batch("UPDATE mark SET kind = 77").unwrap();
    assert!(recorder.marks(None, RIG.wall(0), RIG.wall(60)).is_err());
    let findings = recorder.verify().unwrap().findings;
    assert!(findings.len() == 1 && findings[0].contains("kind of a mark"), "{findings:?}");
}
