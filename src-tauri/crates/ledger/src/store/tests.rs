//! The file: what is posted stays as it was, and what is no ledger is refused or set aside.

mod damage;
mod kill;

use std::{fs, path::Path, thread};

use fanfare_dbfile::DbError;
use tempfile::tempdir;

use super::*;
use crate::{
    Share, Sums,
    fixtures::{BOOT, card_hour},
};

fn open(folder: &Path) -> Ledger {
    let Opened { db, set_aside } = Ledger::open_or_begin(folder, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(set_aside, None);
    db
}

/// An hour that was counted, all of it.
fn counted(card: &str, hour: i64, mj: u64) -> CardHour {
    card_hour(card, hour, Sums { counted: Share { ms: 3_600_000, mj }, ..Sums::default() })
}

#[test]
fn the_migrations_are_sound_and_as_many_as_the_version_says() {
    DB.migrations.validate().unwrap();
    let folder = tempdir().unwrap();
    assert_eq!(DB.version_of(&open(folder.path()).reader.connection).unwrap(), VERSION);
}

#[test]
fn what_is_posted_is_flushed_to_the_disk() {
    let folder = tempdir().unwrap();
    let ledger = open(folder.path());
    let mode: String =
        ledger.reader.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    let synchronous: i64 =
        ledger.reader.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
    // 2 is FULL: the log is flushed at each commit.
    assert_eq!((mode.as_str(), synchronous), ("wal", 2));
}

#[test]
fn an_hour_is_read_back_as_it_was_posted() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    // Each figure another one, so that none can stand for another.
    let share = |n| Share { ms: n, mj: 1_000_000 + n };
    let sums = Sums {
        counted: share(500),
        measured: share(600),
        estimated: share(700),
        unknown_ms: 1_800,
        idle: share(300),
        load: share(400),
        rented: share(310),
        free: share(410),
        vacant: share(290),
    };
    let mut hour = card_hour("GPU-a", 490_000, sums);
    hour.terms.guessed = true;
    hour.cursor.done_us = 999_999;
    let without_limit =
        CardHour { cursor: Cursor { limit_mw: None, ..hour.cursor }, hour: -5, ..hour.clone() };
    assert_eq!(ledger.post(&[hour.clone(), without_limit.clone()]).unwrap(), Posted { new: 2, known: 0 });
    assert_eq!(ledger.reader.hours("GPU-a", i64::MIN..i64::MAX).unwrap(), [without_limit, hour.clone()]);
    drop(ledger);
    let reader = LedgerReader::open(folder.path()).unwrap().unwrap();
    assert_eq!(reader.hours("GPU-a", 490_000..490_001).unwrap(), [hour]);
    assert_eq!(reader.cards().unwrap(), ["GPU-a"]);
}

#[test]
fn a_range_of_hours_begins_with_its_first_and_ends_before_its_last() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    ledger
        .post(&[counted("b", 11, 1), counted("a", 12, 2), counted("a", 11, 3), counted("a", 10, 4)])
        .unwrap();
    let read =
        |range| ledger.reader.hours("a", range).unwrap().iter().map(|row| row.hour).collect::<Vec<_>>();
    assert_eq!(read(10..12), [10, 11]);
    assert_eq!(read(13..20), Vec::<i64>::new());
    assert_eq!(ledger.reader.hours("c", 0..100).unwrap(), []);
}

#[test]
fn an_hour_is_posted_once_and_a_second_one_changes_nothing_and_is_counted() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    assert_eq!(ledger.post(&[counted("a", 10, 1)]).unwrap(), Posted { new: 1, known: 0 });
    let again = [counted("a", 10, 2), counted("a", 11, 3), counted("b", 10, 4), counted("a", 11, 5)];
    assert_eq!(ledger.post(&again).unwrap(), Posted { new: 2, known: 2 });
    let mj: Vec<u64> =
        ledger.reader.hours("a", 0..100).unwrap().iter().map(|row| row.sums.counted.mj).collect();
    assert_eq!(mj, [1, 3]);
}

#[test]
fn hours_that_cannot_all_be_posted_are_not_posted_at_all() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    let too_large = counted("a", 11, 1 << 63);
    let refused = ledger.post(&[counted("a", 10, 1), too_large]).unwrap_err();
    assert!(matches!(refused, LedgerError::TooLarge { what: "counted_mj", .. }), "{refused}");
    // Idle for longer than anything is known: the table itself refuses it.
    let mut nonsense = counted("a", 11, 1);
    nonsense.sums.idle.ms = 3_600_001;
    let refused = ledger.post(&[counted("a", 10, 1), nonsense]).unwrap_err();
    assert!(refused.to_string().contains("CHECK"), "{refused}");
    assert_eq!(ledger.reader.hours("a", 0..100).unwrap(), []);
}

#[test]
fn nothing_changes_or_deletes_a_row() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    ledger.post(&[counted("a", 10, 1)]).unwrap();
    let before = ledger.reader.hours("a", 0..100).unwrap();
    // Another program, which has set up nothing of its own.
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    other.execute_batch("CREATE TEMP TABLE again AS SELECT * FROM card_hour").unwrap();
    for (statement, refused) in [
        ("UPDATE card_hour SET counted_mj = 2", "a closed hour is never changed"),
        ("UPDATE OR REPLACE card_hour SET hour = 11", "a closed hour is never changed"),
        ("DELETE FROM card_hour", "a closed hour is never deleted"),
        ("REPLACE INTO card_hour SELECT * FROM card_hour", "a closed hour is never replaced"),
        // The same hour under a number that is free, and a free hour under the same number.
        (
            "UPDATE again SET id = 9; REPLACE INTO card_hour SELECT * FROM again",
            "a closed hour is never replaced",
        ),
        (
            "UPDATE again SET id = 1, hour = 11; REPLACE INTO card_hour SELECT * FROM again",
            "a closed hour is never replaced",
        ),
    ] {
        let error = other.execute_batch(statement).unwrap_err();
        assert!(error.to_string().contains(refused), "{statement}: {error}");
    }
    assert_eq!(ledger.reader.hours("a", 0..100).unwrap(), before);
}

#[test]
fn the_cursor_is_that_of_the_row_that_was_posted_last_and_not_of_the_latest_hour() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    assert_eq!(ledger.reader.cursor("a").unwrap(), None);
    let (ahead, right) = (counted("a", 9_000, 1), counted("a", 10, 1));
    ledger.post(&[ahead, right.clone(), counted("b", 11, 1)]).unwrap();
    assert_eq!(ledger.reader.cursor("a").unwrap(), Some(right.cursor));
    assert_eq!(right.cursor.at.boot.to_string(), BOOT);
}

#[test]
fn an_hour_is_there_if_a_row_of_that_card_is() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    ledger.post(&[counted("a", 10, 1), counted("b", 12, 1)]).unwrap();
    for (card, hour, has) in [("a", 10, true), ("a", 12, false), ("b", 12, true), ("c", 10, false)] {
        assert_eq!(ledger.reader.has(card, hour).unwrap(), has, "{card} {hour}");
    }
}

#[test]
fn a_boot_is_known_of_a_card_if_a_row_of_that_card_ends_in_it() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    ledger.post(&[counted("a", 10, 1)]).unwrap();
    let (boot, other) = (BOOT.parse().unwrap(), "f".repeat(32).parse().unwrap());
    for (card, boot, ends) in [("a", boot, true), ("a", other, false), ("b", boot, false)] {
        assert_eq!(ledger.reader.ends_in(card, boot).unwrap(), ends, "{card} {boot}");
    }
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let folder = tempdir().unwrap();
    let path = folder.path().join(FILE);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
    let before = fs::read(&path).unwrap();
    for refused in [
        Ledger::open_or_begin(folder.path(), Timestamp::UNIX_EPOCH).map(drop),
        LedgerReader::open(folder.path()).map(drop),
    ] {
        let theirs = VERSION + 1;
        assert!(
            matches!(refused, Err(LedgerError::File(DbError::Newer { theirs: found, .. })) if found == theirs),
            "{refused:?}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [FILE], "nothing was set aside");
}

#[test]
fn a_reader_makes_and_migrates_nothing() {
    let folder = tempdir().unwrap();
    assert!(LedgerReader::open(folder.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    Connection::open(folder.path().join(FILE))
        .unwrap()
        .execute_batch("CREATE TABLE other (words TEXT)")
        .unwrap();
    let refused = LedgerReader::open(folder.path()).unwrap_err();
    assert!(matches!(refused, LedgerError::Older { theirs: 0, .. }), "{refused}");
}

#[test]
fn a_reader_beside_the_holder_sees_what_is_posted() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    let reader = LedgerReader::open(folder.path()).unwrap().unwrap();
    for hour in 0..3 {
        ledger.post(&[counted("a", hour, 1)]).unwrap();
        assert_eq!(reader.hours("a", 0..100).unwrap().len(), usize::try_from(hour).unwrap() + 1);
    }
}

#[test]
fn a_lock_of_two_seconds_is_waited_for() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let holds = thread::spawn(move || {
        thread::sleep(Duration::from_secs(2));
        other.execute_batch("COMMIT").unwrap();
    });
    assert_eq!(ledger.post(&[counted("a", 10, 1)]).unwrap(), Posted { new: 1, known: 0 });
    holds.join().unwrap();
}

#[test]
fn a_full_disk_is_said_and_posting_goes_on_when_there_is_room() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    let pages: i64 =
        ledger.reader.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    ledger.reader.connection.pragma_update(None, "max_page_count", pages).unwrap();
    let year: Vec<CardHour> = (0..8_760).map(|hour| counted("a", hour, 1)).collect();
    let refused = ledger.post(&year).unwrap_err();
    assert!(refused.is_full(), "{refused}");
    assert_eq!(ledger.reader.hours("a", 0..8_760).unwrap(), []);
    ledger.reader.connection.pragma_update(None, "max_page_count", pages + 1_000).unwrap();
    assert_eq!(ledger.post(&year).unwrap(), Posted { new: 8_760, known: 0 });
}

#[test]
fn the_daily_copy_is_whole_and_serves_in_the_files_place() {
    let folder = tempdir().unwrap();
    let mut ledger = open(folder.path());
    ledger.post(&[counted("a", 10, 7)]).unwrap();
    ledger.back_up_daily(folder.path(), Timestamp::now()).unwrap();
    // One of today lies there: it is left.
    ledger.post(&[counted("a", 11, 8)]).unwrap();
    ledger.back_up_daily(folder.path(), Timestamp::now()).unwrap();
    let rescue = tempdir().unwrap();
    fs::copy(folder.path().join("ledger.db.daily"), rescue.path().join(FILE)).unwrap();
    assert_eq!(open(rescue.path()).reader.hours("a", 0..100).unwrap(), [counted("a", 10, 7)]);
}
