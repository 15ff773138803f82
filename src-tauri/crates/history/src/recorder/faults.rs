//! A disk that takes nothing for a while, and another process's lock: said, and made up for.

use std::{path::Path, sync::mpsc, thread, time::Duration};

use rusqlite::Connection;
use tempfile::tempdir;

use super::{
    Recorder,
    tests::{assert_whole, rows},
};
use crate::{
    Quantity, Series,
    fixtures::{MIDNIGHT, Rig, power, recorder},
};

const RIG: Rig = Rig::at_midnight();
const HOUR: u64 = 3_600;

#[test]
fn a_full_disk_is_said_and_everything_is_written_once_there_is_room() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    // Sixty cards whose power has no pattern: a commit takes several pages.
    let cards: Vec<Series> = (0..60).map(|n| Series::new(format!("GPU-{n}"), Quantity::Power)).collect();
    let sweep = |second: u64| {
        let noise = |card: usize| i64::try_from((second * 7_919 + card as u64 * 104_729) % 115_001).unwrap();
        let values: Vec<_> =
            cards.iter().enumerate().map(|(n, card)| (card.clone(), Some(noise(n)))).collect();
        RIG.sweep(second, &values)
    };
    let limit = |recorder: &Recorder, pages: i64| -> i64 {
        let sql = format!("PRAGMA max_page_count = {pages}");
        recorder.store.connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    for second in 0..102 {
        recorder.record(&sweep(second)).unwrap();
    }
    // No fewer than there are: it is held at that.
    limit(&recorder, 1);
    let mut said = Vec::new();
    for second in 102..400 {
        if let Err(error) = recorder.record(&sweep(second)) {
            assert!(error.is_full(), "{error}");
            said.push(second);
        }
    }
    assert!(said.len() > 2, "{said:?}");
    assert!(
        said.windows(2).all(|pair| pair[1] - pair[0] >= 10),
        "no more often than each ten seconds: {said:?}"
    );
    limit(&recorder, 1_000_000);
    for second in 400..500 {
        recorder.record(&sweep(second)).unwrap();
    }
    recorder.flush().unwrap();
    assert_eq!(recorder.counts().lost, 0);
    let verified = recorder.verify().unwrap();
    assert_eq!((verified.sweeps, verified.samples, verified.findings), (500, 30_000, vec![]));
}

#[test]
fn a_disk_that_is_full_for_hours_costs_the_oldest_and_no_memory() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..51);
    recorder
        .store
        .connection
        .execute_batch("CREATE TRIGGER no BEFORE INSERT ON tail BEGIN SELECT RAISE(ABORT, 'no'); END")
        .unwrap();
    // The clock is set on by an hour every thousand seconds meanwhile.
    for second in 51..10_000_u64 {
        let rig = Rig { booted: MIDNIGHT + i64::try_from(second / 1_000 * 3_600).unwrap(), ..RIG };
        let value = i64::try_from(second).unwrap();
        let _ = recorder.record(&rig.sweep(second, &[(power(), Some(value))]));
    }
    assert_eq!((recorder.held(), recorder.counts().lost), (3_600, 10_000 - 51 - 3_600));
    // The last 3,600 lie in the seconds 6,400 to 9,999.
    assert_eq!(recorder.new_segments.len(), 4);
    recorder.store.connection.execute_batch("DROP TRIGGER no").unwrap();
    recorder.flush().unwrap();
    assert_whole(&recorder, 51 + 3_600);
}

#[test]
fn an_hour_that_finds_no_room_to_be_sealed_is_sealed_later() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..HOUR - 20);
    recorder.flush().unwrap();
    // A trigger in the way: nothing may be sealed, and everything else goes on.
    let connection = &recorder.store.connection;
    connection
        .execute_batch("CREATE TRIGGER no BEFORE INSERT ON sheet BEGIN SELECT RAISE(ABORT, 'no'); END")
        .unwrap();
    let mut failures = 0;
    for second in HOUR - 20..HOUR + 200 {
        let value = i64::try_from(second).unwrap();
        failures += u32::from(recorder.record(&RIG.sweep(second, &[(power(), Some(value))])).is_err());
    }
    assert!(failures > 2, "{failures}");
    assert_eq!(rows(&recorder, "sheet"), 0);
    recorder.store.connection.execute_batch("DROP TRIGGER no").unwrap();
    RIG.run(&mut recorder, HOUR + 200..HOUR + 300);
    recorder.flush().unwrap();
    assert_eq!(rows(&recorder, "sheet"), 1);
    assert_whole(&recorder, HOUR + 300);
}

/// Another process's lock for so long, held from when this returns.
fn locked_for(folder: &Path, time: Duration) -> thread::JoinHandle<()> {
    let path = folder.join(crate::FILE);
    let (locked, is_locked) = mpsc::channel();
    let holder = thread::spawn(move || {
        let other = Connection::open(path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        locked.send(()).unwrap();
        thread::sleep(time);
        other.execute_batch("ROLLBACK").unwrap();
    });
    is_locked.recv().unwrap();
    holder
}

#[test]
fn a19_a_lock_held_for_two_seconds_is_waited_for() {
    let folder = tempdir().unwrap();
    RIG.run(&mut recorder(folder.path()), 0..60);
    let holder = locked_for(folder.path(), Duration::from_secs(2));
    let mut recorder = recorder(folder.path());
    holder.join().unwrap();
    let holder = locked_for(folder.path(), Duration::from_secs(2));
    RIG.run(&mut recorder, 51..200);
    holder.join().unwrap();
    recorder.flush().unwrap();
    assert_whole(&recorder, 200);
}

#[test]
fn a_lock_held_for_longer_is_said_and_nothing_is_lost() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..60);
    let holder = locked_for(folder.path(), Duration::from_secs(5));
    RIG.run(&mut recorder, 60..101);
    let refused = recorder.record(&RIG.sweep(101, &[(power(), Some(101))])).unwrap_err();
    assert!(refused.is_locked(), "{refused}");
    holder.join().unwrap();
    RIG.run(&mut recorder, 102..200);
    recorder.flush().unwrap();
    assert_whole(&recorder, 200);
}
