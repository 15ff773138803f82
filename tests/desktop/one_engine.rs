//! The window beside other programs on the same data directory, and over a rig that cannot be read.

use std::{ffi::OsStr, process::Stdio};

use fanfare_engine::state_db::StateDb;
use fanfare_rig::{Inventory, Seen};
use fanfare_testkit::screen::Group;
use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    desk::{Desk, Session, wait_until},
    page::{until, until_all_answer},
    rig::{remembered, rig},
};

#[tokio::test]
async fn a_window_beside_serve_and_a_command_reads_nothing_itself_and_takes_over_when_the_holder_is_killed() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let (library, fanfarectl) = (fanfare_testkit::library(), fanfare_testkit::program("fanfarectl"));
    let named = [OsStr::new("--nvml-lib"), library.as_os_str()];
    let mut serve = desk.command(&fanfarectl);
    let _serve = Group::start(serve.args(named).arg("serve").stdout(Stdio::null()));
    wait_until("a probe reads", || desk.processes("fanfare-probe").len() == 1);
    let probe = desk.process("fanfare-probe");
    let client = desk.open(&named).await;
    until_all_answer(&client, 8).await;
    let cards = desk.command(&fanfarectl).args(named).args(["cards", "--json"]).output().expect("it starts");
    assert!(cards.status.success(), "{cards:?}");
    assert_eq!(desk.process("fanfare-probe"), probe, "one engine, one probe");
    let holder = Pid::from_raw(desk.process("fanfarectl")).expect("a process id");
    kill_process(holder, Signal::KILL).expect("the holder is there");
    wait_until("the window's own probe reads", || {
        desk.processes("fanfare-probe").iter().any(|process| *process != probe)
    });
    rig.world.temperature(0, Some(74)).expect("the first card is warm");
    until(&client, "the newest temperature", |page| {
        page.tiles.first().is_some_and(|tile| tile.temperature == "74")
    })
    .await;
    assert_eq!(desk.processes("fanfare-probe").len(), 1);
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn a_window_whose_holder_is_stopped_names_it_and_takes_over_when_it_is_ended() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let (library, fanfarectl) = (fanfare_testkit::library(), fanfare_testkit::program("fanfarectl"));
    let named = [OsStr::new("--nvml-lib"), library.as_os_str()];
    let mut serve = desk.command(&fanfarectl);
    let _serve = Group::start(serve.args(named).arg("serve").stdout(Stdio::null()));
    wait_until("a probe reads", || desk.processes("fanfare-probe").len() == 1);
    let client = desk.open(&named).await;
    until_all_answer(&client, 8).await;
    let holder = desk.process("fanfarectl");
    let signal = |signal| kill_process(Pid::from_raw(holder).expect("a process id"), signal);
    signal(Signal::STOP).expect("the holder is there");
    let page = until(&client, "whose silence it is", |page| {
        page.status.contains(&format!("does not answer (fanfarectl serve, process {holder})"))
    })
    .await;
    assert!(page.status.contains(&format!("kill -KILL {holder}")), "{page:#?}");
    signal(Signal::KILL).expect("the holder is there");
    until_all_answer(&client, 8).await;
    rig.world.temperature(0, Some(75)).expect("the first card is warm");
    until(&client, "the newest temperature", |page| {
        page.tiles.first().is_some_and(|tile| tile.temperature == "75")
    })
    .await;
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn an_inventory_of_eight_without_a_driver_library_is_eight_missing_cards_and_no_demo() {
    let Some(desk) = Desk::set_up(Session::plain()) else { return };
    let directory = remembered(&desk);
    std::fs::create_dir_all(&directory).expect("the data directory");
    let mut inventory = Inventory::default();
    let seen: Vec<Seen> = (1..=8)
        .map(|slot| Seen {
            uuid: format!("GPU-00000000-0000-0000-0000-00000000000{slot}").parse().expect("a UUID"),
            slot: format!("00000000:0{slot}:00.0").parse().ok(),
            name: Some("NVIDIA GeForce RTX 4060".to_owned()),
            heard: true,
        })
        .collect();
    inventory.observe(&seen, Timestamp::now());
    let mut kept = StateDb::open(&directory).expect("the database");
    kept.store_inventory(&inventory).expect("it is kept");
    drop(kept);
    let absent = desk.home().join("libnvidia-ml.so.1");
    let client = desk.open(&[OsStr::new("--nvml-lib"), absent.as_os_str()]).await;
    let page = until(&client, "eight missing cards", |page| {
        page.tiles.len() == 8 && page.tiles.iter().all(|tile| tile.state == "missing")
    })
    .await;
    assert!(page.status.contains("No NVIDIA driver library is installed"), "{page:#?}");
    assert_eq!(page.banner, None, "nothing is simulated");
    client.close().await.expect("the window closes");
}
