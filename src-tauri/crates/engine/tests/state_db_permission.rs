//! `state.db` in a directory that this user may not write. As root these tests would prove nothing: they run themselves again as
//! the user that owns nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{env, fs, os::unix::fs::PermissionsExt, path::PathBuf};

use fanfare_engine::{
    settings::{Appearance, SettingsPatch, Theme},
    state_db::StateDb,
};
use fanfare_testkit::{NOBODY, as_nobody, skip};
use jiff::Timestamp;

/// Names the directory to the run as nobody.
const DIRECTORY: &str = "FANFARE_TEST_DIRECTORY";

/// Runs the ignored test `name` as nobody over a data directory that is root's, after `arrange`.
fn as_other_user(name: &str, arrange: impl FnOnce(&PathBuf)) {
    if !rustix::process::geteuid().is_root() {
        skip("only root can become another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    arrange(&data);
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    let before = listing(&data);
    let mut command = as_nobody(&env::current_exe().unwrap(), folder.path());
    let done = command.args(["--ignored", "--exact", name]).env(DIRECTORY, &data).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(listing(&data), before, "nothing was made, moved or changed");
}

/// Every file with its bytes.
fn listing(data: &PathBuf) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// The directory, once it is certain that this process may not write it.
fn directory() -> PathBuf {
    assert_eq!(rustix::process::geteuid().as_raw(), NOBODY, "as root the test would prove nothing");
    let directory = PathBuf::from(env::var_os(DIRECTORY).unwrap());
    assert!(fs::write(directory.join("probe"), "").is_err(), "the directory can be written");
    directory
}

#[test]
fn without_a_file_a_directory_that_may_not_be_written_is_an_error_with_a_reason() {
    as_other_user("nothing_can_be_begun", |_| {});
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn nothing_can_be_begun() {
    let refused = StateDb::open_or_begin(&directory(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(refused.to_string().contains("unable to open database file"), "{refused}");
    assert!(StateDb::read(&directory()).unwrap().is_none());
}

#[test]
fn a_file_that_may_not_be_written_is_read_and_not_taken_for_damaged() {
    as_other_user("what_is_stored_can_be_read", |data| {
        let mut db = StateDb::open(data).unwrap();
        let appearance = Appearance { theme: Theme::Dark, ..Appearance::default() };
        db.change_settings(&SettingsPatch { appearance: Some(appearance), ..SettingsPatch::default() })
            .unwrap();
    });
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn what_is_stored_can_be_read() {
    StateDb::open_or_begin(&directory(), Timestamp::UNIX_EPOCH).unwrap_err();
    let mut db = StateDb::read(&directory()).unwrap().unwrap();
    assert_eq!(db.settings().unwrap().appearance.theme, Theme::Dark);
    assert_eq!(db.inventory().unwrap().members().count(), 0);
    db.change_settings(&SettingsPatch {
        appearance: Some(Appearance::default()),
        ..SettingsPatch::default()
    })
    .unwrap_err();
}

#[test]
fn a_damaged_file_that_may_not_be_moved_is_said_and_left() {
    as_other_user("damage_stays_where_it_is", |data| {
        fs::write(data.join(StateDb::FILE), [0x55; 8_192]).unwrap();
    });
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn damage_stays_where_it_is() {
    let refused = StateDb::open_or_begin(&directory(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(refused.to_string().contains("could not be set aside"), "{refused}");
}
