use std::{fs, thread};

use fanfare_dbfile::DbError;
use tempfile::tempdir;

use super::*;
use crate::{Reader, Recorder, Retention, fixtures::Rig, fixtures::recorder};

#[test]
fn the_migrations_are_sound_and_as_many_as_the_version_says() {
    DB.migrations.validate().unwrap();
    let folder = tempdir().unwrap();
    assert_eq!(DB.version_of(&Store::open(folder.path()).unwrap().connection).unwrap(), VERSION);
}

#[test]
fn what_is_committed_is_flushed_to_the_disk() {
    let folder = tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let mode: String = store.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    let synchronous: i64 =
        store.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
    // 2 is FULL: the log is flushed at each commit.
    assert_eq!((mode.as_str(), synchronous), ("wal", 2));
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let folder = tempdir().unwrap();
    let path = folder.path().join(FILE);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
    let before = fs::read(&path).unwrap();
    let now = Timestamp::UNIX_EPOCH;
    for refused in [
        Recorder::open(folder.path(), Retention::default(), now).map(drop),
        Reader::open(folder.path()).map(drop),
    ] {
        assert!(
            matches!(refused, Err(HistoryError::File(DbError::Newer { theirs, .. })) if theirs == VERSION + 1),
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
    assert!(Reader::open(folder.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    Connection::open(folder.path().join(FILE))
        .unwrap()
        .execute_batch("CREATE TABLE other (words TEXT)")
        .unwrap();
    let refused = Reader::open(folder.path()).unwrap_err();
    assert!(matches!(refused, HistoryError::Older { theirs: 0, .. }), "{refused}");
}

#[test]
fn a_reader_beside_a_recorder_sees_what_is_written() {
    let folder = tempdir().unwrap();
    let rig = Rig::at_midnight();
    let mut recorder = recorder(folder.path());
    let reader = Reader::open(folder.path()).unwrap().unwrap();
    for (seconds, sweeps) in [(0..60, 51), (60..110, 102)] {
        rig.run(&mut recorder, seconds);
        let verified = reader.verify().unwrap();
        assert_eq!((verified.sweeps, verified.findings), (sweeps, vec![]));
    }
    assert_eq!(reader.series().unwrap(), [crate::fixtures::power()]);
}

#[test]
fn many_programs_may_begin_on_one_new_directory() {
    let folder = tempdir().unwrap();
    let path = folder.path().to_path_buf();
    let opened: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            thread::spawn(move || Store::open(&path).map(drop))
        })
        .collect();
    for result in opened {
        result.join().unwrap().unwrap();
    }
}
