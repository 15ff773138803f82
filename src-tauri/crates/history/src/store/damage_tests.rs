//! A damaged `history.db` is set aside, so that one bad sector costs the owner curves and not the program.

use std::{
    ffi::OsStr,
    fs::{self, OpenOptions},
    os::unix::fs::FileExt,
    path::PathBuf,
};

use fanfare_dbfile::{DbError, with_suffix};

use super::*;
use crate::{
    Recorder, Retention,
    fixtures::{Rig, recorder},
};

const NOW: &str = "2026-11-30T18:44:24.5Z";
const ASIDE: &str = "history.db.damaged-20261130T184424Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// A whole history of many pages, closed, in a folder of its own; with its bytes.
fn whole() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    Rig::at_midnight().run(&mut recorder, 0..3_000);
    drop(recorder);
    let path = folder.path().join(FILE);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 10 * 1_024, "pages enough to damage one: {}", bytes.len());
    (folder, path, bytes)
}

/// The damaged file is under its new name with the bytes it had, and a new one serves.
fn assert_set_aside(folder: &Path, damaged: &[u8]) -> SetAside {
    let mut opened = Recorder::open(folder, Retention::default(), now()).unwrap();
    let set_aside = opened.set_aside.take().expect("the damage is said");
    assert_eq!(set_aside.path.file_name(), Some(OsStr::new(ASIDE)));
    assert_eq!(fs::read(&set_aside.path).unwrap(), damaged, "kept as it was");
    assert_eq!(opened.recorder.stored_until(), None);
    Rig::at_midnight().run(&mut opened.recorder, 0..60);
    drop(opened);
    assert_eq!(recorder(folder).verify().unwrap().sweeps, 51, "the new one serves, and is no damaged one");
    set_aside
}

#[test]
fn a_whole_file_is_opened_and_a_missing_one_begun() {
    let (folder, _, _) = whole();
    assert_eq!(recorder(folder.path()).verify().unwrap().sweeps, 58 * 51);
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(recorder(empty.path()).verify().unwrap().sweeps, 0);
}

#[test]
fn garbage_and_an_empty_file_are_set_aside() {
    for (bytes, why) in [([0x55; 8_192].as_slice(), "not a database"), (b"", "it is empty")] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), bytes).unwrap();
        let set_aside = assert_set_aside(folder.path(), bytes);
        assert!(set_aside.why.contains(why), "{}", set_aside.why);
    }
}

#[test]
fn a_truncated_file_is_set_aside() {
    for kept in [100, 1_024, 1_024 * 5, 1_024 * 5 + 17] {
        let (folder, path, bytes) = whole();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(kept).unwrap();
        assert_set_aside(folder.path(), &bytes[..usize::try_from(kept).unwrap()]);
    }
}

#[test]
fn a_file_with_any_page_overwritten_is_set_aside() {
    // Each page in turn: those of the tables' roots, of the rows, of the blocks of sweeps.
    let (_, _, whole) = whole();
    let pages = whole.len() / 1_024;
    let mut noticed = 0;
    for page in 0..pages {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, &whole).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&[0x55; 1_024], (page * 1_024) as u64).unwrap();
        let opened = Recorder::open(folder.path(), Retention::default(), now()).unwrap();
        noticed += usize::from(opened.set_aside.is_some());
    }
    assert_eq!(noticed, pages);
}

#[test]
fn a_file_whose_version_promises_tables_that_it_lacks_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = Connection::open(folder.path().join(FILE)).unwrap();
    foreign.execute_batch("CREATE TABLE other (words TEXT)").unwrap();
    foreign.pragma_update(None, "user_version", VERSION).unwrap();
    drop(foreign);
    let opened = Recorder::open(folder.path(), Retention::default(), now()).unwrap();
    assert!(opened.set_aside.is_some_and(|aside| aside.why.contains("no such table")));
}

#[test]
fn rows_that_no_version_wrote_are_set_aside() {
    for change in [
        "UPDATE series SET quantity = 99",
        "UPDATE segment SET boot = 'none'",
        "UPDATE tail SET block = x'01' WHERE id = 7",
    ] {
        let (folder, path, _) = whole();
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let opened = Recorder::open(folder.path(), Retention::default(), now()).unwrap();
        assert!(opened.set_aside.is_some(), "{change}");
    }
}

#[test]
fn a_damaged_file_takes_its_log_along() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    fs::write(&path, [0x55; 8_192]).unwrap();
    fs::write(with_suffix(&path, "-wal"), "the log").unwrap();
    assert_set_aside(folder.path(), &[0x55; 8_192]);
    assert_eq!(fs::read(folder.path().join(format!("{ASIDE}-wal"))).unwrap(), b"the log");
}

#[test]
fn a_second_damage_in_one_second_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), [0x55; 8_192]).unwrap();
    fs::write(folder.path().join(ASIDE), "the first").unwrap();
    let refused = Recorder::open(folder.path(), Retention::default(), now()).unwrap_err();
    assert!(matches!(refused, HistoryError::File(DbError::SetAside { .. })), "{refused}");
    assert_eq!(fs::read(folder.path().join(ASIDE)).unwrap(), b"the first");
    assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), [0x55; 8_192]);
}

#[test]
fn a_pipe_or_a_folder_in_its_place_is_set_aside_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let opened = Recorder::open(folder.path(), Retention::default(), now()).unwrap();
    assert_eq!(opened.set_aside.unwrap().path.file_name(), Some(OsStr::new(ASIDE)));
    drop(opened.recorder);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let later = "2026-11-30T18:44:25Z".parse().unwrap();
    let opened = Recorder::open(folder.path(), Retention::default(), later).unwrap();
    assert!(opened.set_aside.is_some());
}
