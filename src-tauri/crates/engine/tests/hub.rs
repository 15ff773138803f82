//! The holder of a rig: faults of driver, probe and disk, injected for real, as the published state tells them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{path::Path, sync::Arc, time::Duration};

use fanfare_engine::{
    Hub, HubSetup, Limits, ProbeState, Rentals, RigState,
    api::{ErrorCode, Kind, Reply, Request},
    probe::ProbeCommand,
    profile::Profile,
    state_db::StateDb,
};
use fanfare_rig::{Condition, Occupant};
use fanfare_testkit::{PATIENCE, SimRig};
use tokio::{sync::watch, time::timeout};

/// The limits at a test's pace.
const LIMITS: Limits = Limits {
    hang: Duration::from_millis(600),
    pause: Duration::from_millis(50),
    pause_most: Duration::from_millis(200),
    proven: Duration::from_secs(5),
    trouble: Duration::from_millis(200),
};

fn start(directory: &Path, profile: Profile, command: ProbeCommand) -> Hub {
    Hub::start(HubSetup {
        directory: directory.into(),
        profile,
        command,
        kind: Kind::Serve,
        rentals: watch::channel(Rentals::new()).1,
        limits: LIMITS,
    })
    .unwrap()
}

/// The first state from now on for which `wanted` holds.
async fn until(hub: &Hub, what: &str, wanted: impl Fn(&RigState) -> bool) -> Arc<RigState> {
    let mut rig = hub.rig();
    let found = timeout(PATIENCE, async { Arc::clone(&*rig.wait_for(|state| wanted(state)).await.unwrap()) });
    match found.await {
        Ok(state) => state,
        Err(_) => panic!("never seen: {what}; the last was {:#?}", hub.rig().borrow()),
    }
}

fn answering(state: &RigState) -> usize {
    let answers = |occupant: &Occupant| matches!(occupant, Occupant::Card(card) if card.condition() == Condition::Answering);
    state.seats.iter().filter(|seat| answers(&seat.occupant)).count()
}

fn missing(state: &RigState) -> usize {
    state.seats.iter().filter(|seat| seat.occupant == Occupant::Missing).count()
}

async fn all_answering(hub: &Hub) -> Arc<RigState> {
    until(hub, "eight cards", |state| state.probe == ProbeState::Reading && answering(state) == 8).await
}

#[tokio::test]
async fn eight_cards_are_read_and_remembered() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, rig.probe());
    let state = all_answering(&hub).await;
    assert_eq!(state.last.len(), 8);
    let later = until(&hub, "the next state", |later| later.number > state.number).await;
    assert_eq!(later.unstored, None);
    hub.stop().await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    assert_eq!(stored.members().count(), 8);
}

#[tokio::test]
async fn it_says_who_it_is_and_what_it_does_not_know() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, rig.probe());
    let Reply::Info(info) = hub.ask(Request::Info).await.unwrap() else { panic!("another reply") };
    assert_eq!((info.holder.pid, info.holder.kind, info.own), (std::process::id(), Kind::Serve, true));
    assert_eq!(info.directory, data.path().to_string_lossy());
    all_answering(&hub).await;
    let stranger = "GPU-00000000-0000-0000-0000-00000000ffff".parse().unwrap();
    let error = hub.ask(Request::CallCosts { uuid: stranger }).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::UnknownCard);
    let handle = hub.handle();
    hub.stop().await;
    let uuid = "GPU-00000000-0000-0000-0000-00000000ffff".parse().unwrap();
    assert_eq!(handle.ask(Request::CallCosts { uuid }).await.unwrap_err().code, ErrorCode::Ending);
}

#[tokio::test]
async fn an_inventory_of_eight_and_no_library_is_eight_missing_cards() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, rig.probe());
    all_answering(&hub).await;
    hub.stop().await;
    let absent = ProbeCommand { nvml_lib: Some("/nonexistent/libnvidia-ml.so.1".into()), ..rig.probe() };
    let hub = start(data.path(), Profile::Real, absent);
    until(&hub, "eight missing", |s| matches!(s.probe, ProbeState::Trouble { .. }) && missing(s) == 8).await;
    hub.stop().await;
}
