//! `history.db` in a directory that this user may not write: it is read, and neither changed nor taken for damaged. As root these
//! tests would prove nothing: they run themselves again as the user that owns nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use fanfare_history::{FILE, Quantity, Reader, Recorder, Retention, Series, Source, Sweep};
use fanfare_testkit::{NOBODY, as_nobody, skip};
use fanfare_units::{Boottime, Stamp};
use jiff::Timestamp;

/// Names the directory to the run as nobody.
const DIRECTORY: &str = "FANFARE_TEST_DIRECTORY";

/// Runs the ignored test `name` as nobody over a data directory that is root's, after `arrange`.
fn as_other_user(name: &str, arrange: impl FnOnce(&Path)) {
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
fn listing(data: &Path) -> Vec<(PathBuf, Vec<u8>)> {
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

fn sweep(second: u64) -> Sweep {
    Sweep {
        at: Stamp {
            wall: Timestamp::from_second(1_795_996_800 + i64::try_from(second).unwrap()).unwrap(),
            boottime: Boottime::since_boot(Duration::from_secs(second)),
            boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
        },
        source: Source { session: 1, every: Duration::from_secs(1) },
        values: vec![(Series::new("GPU-1", Quantity::Power), Some(50_000))],
    }
}

fn record_a_minute(data: &Path) {
    let mut recorder = Recorder::open(data, Retention::default(), Timestamp::UNIX_EPOCH).unwrap().recorder;
    for second in 0..60 {
        recorder.record(&sweep(second)).unwrap();
    }
    recorder.flush().unwrap();
}

#[test]
fn a_history_that_may_not_be_written_is_read_and_not_taken_for_damaged() {
    as_other_user("what_is_recorded_can_be_read", record_a_minute);
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn what_is_recorded_can_be_read() {
    let refused = Recorder::open(&directory(), Retention::default(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(!refused.is_damage(), "{refused}");
    let verified = Reader::open(&directory()).unwrap().unwrap().verify().unwrap();
    assert_eq!((verified.sweeps, verified.findings), (60, vec![]));
}

#[test]
fn a_damaged_history_that_may_not_be_moved_is_said_and_left() {
    as_other_user("damage_stays_where_it_is", |data| fs::write(data.join(FILE), [0x55; 8_192]).unwrap());
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn damage_stays_where_it_is() {
    let refused = Recorder::open(&directory(), Retention::default(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(refused.to_string().contains("could not be set aside"), "{refused}");
}
