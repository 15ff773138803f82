//! The state file: made, opened, refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::PathBuf;

use fanfare_sim_state::layout::{FILE_SIZE, VERSION};
use fanfare_sim_state::{Setup, StateError, World};

fn made() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    World::create(&path, &Setup::default()).unwrap();
    (dir, path)
}

fn overwrite(path: &PathBuf, at: u64, bytes: &[u8]) {
    std::fs::OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, at).unwrap();
}

#[test]
fn a_file_of_another_kind_version_or_size_is_refused_with_its_reason() {
    let (_dir, path) = made();
    overwrite(&path, 0, b"OTHER");
    assert!(matches!(World::open(&path), Err(StateError::NotAState { .. })));

    let (_dir, path) = made();
    // The version word stands behind magic number and size.
    overwrite(&path, 16, &9_u32.to_le_bytes());
    match World::open(&path) {
        Err(StateError::Version { found: 9, expected, .. }) => assert_eq!(expected, VERSION),
        other => panic!("{other:?}"),
    }

    let (_dir, path) = made();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(4096).unwrap();
    match World::open(&path) {
        Err(StateError::Size { found: 4096, expected, .. }) => assert_eq!(expected, FILE_SIZE as u64),
        other => panic!("{other:?}"),
    }

    let (dir, _) = made();
    let empty = dir.path().join("empty");
    std::fs::write(&empty, b"").unwrap();
    assert!(matches!(World::open(&empty), Err(StateError::NotAState { .. })));
    assert!(matches!(World::open(&dir.path().join("none")), Err(StateError::Io { .. })));
}

#[test]
fn every_user_may_take_the_lock_whatever_the_umask() {
    let (_dir, path) = made();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
}

#[test]
fn a_wrong_setup_leaves_no_file_behind() {
    let dir = tempfile::tempdir().unwrap();
    let scenario = dir.path().join("bad.toml");
    std::fs::write(&scenario, "speed = 1").unwrap();
    for setup in [
        Setup { cards: Some(65), ..Setup::default() },
        Setup { speed: 0.0, ..Setup::default() },
        Setup { scenario: Some(scenario), ..Setup::default() },
    ] {
        assert!(World::create(&dir.path().join("state"), &setup).is_err());
    }
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(left, ["bad.toml"]);
}

#[test]
fn a_new_rig_in_an_old_ones_place_leaves_its_readers_theirs() {
    let (_dir, path) = made();
    let old = World::open(&path).unwrap();
    let uuid = old.card(0).unwrap().unwrap().uuid;
    let new = World::create(&path, &Setup { seed: 99, ..Setup::default() }).unwrap();
    assert_ne!(new.card(0).unwrap().unwrap().uuid, uuid);
    assert_eq!(old.card(0).unwrap().unwrap().uuid, uuid);
}
