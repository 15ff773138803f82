use std::{
    ffi::OsStr,
    fs::{self, OpenOptions},
    os::unix::fs::FileExt,
    path::PathBuf,
};

use fanfare_dbfile::{DbError, with_suffix};
use fanfare_rig::{Member, Standing};
use rusqlite::Connection;

use super::*;
use crate::{
    settings::{Settings, SettingsPatch},
    state_db::{SetAside, VERSION},
};

const NOW: &str = "2026-11-30T18:44:24.5Z";
const ASIDE: &str = "state.db.damaged-20261130T184424Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn member(number: usize) -> Member {
    Member {
        uuid: format!("GPU-aaaaaaaa-aaaa-aaaa-aaaa-{number:012x}").parse().unwrap(),
        slot: Some(format!("0000:{:02x}:00.0", number % 256).parse().unwrap()),
        name: Some("NVIDIA GeForce RTX 4060".into()),
        first_seen: Timestamp::UNIX_EPOCH,
        last_seen: Timestamp::UNIX_EPOCH,
        standing: Standing::Expected,
    }
}

/// A whole database of many pages, closed, in a folder of its own; with its bytes.
fn whole() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    db.store_inventory(&fanfare_rig::Inventory::of((0..400).map(member))).unwrap();
    drop(db);
    let path = folder.path().join(StateDb::FILE);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 10 * 4_096, "pages enough to damage one: {}", bytes.len());
    (folder, path, bytes)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with("-shm"))
        .collect();
    names.sort();
    names
}

/// The damaged file is under its new name with the bytes it had, and a new one serves.
fn assert_set_aside(folder: &Path, damaged: &[u8]) -> SetAside {
    let opened = StateDb::open_or_begin(folder, now()).unwrap();
    let set_aside = opened.set_aside.expect("the damage is said");
    assert_eq!(set_aside.path.file_name(), Some(OsStr::new(ASIDE)));
    assert_eq!(fs::read(&set_aside.path).unwrap(), damaged, "kept as it was");
    assert_eq!(opened.db.inventory().unwrap().members().count(), 0);
    assert_eq!(opened.db.settings().unwrap(), Settings::default());
    drop(opened.db);
    let again = StateDb::open_or_begin(folder, now()).unwrap();
    assert_eq!(again.set_aside, None, "a new one is no damaged one");
    set_aside
}

#[test]
fn a_whole_file_is_opened_and_a_missing_one_begun() {
    let (folder, _, _) = whole();
    let opened = StateDb::open_or_begin(folder.path(), now()).unwrap();
    assert_eq!((opened.set_aside, opened.db.inventory().unwrap().members().count()), (None, 400));
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(StateDb::open_or_begin(empty.path(), now()).unwrap().set_aside, None);
}

#[test]
fn garbage_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let garbage = [0x55; 8_192];
    fs::write(folder.path().join(StateDb::FILE), garbage).unwrap();
    let set_aside = assert_set_aside(folder.path(), &garbage);
    assert!(set_aside.why.contains("not a database"), "{}", set_aside.why);
}

#[test]
fn an_empty_file_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(StateDb::FILE), "").unwrap();
    let set_aside = assert_set_aside(folder.path(), b"");
    assert!(set_aside.why.contains("it is empty"), "{}", set_aside.why);
}

#[test]
fn a_truncated_file_is_set_aside() {
    for kept in [100, 4_096, 4_096 * 5, 4_096 * 5 + 17] {
        let (folder, path, bytes) = whole();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(kept).unwrap();
        assert_set_aside(folder.path(), &bytes[..usize::try_from(kept).unwrap()]);
    }
}

#[test]
fn a_file_with_a_page_overwritten_is_set_aside() {
    let (folder, path, mut bytes) = whole();
    let middle = bytes.len() / 4_096 / 2 * 4_096;
    bytes[middle..middle + 4_096].fill(0x55);
    OpenOptions::new().write(true).open(&path).unwrap().write_all_at(&[0x55; 4_096], middle as u64).unwrap();
    assert_set_aside(folder.path(), &bytes);
}

#[test]
fn a_file_whose_version_promises_tables_that_it_lacks_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    let foreign = Connection::open(&path).unwrap();
    foreign.execute_batch("CREATE TABLE other (words TEXT)").unwrap();
    foreign.pragma_update(None, "user_version", VERSION).unwrap();
    drop(foreign);
    let opened = StateDb::open_or_begin(folder.path(), now()).unwrap();
    assert!(opened.set_aside.is_some_and(|aside| aside.why.contains("no such table")));
}

#[test]
fn rows_that_no_version_wrote_are_set_aside() {
    let (folder, path, _) = whole();
    Connection::open(&path).unwrap().execute("UPDATE card SET uuid = 'GPU-1' WHERE rowid = 7", []).unwrap();
    let opened = StateDb::open_or_begin(folder.path(), now()).unwrap();
    assert!(opened.set_aside.is_some_and(|aside| aside.why.contains("uuid")));
}

#[test]
fn a_damaged_file_takes_its_log_along() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    fs::write(&path, [0x55; 8_192]).unwrap();
    fs::write(with_suffix(&path, "-wal"), "the log").unwrap();
    assert_set_aside(folder.path(), &[0x55; 8_192]);
    assert_eq!(fs::read(folder.path().join(format!("{ASIDE}-wal"))).unwrap(), b"the log");
    assert_eq!(names(folder.path()), ["state.db", ASIDE, &format!("{ASIDE}-wal")]);
}

#[test]
fn what_was_committed_is_no_damage_though_the_process_died() {
    let (folder, path, _) = whole();
    let mut db = StateDb::open(folder.path()).unwrap();
    db.change_settings(&SettingsPatch { appearance: Some(Default::default()), ..Default::default() })
        .unwrap();
    db.mark_own_job(&member(7).uuid, true, now()).unwrap();
    // As a killed process leaves it: the files as they are, the log not taken over.
    let left = tempfile::tempdir().unwrap();
    for name in [path.clone(), with_suffix(&path, "-wal")] {
        fs::copy(&name, left.path().join(name.file_name().unwrap())).unwrap();
    }
    let opened = StateDb::open_or_begin(left.path(), now()).unwrap();
    assert_eq!(opened.set_aside, None);
    assert_eq!(opened.db.own_jobs().unwrap().len(), 1, "the mark was in the log");
}

#[test]
fn a_newer_file_is_no_damage() {
    let (folder, path, _) = whole();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
    let before = fs::read(&path).unwrap();
    let refused = StateDb::open_or_begin(folder.path(), now()).unwrap_err();
    assert!(matches!(refused, StateDbError::File(DbError::Newer { .. })), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(names(folder.path()).iter().all(|name| !name.contains("damaged")));
}

#[test]
fn a_second_damage_in_one_second_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(StateDb::FILE), [0x55; 8_192]).unwrap();
    fs::write(folder.path().join(ASIDE), "the first").unwrap();
    let refused = StateDb::open_or_begin(folder.path(), now()).unwrap_err();
    assert!(matches!(refused, StateDbError::File(DbError::SetAside { .. })), "{refused}");
    assert_eq!(fs::read(folder.path().join(ASIDE)).unwrap(), b"the first");
    assert_eq!(fs::read(folder.path().join(StateDb::FILE)).unwrap(), [0x55; 8_192]);
}

#[test]
fn a_pipe_or_a_folder_in_its_place_is_set_aside_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(matches!(StateDb::read(folder.path()), Err(StateDbError::File(DbError::Disorder { .. }))));
    let opened = StateDb::open_or_begin(folder.path(), now()).unwrap();
    assert_eq!(opened.set_aside.unwrap().path.file_name(), Some(OsStr::new(ASIDE)));
    drop(opened.db);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let later = "2026-11-30T18:44:25Z".parse().unwrap();
    assert!(StateDb::open_or_begin(folder.path(), later).unwrap().set_aside.is_some());
}
