//! A disk that is really full: a small file system of its own, mounted for one process alone.

use std::{env, fs, process::Command};

use super::course;

/// The folder that the small file system is mounted at.
const FOLDER: &str = "FANFARE_FULL_FOLDER";

/// Mounts it at the first argument and runs the second, which is gone with its file system when it ends.
const MOUNT_AND_RUN: &str =
    r#"mount -t tmpfs -o size=600k none "$1" && exec "$2" --ignored --exact --nocapture "$3""#;

#[test]
#[ignore = "needs the small file system; the other test starts it"]
fn records_on_a_disk_that_fills_up() {
    let folder = env::var_os(FOLDER).expect("started by the other test");
    let ballast = std::path::Path::new(&folder).join("somebody-elses");
    fs::write(&ballast, vec![1; 200 << 10]).unwrap();
    let mut recorder = course::open(folder.as_ref());
    let (mut refusals, mut second) = (Vec::new(), 0);
    // The log alone is larger than the disk after some hours.
    while refusals.len() < 5 {
        assert!(second < 1_000_000, "it never fills up");
        if let Err(error) = course::try_to_record(&mut recorder, second) {
            assert!(error.is_full(), "{error:?}");
            refusals.push(second);
        }
        second += 1;
    }
    assert!(refusals.windows(2).all(|pair| pair[1] - pair[0] >= 10), "{refusals:?}");
    // What is there can still be read, and what waits with it.
    course::assert_values(&recorder, second - 1_000, second);
    fs::remove_file(ballast).unwrap();
    for second in second..second + 200 {
        course::record(&mut recorder, second);
    }
    recorder.flush().unwrap();
    assert_eq!(recorder.counts().lost, 0);
    assert_eq!(course::assert_whole(&recorder).sweeps, second + 200);
    drop(recorder);
    course::assert_whole(&course::open(folder.as_ref()));
}

#[test]
fn on_a_full_disk_it_says_so_and_goes_on_when_there_is_room() {
    if !Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success()) {
        // Many containers forbid it. That a full disk is said and outlived is shown everywhere by a file that may not grow
        // (`recorder::faults`); this test adds a real one where it can be had.
        eprintln!("no file system can be mounted for one process here: nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new("unshare")
        .args(["-rm", "sh", "-c", MOUNT_AND_RUN, "sh"])
        .arg(folder.path())
        .arg(env::current_exe().unwrap())
        .arg("deaths::full_disk::records_on_a_disk_that_fills_up")
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(
        done.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&done.stderr)
    );
}
