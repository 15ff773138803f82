//! The watch over a rig: expected cards against seen ones, across restarts of the probe and of the program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use fanfare_engine::{RigNews, RigView, RigWatch, profile::Profile, state_db::StateDb};
use fanfare_rig::{Change, Condition, Occupant, Roster};
use fanfare_testkit::{PATIENCE, SimRig};
use tokio::time::timeout;

/// The first look for which `wanted` holds.
async fn until(watch: &mut RigWatch, what: &str, wanted: impl Fn(&RigView) -> bool) -> RigView {
    let found = timeout(PATIENCE, async {
        loop {
            if let RigNews::View(view) = watch.next().await.unwrap()
                && wanted(&view)
            {
                return *view;
            }
        }
    });
    found.await.unwrap_or_else(|_| panic!("never seen: {what}"))
}

fn start(directory: &Path, rig: &SimRig) -> RigWatch {
    RigWatch::start(directory, Profile::Demo, &rig.probe()).unwrap()
}

fn present(view: &RigView) -> usize {
    let answers = |occupant: &Occupant| matches!(occupant, Occupant::Card(card) if card.condition() == Condition::Answering);
    view.seats.iter().filter(|seat| answers(&seat.occupant)).count()
}

fn missing(view: &RigView) -> Vec<String> {
    let missing = view.seats.iter().filter(|seat| seat.occupant == Occupant::Missing);
    missing.map(|seat| seat.member.slot.unwrap().short()).collect()
}

#[tokio::test]
async fn a_card_that_was_there_yesterday_is_missing_today() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = start(data.path(), &rig);
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
    watch.stop().await;
    rig.world.remove(2).unwrap();
    let mut watch = start(data.path(), &rig);
    let view =
        until(&mut watch, "seven cards and a gap", |view| present(view) == 7 && view.seats.len() == 8).await;
    assert_eq!(missing(&view), ["03:00.0"]);
}

#[tokio::test]
async fn a_card_in_a_missing_ones_slot_replaces_it() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = start(data.path(), &rig);
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
    let old = rig.world.card(4).unwrap().unwrap().uuid;
    watch.stop().await;
    rig.world.swap(4).unwrap();
    let new = rig.world.card(4).unwrap().unwrap().uuid;
    let mut watch = start(data.path(), &rig);
    let replaced = |change: &Change| matches!(change, Change::Replaced { old: o, new: n, .. } if o.as_str() == old && n.as_str() == new);
    until(&mut watch, "the replacement is told", |view| view.changes.iter().any(replaced)).await;
    let view = until(&mut watch, "eight cards again", |view| present(view) == 8).await;
    assert_eq!(view.seats.len(), 8, "the replaced card is expected no more");
}

#[tokio::test]
async fn a_slow_start_of_the_driver_is_no_missing_card() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = start(data.path(), &rig);
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
    watch.stop().await;
    rig.world.hang(fanfare_sim_state::Target::All, "nvmlDeviceGetCount_v2".parse().ok(), None).unwrap();
    let mut watch = start(data.path(), &rig);
    let view =
        until(&mut watch, "a driver that hangs", |view| matches!(view.snapshot.roster, Roster::Stuck { .. }))
            .await;
    assert_eq!(view.seats.len(), 8);
    assert!(view.seats.iter().all(|seat| seat.occupant == Occupant::Awaited), "{:?}", view.seats);
    rig.world.release(fanfare_sim_state::Target::All).unwrap();
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
}

#[tokio::test]
async fn a_card_the_driver_does_not_hand_out_is_unreached_and_not_missing() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = start(data.path(), &rig);
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
    watch.stop().await;
    rig.world.lose(2).unwrap();
    let mut watch = start(data.path(), &rig);
    let view = until(&mut watch, "seven cards", |view| present(view) == 7).await;
    let unreached: Vec<_> = view.seats.iter().filter(|seat| seat.occupant == Occupant::Unreached).collect();
    assert_eq!(unreached.len(), 1);
    assert_eq!(unreached[0].member.slot.unwrap().short(), "03:00.0");
}

#[tokio::test]
async fn a_directory_that_cannot_be_written_costs_no_reading() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    // A file stands where the directory should be: no user, root included, can make a database in it.
    let directory = data.path().join("no-directory");
    std::fs::write(&directory, "").unwrap();
    let mut watch = start(&directory, &rig);
    let view = until(&mut watch, "eight cards", |view| present(view) == 8).await;
    assert!(view.unstored.is_some(), "what cannot be kept is said");
}

#[tokio::test]
async fn a_database_locked_in_mid_run_costs_no_reading() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = start(data.path(), &rig);
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
    let other = rusqlite::Connection::open(data.path().join(StateDb::FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    rig.world.add().unwrap();
    let view = until(&mut watch, "the ninth card", |view| present(view) == 9).await;
    assert!(view.unstored.is_some(), "a change that could not be kept is said");
    other.execute_batch("COMMIT").unwrap();
    until(&mut watch, "what was kept in the end", |view| view.unstored.is_none()).await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    assert_eq!(stored.members().count(), 9);
}

#[tokio::test]
async fn simulated_cards_never_enter_the_owners_inventory() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = RigWatch::start(data.path(), Profile::Real, &rig.probe()).unwrap();
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    assert_eq!(stored.members().count(), 0);
}

#[tokio::test]
async fn an_inventory_of_eight_and_no_library_is_eight_remembered_cards() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = start(data.path(), &rig);
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
    watch.stop().await;
    let mut command = rig.probe();
    command.nvml_lib = Some("/nonexistent/libnvidia-ml.so.1".into());
    let mut watch = RigWatch::start(data.path(), Profile::Demo, &command).unwrap();
    let error = timeout(PATIENCE, watch.next()).await.unwrap().unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
    assert_eq!(watch.inventory().members().count(), 8, "what was met is not forgotten");
}

#[tokio::test]
async fn the_inventory_on_disk_is_the_one_that_was_seen() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let mut watch = start(data.path(), &rig);
    until(&mut watch, "eight cards", |view| present(view) == 8).await;
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
