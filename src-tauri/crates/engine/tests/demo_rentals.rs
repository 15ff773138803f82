//! The demo's rentals: from the simulated rig's schedule over its loopback address to what each card is used for, with the real
//! probe and the real engine between.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{collections::BTreeMap, env, fs, path::Path, process::Command, sync::Arc, time::Duration};

use fanfare_engine::{
    Engine, EngineSetup, Limits, MarketCommand, Occupancy, RentalSource, RigState, Source, Usage, api::Kind,
    profile::Profile,
};
use fanfare_rig::CardUuid;
use fanfare_sim_state::{Clock, Setup, Usage as Scheduled};
use fanfare_testkit::{PATIENCE, SimRig, program};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

/// A rig under a clock that stands still, a minute after its begin: some cards are rented and some are not.
fn rig() -> SimRig {
    let rig = SimRig::of(&Setup { clock: Clock::Manual, ..Setup::default() });
    rig.world.advance(Duration::from_secs(60)).unwrap();
    rig
}

/// Asked often, and started again after `pause`.
async fn engine_with(data: &TempDir, rig: &SimRig, profile: Profile, pause: Duration) -> Engine {
    let every = Duration::from_millis(50);
    let market = MarketCommand { every, pause, ..MarketCommand::of(program("fanfare-sim"), rig.state()) };
    let setup = EngineSetup {
        directory: data.path().into(),
        profile,
        kind: Kind::Command,
        runtime: None,
        command: rig.probe(),
        rentals: RentalSource::Simulation(market),
        past: None,
        limits: Limits::default(),
    };
    Engine::start(setup).await.unwrap()
}

async fn engine(data: &TempDir, rig: &SimRig, profile: Profile) -> Engine {
    engine_with(data, rig, profile, Duration::from_millis(20)).await
}

/// What each card is used for, as the schedule has it now.
fn scheduled(rig: &SimRig) -> BTreeMap<CardUuid, Occupancy> {
    let cards = rig.world.usage().unwrap().cards.into_iter();
    let occupancy = |usage| match usage {
        Scheduled::Rented { platform, .. } => {
            Occupancy { usage: Usage::Rented { platform: platform.into() }, source: Source::Simulation }
        }
        Scheduled::Own => Occupancy { usage: Usage::Busy, source: Source::Processes },
        Scheduled::Idle => Occupancy { usage: Usage::Idle, source: Source::Processes },
    };
    cards.map(|card| (card.uuid.parse().unwrap(), occupancy(card.usage))).collect()
}

fn is_rented(occupancy: &Occupancy) -> bool {
    matches!(occupancy.usage, Usage::Rented { .. })
}

async fn until(engine: &Engine, what: &str, wanted: impl Fn(&RigState) -> bool) -> Arc<RigState> {
    let mut rig = engine.rig();
    let found = timeout(PATIENCE, async { rig.wait_for(|state| wanted(state)).await.unwrap().clone() });
    found.await.unwrap_or_else(|_| panic!("never seen: {what}; {:#?}", engine.rig().borrow().occupancy))
}

/// The marketplaces over this state, by process id.
fn markets(state: &Path) -> Vec<i32> {
    let wanted = format!("serve\0--state\0{}\0", state.display());
    let runs = |pid: &i32| {
        fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.ends_with(wanted.as_bytes()))
    };
    let processes = fs::read_dir("/proc").unwrap();
    processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).filter(runs).collect()
}

fn send(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[tokio::test]
async fn the_demo_shows_who_rents_a_card_and_that_the_simulation_says_so() {
    let (data, rig) = (tempfile::tempdir().unwrap(), rig());
    rig.world.load(6, Some(80)).unwrap();
    // The load's process is there from the next step of the physics on.
    rig.world.advance(Duration::from_secs(1)).unwrap();
    let engine = engine(&data, &rig, Profile::Demo).await;
    let mut kinds = (false, false);
    for _ in 0..4 {
        let expected = scheduled(&rig);
        assert!(expected.values().any(is_rented), "the schedule lets some card: {expected:#?}");
        kinds.0 |= expected.values().any(|card| card.usage == Usage::Idle);
        kinds.1 |= expected.values().any(|card| card.usage == Usage::Busy);
        until(&engine, "the schedule's rentals", |state| state.occupancy == expected).await;
        rig.world.advance(Duration::from_secs(2 * 3_600)).unwrap();
    }
    assert_eq!(kinds, (true, true), "idle and busy cards are shown as such beside the rented ones");
    engine.stop().await;
}

#[tokio::test]
async fn a_marketplace_that_dies_is_started_again_and_one_that_hangs_is_replaced() {
    let (data, rig) = (tempfile::tempdir().unwrap(), rig());
    let engine = engine(&data, &rig, Profile::Demo).await;
    let expected = scheduled(&rig);
    until(&engine, "rentals", |state| state.occupancy == expected).await;
    for signal in [Signal::KILL, Signal::STOP] {
        let before = markets(&rig.state());
        assert_eq!(before.len(), 1, "one at a time");
        send(before[0], signal);
        let replaced = async {
            while markets(&rig.state()).first().is_none_or(|pid| *pid == before[0]) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, replaced).await.unwrap();
        until(&engine, "rentals again", |state| state.occupancy == expected).await;
        assert_eq!(markets(&rig.state()).len(), 1);
    }
    engine.stop().await;
}

#[tokio::test]
async fn when_nobody_says_any_more_that_a_card_is_rented_it_is_busy() {
    let (data, rig) = (tempfile::tempdir().unwrap(), rig());
    let engine = engine_with(&data, &rig, Profile::Demo, Duration::from_secs(3_600)).await;
    let expected = scheduled(&rig);
    until(&engine, "rentals", |state| state.occupancy == expected).await;
    send(markets(&rig.state())[0], Signal::KILL);
    let busy = |card: &Occupancy| Occupancy { usage: Usage::Busy, source: Source::Processes } == *card;
    until(&engine, "busy cards", |state| {
        expected.iter().all(|(uuid, before)| {
            state.occupancy.get(uuid).is_some_and(|now| !is_rented(before) || busy(now))
        })
    })
    .await;
    engine.stop().await;
}

#[test]
fn no_proxy_stands_between_the_demo_and_its_marketplace() {
    // Nobody listens at this port: whoever asks through it gets no answer.
    let proxies =
        ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:1"));
    let done = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "rentals_are_seen_through_the_proxies_of_this_environment"])
        .envs(proxies)
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "run by the one above, with proxies set"]
async fn rentals_are_seen_through_the_proxies_of_this_environment() {
    let (data, rig) = (tempfile::tempdir().unwrap(), rig());
    let engine = engine(&data, &rig, Profile::Demo).await;
    until(&engine, "rentals", |state| state.occupancy.values().any(is_rented)).await;
    engine.stop().await;
}

#[tokio::test]
async fn the_marketplace_ends_with_the_engine() {
    let (data, rig) = (tempfile::tempdir().unwrap(), rig());
    let engine = engine(&data, &rig, Profile::Demo).await;
    until(&engine, "rentals", |state| state.occupancy.values().any(is_rented)).await;
    engine.stop().await;
    let gone = async {
        while !markets(&rig.state()).is_empty() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, gone).await.unwrap();
    assert!(!rig.folder().join("rig.sim.addr").exists(), "it ended in order");
}

#[tokio::test]
async fn the_owners_rig_neither_starts_nor_asks_a_simulation() {
    let (data, rig) = (tempfile::tempdir().unwrap(), rig());
    let engine = engine(&data, &rig, Profile::Real).await;
    // Enough sweeps for a marketplace to have been started and asked many times.
    let mut sweeps = engine.rig();
    for _ in 0..20 {
        timeout(PATIENCE, sweeps.changed()).await.unwrap().unwrap();
        assert!(!sweeps.borrow().occupancy.values().any(is_rented));
        assert!(markets(&rig.state()).is_empty(), "none is started");
    }
    assert!(!rig.folder().join("rig.sim.addr").exists(), "none ever ran");
    engine.stop().await;
}
