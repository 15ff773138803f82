//! The past of a rig: the day that the demo's history begins with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::{path::Path, process::Command};

use serde_json::Value;

/// What `past` tells, line by line.
fn past(file: &Path, words: &[&str]) -> Vec<Value> {
    let done =
        Command::new(env!("CARGO_BIN_EXE_fanfare-sim")).arg("past").arg(file).args(words).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_day_has_rentals_a_fault_a_throttled_card_and_forty_minutes_in_which_nobody_looked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("past.sim");
    let moments = past(&file, &["--every", "60s"]);
    // 1,441 minutes from the first to the last of a day, less the 40 from 16:00 to before 16:40.
    assert_eq!(moments.len(), 1_401);
    let times: Vec<u64> = moments.iter().map(|moment| moment["at_s"].as_u64().unwrap()).collect();
    assert!(times.contains(&57_540) && times.contains(&60_000), "15:59 and 16:40");
    assert!(!times.iter().any(|at| (57_600..60_000).contains(at)));

    let faults: Vec<(u64, u64)> = moments
        .iter()
        .flat_map(|moment| {
            let at = moment["at_s"].as_u64().unwrap();
            moment["xids"].as_array().unwrap().iter().map(move |xid| (at, xid["number"].as_u64().unwrap()))
        })
        .collect();
    assert_eq!(faults, [(46_800, 31)]);

    // A slowdown by heat is bit 0x20 (software) or 0x40 (hardware) of NVML's reasons; it happens on card 6 alone, while its fan is
    // blocked (5:00 to 5:40) and until it is cool again.
    let slowed = |card: usize| {
        let slow = |moment: &&Value| moment["cards"][card]["throttle"].as_u64().unwrap() & 0x60 != 0;
        moments.iter().filter(slow).map(|moment| moment["at_s"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert!((0..6).chain([7]).all(|card| slowed(card).is_empty()));
    let slow = slowed(6);
    assert!(slow.len() > 20 && slow.iter().all(|at| (18_000..22_000).contains(at)), "{slow:?}");

    let rented =
        |card: usize| moments.iter().filter(|moment| moment["cards"][card]["rented"] == true).count();
    assert!(
        (0..8).all(|card| (1..1_401).contains(&rented(card))),
        "each is let for a while, and none always"
    );
    assert!(!file.exists(), "the scratch file is taken away");
}

#[test]
fn the_same_seed_has_the_same_past() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--span", "10m", "--every", "30s"];
    assert_eq!(past(&folder.path().join("a"), &words), past(&folder.path().join("b"), &words));
}
