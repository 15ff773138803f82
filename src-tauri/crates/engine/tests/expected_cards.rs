//! Expected cards against seen ones, across restarts of the probe and of the program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use fanfare_engine::{Hub, RigState, profile::Profile, state_db::StateDb};
use fanfare_rig::{Change, Occupant, Roster};
use fanfare_sim_state::Target;
use fanfare_testkit::{SimRig, answering, eight_answering, hub_setup, until};

fn start(directory: &Path, rig: &SimRig) -> Hub {
    Hub::start(hub_setup(directory, Profile::Demo, rig.probe())).unwrap()
}

/// A rig whose eight cards were met, and whose engine has ended.
async fn met(directory: &Path, rig: &SimRig) {
    let hub = start(directory, rig);
    eight_answering(&hub).await;
    hub.stop().await;
}

/// The slots whose occupant is `occupant`.
fn slots_with(state: &RigState, occupant: &Occupant) -> Vec<String> {
    let seats = state.seats.iter().filter(|seat| seat.occupant == *occupant);
    seats.map(|seat| seat.member.slot.unwrap().short()).collect()
}

#[tokio::test]
async fn a_card_that_was_there_yesterday_is_missing_today() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    met(data.path(), &rig).await;
    rig.world.remove(2).unwrap();
    let hub = start(data.path(), &rig);
    let state =
        until(&hub, "seven cards and a gap", |state| answering(state) == 7 && state.seats.len() == 8).await;
    assert_eq!(slots_with(&state, &Occupant::Missing), ["03:00.0"]);
    hub.stop().await;
}

#[tokio::test]
async fn a_card_in_a_missing_ones_slot_replaces_it() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    met(data.path(), &rig).await;
    let old = rig.world.card(4).unwrap().unwrap().uuid;
    rig.world.swap(4).unwrap();
    let new = rig.world.card(4).unwrap().unwrap().uuid;
    let hub = start(data.path(), &rig);
    let replaced = |change: &Change| matches!(change, Change::Replaced { old: o, new: n, .. } if o.as_str() == old && n.as_str() == new);
    until(&hub, "the replacement is told", |state| state.changes.iter().any(replaced)).await;
    let state = eight_answering(&hub).await;
    assert_eq!(state.seats.len(), 8, "the replaced card is expected no more");
    hub.stop().await;
}

#[tokio::test]
async fn a_slow_start_of_the_driver_is_no_missing_card() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    met(data.path(), &rig).await;
    rig.world.hang(Target::All, "nvmlDeviceGetCount_v2".parse().ok(), None).unwrap();
    let hub = start(data.path(), &rig);
    let hangs = |state: &RigState| {
        state.snapshot.as_ref().is_some_and(|snapshot| matches!(snapshot.roster, Roster::Stuck { .. }))
    };
    let state = until(&hub, "a driver that hangs", hangs).await;
    assert_eq!(state.seats.len(), 8);
    assert!(state.seats.iter().all(|seat| seat.occupant == Occupant::Awaited), "{:?}", state.seats);
    rig.world.release(Target::All).unwrap();
    eight_answering(&hub).await;
    hub.stop().await;
}

#[tokio::test]
async fn a_card_the_driver_does_not_hand_out_is_unreached_and_not_missing() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    met(data.path(), &rig).await;
    rig.world.lose(2).unwrap();
    let hub = start(data.path(), &rig);
    let state = until(&hub, "seven cards", |state| answering(state) == 7).await;
    assert_eq!(slots_with(&state, &Occupant::Unreached), ["03:00.0"]);
    hub.stop().await;
}

#[tokio::test]
async fn simulated_cards_never_enter_the_owners_inventory() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = Hub::start(hub_setup(data.path(), Profile::Real, rig.probe())).unwrap();
    eight_answering(&hub).await;
    hub.stop().await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    assert_eq!(stored.members().count(), 0);
}

#[tokio::test]
async fn the_inventory_on_disk_is_the_one_that_was_seen() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    met(data.path(), &rig).await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    let uuids: Vec<&str> = stored.members().map(|member| member.uuid.as_str()).collect();
    let mut truth: Vec<String> = rig.world.cards().unwrap().into_iter().map(|card| card.uuid).collect();
    truth.sort();
    assert_eq!(uuids, truth);
    // No index is stored: a member has no field for one, and the table no column.
    let columns = rusqlite::Connection::open(data.path().join(StateDb::FILE)).unwrap();
    let columns: Vec<String> = columns
        .prepare("SELECT name FROM pragma_table_info('card')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(columns, ["uuid", "slot", "name", "first_seen", "last_seen", "standing", "replaced_by"]);
}
