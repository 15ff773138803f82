//! A history that cannot serve for a while, or at all: the cards are read all the same, it is said, and it goes on.

use std::{env, fs, path::Path, process::Command, time::Duration};

use fanfare_engine::{
    Hub, RigState, Unstored,
    api::{Reply, Request},
    frame::{MatterCode, RigFrame},
    profile::Profile,
};
use fanfare_history::{FILE, Quantity};
use fanfare_rig::clock::Clock;
use fanfare_testkit::{PATIENCE, SimRig, answering, eight_answering, probes, until};
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{sleep, timeout};

use crate::kit::{Step, start, stored, sweeps, uuid};

/// Takes the write lock of the history in `data`, as a backup does.
fn locked(data: &Path) -> Connection {
    let connection = Connection::open(data.join(FILE)).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

/// Ends the probe: with the next one another session begins, for which all that is held is written.
async fn another_session(hub: &Hub, rig: &SimRig) {
    let before = probes(rig);
    for pid in &before {
        kill_process(Pid::from_raw(*pid).unwrap(), Signal::KILL).unwrap();
    }
    let another = async {
        while probes(rig).iter().all(|pid| before.contains(pid)) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, another).await.unwrap();
    let begun = Clock::of_this_boot().unwrap().stamp();
    let reads = |state: &RigState| {
        state.snapshot.as_ref().is_some_and(|snapshot| snapshot.at.boottime > begun.boottime)
    };
    until(hub, "another probe's sweep", |state| reads(state) && answering(state) == 8).await;
}

fn unstored(state: &RigState) -> Option<&Unstored> {
    state.disk.history.unstored.as_ref()
}

fn codes(state: &RigState) -> Vec<MatterCode> {
    let frame = RigFrame::of(state, &Clock::of_this_boot().unwrap().stamp());
    frame.status.matters.iter().map(|matter| matter.code).collect()
}

fn powers(data: &Path, rig: &SimRig) -> Vec<Step> {
    stored(data, uuid(rig, 0).as_str(), Quantity::Power)
}

/// How far apart two neighbours of one session are at most, in microseconds.
fn widest(steps: &[Step]) -> i64 {
    let of_one = |pair: &&[Step]| pair[0].session == pair[1].session;
    steps.windows(2).filter(of_one).map(|pair| pair[1].boottime_us - pair[0].boottime_us).max().unwrap()
}

#[tokio::test]
async fn a19_a_lock_of_two_seconds_at_the_start_is_waited_for_and_nothing_is_lost() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    hub.stop().await;
    let before = powers(data.path(), &rig).len();
    let lock = locked(data.path());
    let hub = start(data.path(), Profile::Demo, &rig);
    let first = eight_answering(&hub).await;
    sleep(Duration::from_secs(2)).await;
    assert_eq!(unstored(&hub.rig().borrow()), None, "{:?}", hub.rig().borrow().disk);
    drop(lock);
    let last = until(&hub, "more", |state| state.number > first.number + 10).await;
    assert_eq!(unstored(&last), None);
    let read = last.snapshot.as_ref().unwrap().sweep;
    hub.stop().await;
    let recorded = powers(data.path(), &rig).len() - before;
    assert!(recorded as u64 >= read - first.snapshot.as_ref().unwrap().sweep, "{recorded} of {read}");
}

#[tokio::test]
async fn a_writing_anew_that_comes_to_nothing_is_told_until_one_succeeds() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    let failed = async || {
        while hub.ask(Request::CompactHistory).await.is_err() {
            sleep(Duration::from_millis(20)).await;
        }
        loop {
            match hub.ask(Request::HistoryUsage).await {
                Ok(Reply::HistoryUsage(usage)) if usage.compacting_since_ms.is_none() => {
                    return usage.compacting_failed;
                }
                // The thread may wait for the lock for longer than an answer may take.
                _ => sleep(Duration::from_millis(20)).await,
            }
        }
    };
    assert!(!timeout(PATIENCE, failed()).await.unwrap());
    let lock = locked(data.path());
    assert!(timeout(PATIENCE, failed()).await.unwrap());
    drop(lock);
    assert!(!timeout(PATIENCE, failed()).await.unwrap());
    hub.stop().await;
}

#[tokio::test]
async fn a_history_that_is_taken_away_is_begun_anew_and_recorded_on() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    another_session(&hub, &rig).await;
    let written = async {
        loop {
            match powers(data.path(), &rig).last() {
                Some(last) => return last.boottime_us,
                None => sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let of_before = timeout(PATIENCE, written).await.unwrap();
    for suffix in ["", "-wal", "-shm"] {
        fs::remove_file(data.path().join(format!("{FILE}{suffix}"))).unwrap();
    }
    let begun = async {
        while !data.path().join(FILE).exists() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, begun).await.unwrap();
    sweeps(&hub, 3).await;
    hub.stop().await;
    let after = powers(data.path(), &rig);
    assert!(after.len() >= 3 && after[0].boottime_us > of_before, "{after:?}");
    // The second probe goes on under its number.
    assert!(after.iter().all(|step| step.session == 2), "{after:?}");
}

#[tokio::test]
async fn a_lock_that_stays_is_said_while_the_cards_are_read_and_what_waits_is_written_after_it() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    sweeps(&hub, 2).await;
    let lock = locked(data.path());
    another_session(&hub, &rig).await;
    let said = until(&hub, "that nothing is recorded", |state| unstored(state).is_some()).await;
    assert!(matches!(unstored(&said), Some(Unstored::Refused(why)) if why.contains("locked")), "{said:?}");
    assert_eq!(codes(&said), [MatterCode::HistoryNotStored]);
    eight_answering(&hub).await;
    drop(lock);
    let well = until(&hub, "that it is recorded", |state| unstored(state).is_none()).await;
    assert_eq!(codes(&well), []);
    hub.stop().await;
    let steps = powers(data.path(), &rig);
    assert_eq!(steps.last().unwrap().session, 2);
    // No hole where nothing could be written for three seconds and more; a busy machine may miss some sweeps.
    assert!(widest(&steps) < 1_500_000, "{}", widest(&steps));
}

#[tokio::test]
async fn a_newer_history_is_said_and_left_alone() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    hub.stop().await;
    let connection = Connection::open(data.path().join(FILE)).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    connection.close().unwrap();
    let before = fs::read(data.path().join(FILE)).unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    let said = until(&hub, "that it is newer", |state| unstored(state).is_some()).await;
    assert!(matches!(unstored(&said), Some(Unstored::Newer(_))), "{said:?}");
    let read = eight_answering(&hub).await;
    assert_eq!(codes(&read), [MatterCode::HistoryNewer]);
    hub.stop().await;
    assert_eq!(fs::read(data.path().join(FILE)).unwrap(), before);
}

#[tokio::test]
async fn a_damaged_history_is_set_aside_and_said_and_another_begun() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    fs::write(data.path().join(FILE), [0x55; 8_192]).unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    let said = until(&hub, "that it was set aside", |state| state.disk.history.set_aside.is_some()).await;
    let aside = said.disk.history.set_aside.clone().unwrap();
    assert!(aside.contains("history.db.damaged-"), "{aside}");
    assert_eq!(unstored(&said), None);
    let read = eight_answering(&hub).await;
    assert_eq!(codes(&read), [MatterCode::HistorySetAside]);
    sweeps(&hub, 2).await;
    hub.stop().await;
    assert!(powers(data.path(), &rig).len() >= 2);
}

/// The small file system of the test below.
const FULL: &str = "FANFARE_FULL_FOLDER";

/// Mounts it at the first argument and runs the second; it is gone when that ends.
const MOUNT_AND_RUN: &str =
    r#"mount -t tmpfs -o size=2m none "$1" && exec "$2" --ignored --exact --nocapture "$3""#;

#[test]
fn on_a_full_disk_the_cards_are_read_and_it_is_said_until_there_is_room() {
    if !Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success()) {
        // Many containers forbid it. That a refusal is said and made up for is shown by a lock above.
        eprintln!("no file system can be mounted for one process here: nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new("unshare")
        .args(["-rm", "sh", "-c", MOUNT_AND_RUN, "sh"])
        .arg(folder.path())
        .arg(env::current_exe().unwrap())
        .arg("faults::a_disk_fills_up_and_is_cleared")
        .env(FULL, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let words = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}\n{words}");
}

#[tokio::test]
#[ignore = "needs the small file system; the one above starts it"]
async fn a_disk_fills_up_and_is_cleared() {
    let data = std::path::PathBuf::from(env::var_os(FULL).unwrap());
    let rig = SimRig::still();
    let hub = start(&data, Profile::Demo, &rig);
    eight_answering(&hub).await;
    sweeps(&hub, 2).await;
    // The log is there; no other block is to be had, and a commit takes one of four.
    another_session(&hub, &rig).await;
    let ballast = data.join("somebody-elses");
    let mut size = 1 << 20;
    while size >= 1_024 {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&ballast).unwrap();
        if std::io::Write::write_all(&mut file, &vec![1; size]).is_err() {
            size /= 2;
        }
    }
    let mut said = None;
    for _ in 0..20 {
        another_session(&hub, &rig).await;
        // Before it is answered, all that was read is handed over.
        hub.ask(Request::HistoryUsage).await.unwrap();
        said = unstored(&hub.rig().borrow()).cloned();
        if said.is_some() {
            break;
        }
    }
    assert!(matches!(&said, Some(Unstored::Refused(why)) if why.contains("full")), "{said:?}");
    eight_answering(&hub).await;
    fs::remove_file(ballast).unwrap();
    until(&hub, "that it is recorded", |state| unstored(state).is_none()).await;
    let last = hub.rig().borrow().snapshot.as_ref().unwrap().at;
    hub.stop().await;
    let steps = powers(&data, &rig);
    let last_us = i64::try_from(last.boottime.as_duration().as_micros()).unwrap();
    assert!(steps.last().unwrap().boottime_us >= last_us);
    assert!(widest(&steps) < 1_500_000, "{}", widest(&steps));
}
