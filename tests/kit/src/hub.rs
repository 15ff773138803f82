//! A running hub, and waiting for what it publishes.

use std::{fs, path::Path, sync::Arc, time::Duration};

use fanfare_engine::{
    Hub, HubSetup, Limits, ProbeState, Rentals, RigState, api::Kind, probe::ProbeCommand, profile::Profile,
};
use fanfare_rig::{Condition, Occupant};
use tokio::{sync::watch, time::timeout};

use crate::{PATIENCE, SimRig};

/// A hub's limits at a test's pace.
pub const SHORT_LIMITS: Limits = Limits {
    hang: Duration::from_millis(600),
    pause: Duration::from_millis(50),
    pause_most: Duration::from_millis(200),
    proven: Duration::from_secs(5),
    trouble: Duration::from_millis(200),
};

/// What a hub at a test's pace is started with; nothing is rented.
pub fn hub_setup(directory: &Path, profile: Profile, command: ProbeCommand) -> HubSetup {
    HubSetup {
        directory: directory.into(),
        profile,
        command,
        kind: Kind::Serve,
        rentals: watch::channel(Rentals::new()).1,
        past: None,
        limits: SHORT_LIMITS,
    }
}

/// The first state from now on for which `wanted` holds.
///
/// # Panics
/// None came in [`PATIENCE`]; the message shows the last that did.
pub async fn until(hub: &Hub, what: &str, wanted: impl Fn(&RigState) -> bool) -> Arc<RigState> {
    let mut rig = hub.rig();
    let found = timeout(PATIENCE, async {
        rig.wait_for(|state| wanted(state)).await.ok().map(|state| Arc::clone(&state))
    });
    match found.await {
        Ok(Some(state)) => state,
        Ok(None) => panic!("the hub ended while waiting for: {what}"),
        Err(_) => panic!("never seen: {what}; the last was {:#?}", hub.rig().borrow()),
    }
}

/// The first state in which eight cards answer and the list of cards was read.
pub async fn eight_answering(hub: &Hub) -> Arc<RigState> {
    until(hub, "eight cards", |state| state.probe == ProbeState::Reading && answering(state) == 8).await
}

/// How many expected cards answered the last sweep.
pub fn answering(state: &RigState) -> usize {
    let answers = |occupant: &Occupant| matches!(occupant, Occupant::Card(card) if card.condition() == Condition::Answering);
    state.seats.iter().filter(|seat| answers(&seat.occupant)).count()
}

/// The probes that run over this rig, by process id.
pub fn probes(rig: &SimRig) -> Vec<i32> {
    let state = format!("FANFARE_SIM_STATE={}", rig.state().display());
    let runs = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        name.trim() == "fanfare-probe"
            && environment.split(|byte| *byte == 0).any(|entry| entry == state.as_bytes())
    };
    let processes = fs::read_dir("/proc").expect("the kernel lists its processes");
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(runs).collect()
}
