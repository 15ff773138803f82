use std::ops::ControlFlow;

use rusqlite::params;
use tempfile::tempdir;

use crate::{
    HistoryError, Progress, Quantity, Reader, Recorder, Series,
    block::chunk,
    fixtures::{Rig, recorder},
};

const HOUR: u64 = 3_600;

/// Two cards over a day and two hours, a sweep a minute: sealed hours, packed days, fresh minutes and a tail.
fn history() -> (tempfile::TempDir, Recorder) {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    recorder.flush_lazily();
    let rig = Rig { every: 60, ..Rig::at_midnight() };
    let cards = ["GPU-1", "GPU-2"].map(|card| Series::new(card, Quantity::Power));
    for second in (0..26 * HOUR + 600).step_by(60) {
        let value = i64::try_from(second % 997).unwrap();
        recorder
            .record(&rig.sweep(second, &cards.each_ref().map(|card| (card.clone(), Some(value)))))
            .unwrap();
    }
    recorder.flush().unwrap();
    (folder, recorder)
}

#[test]
fn all_that_is_there_is_counted() {
    let (_folder, recorder) = history();
    let verified = recorder.verify().unwrap();
    assert_eq!(verified.findings, Vec::<String>::new());
    // 26 h and ten minutes of a sweep a minute; the last ten are not sealed.
    assert_eq!((verified.segments, verified.series), (1, 2));
    assert_eq!((verified.sweeps, verified.samples, verified.unsealed), (1_570, 3_140, 20));
    // Of 26 sealed hours, and 24 packed ones.
    assert_eq!((verified.minutes, verified.hours, verified.compared), (3_120, 48, 3_120 + 48));
}

#[test]
fn each_kind_of_damage_is_found() {
    for (change, finding) in [
        ("UPDATE chunk SET block = x'01' WHERE sheet = 3 AND series = 2", "sheet 3, series 2"),
        ("UPDATE sheet SET block = x'02' WHERE id = 4", "sheet 4"),
        ("UPDATE sheet SET sweeps = 7 WHERE id = 5", "sheet 5: its times"),
        ("UPDATE sheet SET hour = hour + 100 WHERE id = 6", "sheet 6: a sweep lies in another hour"),
        ("UPDATE tail SET block = x'09'", "of the tail"),
        ("UPDATE tail SET hour = hour + 1", "of the tail: a sweep lies in another hour"),
        ("UPDATE tail SET first_us = 0", "twice or out of order"),
        ("DELETE FROM chunk WHERE sheet = 25 AND series = 1", "there are minutes and no samples"),
        ("UPDATE fresh SET block = x'03'", "minutes in history.db"),
        ("DELETE FROM fresh", "the minutes are not what the samples come to"),
        ("DELETE FROM pack WHERE level = 1 AND series = 1", "the minutes are not what the samples come to"),
        ("UPDATE pack SET block = x'07' WHERE level = 1 AND series = 1", "pack Minutes"),
        ("DELETE FROM pack WHERE level = 2 AND series = 2", "the hours are not what the minutes come to"),
        ("PRAGMA foreign_keys = OFF; DELETE FROM series WHERE id = 2", "refer to rows that are not there"),
    ] {
        let (folder, recorder) = history();
        drop(recorder);
        let other = rusqlite::Connection::open(folder.path().join(crate::FILE)).unwrap();
        other.execute_batch(change).unwrap();
        let verified = Reader::open(folder.path()).unwrap().unwrap().verify().unwrap();
        assert!(
            verified.findings.iter().any(|found| found.contains(finding)),
            "{change}: {:?}",
            verified.findings
        );
    }
}

#[test]
fn a_value_that_is_off_by_one_is_found_by_its_minute() {
    let (folder, recorder) = history();
    drop(recorder);
    let other = rusqlite::Connection::open(folder.path().join(crate::FILE)).unwrap();
    let block: Vec<u8> = other
        .query_row("SELECT block FROM chunk WHERE sheet = 9 AND series = 1", [], |row| row.get(0))
        .unwrap();
    let mut values = chunk::values(&block, 60).unwrap();
    values[30].1 += 1;
    let block = chunk::values_block(&values).unwrap();
    other.execute("UPDATE chunk SET block = ?1 WHERE sheet = 9 AND series = 1", params![block]).unwrap();
    let verified = Reader::open(folder.path()).unwrap().unwrap().verify().unwrap();
    assert_eq!(verified.findings.len(), 1, "{:?}", verified.findings);
    assert!(verified.findings[0].contains("series 1: the minutes are not what the samples come to"));
}

#[test]
fn findings_without_end_are_told_up_to_a_hundred() {
    let (folder, recorder) = history();
    drop(recorder);
    let other = rusqlite::Connection::open(folder.path().join(crate::FILE)).unwrap();
    other.execute_batch("UPDATE chunk SET block = x'01'; DELETE FROM fresh; DELETE FROM pack").unwrap();
    let verified = Reader::open(folder.path()).unwrap().unwrap().verify().unwrap();
    // 26 sealed hours of two series: each a chunk that cannot be read. With no samples there is nothing to compare.
    assert_eq!((verified.findings.len(), verified.more, verified.is_clean()), (52, 0, false));
}

#[test]
fn how_far_it_is_is_told_part_by_part() {
    let (_folder, recorder) = history();
    let mut told = Vec::new();
    let verified = recorder
        .verify_while(|progress| {
            told.push(progress);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(verified.is_clean());
    // The file itself, 26 sealed hours, a packed day, one span of hours, and the rows of the last ten sweeps: the first was written
    // with its hour's end, then each second one finds the one before it waiting for 60 s, and the last came with the flush.
    let of = 1 + 26 + 1 + 1 + 6;
    assert_eq!(told, (0..=of).map(|done| Progress { done, of }).collect::<Vec<_>>());
}

#[test]
fn one_that_is_told_to_stop_says_so() {
    let (_folder, recorder) = history();
    for stop_at in [0, 1, 20, 35] {
        let mut asked = 0;
        let stopped = recorder.verify_while(|progress| {
            asked += 1;
            if progress.done == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, Err(HistoryError::Interrupted)), "{stop_at}: {stopped:?}");
        assert_eq!(asked, stop_at + 1, "it was asked once a part, and no more after that");
    }
    assert!(recorder.verify().unwrap().is_clean());
}
