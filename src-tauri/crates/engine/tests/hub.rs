//! The holder of a rig: what it publishes, remembers and answers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{fs, path::Path, time::Duration};

use fanfare_engine::{
    Disk, Hub, HubSetup, Occupancy, Rental, Rentals, RigState, Source, Unstored, Usage,
    api::{ErrorCode, Kind, Reply, Request},
    frame::Recent,
    profile::Profile,
    settings::{Appearance, MoneySettings, Section, SettingsPatch, Theme},
    state_db::StateDb,
};
use fanfare_rig::{CardUuid, Occupant, Standing};
use fanfare_testkit::{PATIENCE, SimRig, answering, eight_answering, hub_setup, probes, until};
use tokio::{sync::watch, time::timeout};

const STRANGER: &str = "GPU-00000000-0000-0000-0000-00000000ffff";

fn start(directory: &Path, profile: Profile, rig: &SimRig) -> Hub {
    Hub::start(hub_setup(directory, profile, rig.probe())).unwrap()
}

fn uuid(rig: &SimRig, slot: usize) -> CardUuid {
    rig.world.card(slot).unwrap().unwrap().uuid.parse().unwrap()
}

fn occupancy<'a>(state: &'a RigState, uuid: &CardUuid) -> &'a Occupancy {
    &state.occupancy[uuid]
}

#[tokio::test]
async fn eight_cards_are_read_and_remembered() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    let state = eight_answering(&hub).await;
    assert_eq!(state.last.len(), 8);
    let idle = Occupancy { usage: Usage::Idle, source: Source::Processes };
    assert_eq!(state.occupancy.values().filter(|occupancy| **occupancy == idle).count(), 8);
    let later = until(&hub, "the next state", |later| later.number > state.number).await;
    assert_eq!(later.disk.unstored, None);
    hub.stop().await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    assert_eq!(stored.members().count(), 8);
}

#[tokio::test]
async fn it_says_who_it_is_and_refuses_what_it_does_not_know() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    let Reply::Info(info) = hub.ask(Request::Info).await.unwrap() else { panic!("another reply") };
    assert_eq!((info.holder.pid, info.holder.kind, info.own), (std::process::id(), Kind::Serve, true));
    assert_eq!(info.directory, data.path().to_string_lossy());
    assert_eq!(info.disk, Disk::default());
    eight_answering(&hub).await;
    let stranger: CardUuid = STRANGER.parse().unwrap();
    for request in [
        Request::CallCosts { uuid: stranger.clone() },
        Request::MarkOwnJob { uuid: stranger.clone(), own: true },
        Request::ForgetCard { uuid: stranger.clone() },
    ] {
        let error = hub.ask(request.clone()).await.unwrap_err();
        assert_eq!(
            (error.code, error.detail.as_deref()),
            (ErrorCode::UnknownCard, Some(STRANGER)),
            "{request:?}"
        );
    }
    let handle = hub.handle();
    hub.stop().await;
    assert_eq!(handle.ask(Request::Info).await.unwrap_err().code, ErrorCode::Ending);
}

#[tokio::test]
async fn a_mark_of_own_work_shows_at_once_and_outlives_the_program() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let card = uuid(&rig, 3);
    let own = Occupancy { usage: Usage::OwnJob, source: Source::Owner };
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    hub.ask(Request::MarkOwnJob { uuid: card.clone(), own: true }).await.unwrap();
    assert_eq!(*occupancy(&hub.rig().borrow(), &card), own, "it shows when the answer comes");
    hub.stop().await;
    let hub = start(data.path(), Profile::Demo, &rig);
    let state = eight_answering(&hub).await;
    assert_eq!(*occupancy(&state, &card), own);
    assert_eq!(state.occupancy.values().filter(|occupancy| **occupancy == own).count(), 1);
    hub.ask(Request::MarkOwnJob { uuid: card.clone(), own: false }).await.unwrap();
    assert_eq!(occupancy(&hub.rig().borrow(), &card).usage, Usage::Idle);
    hub.stop().await;
}

#[tokio::test]
async fn a_missing_card_that_is_forgotten_is_expected_no_more() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    let gone = uuid(&rig, 2);
    hub.stop().await;
    rig.world.remove(2).unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    let missing = |state: &RigState| state.seats.iter().any(|seat| seat.occupant == Occupant::Missing);
    until(&hub, "seven and a gap", |state| answering(state) == 7 && missing(state)).await;
    hub.ask(Request::ForgetCard { uuid: gone.clone() }).await.unwrap();
    assert_eq!(hub.rig().borrow().seats.len(), 7);
    let again = hub.ask(Request::ForgetCard { uuid: gone.clone() }).await.unwrap_err();
    assert_eq!(again.code, ErrorCode::UnknownCard);
    hub.stop().await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    assert_eq!(stored.member(&gone).unwrap().standing, Standing::Forgotten);
}

#[tokio::test]
async fn rentals_show_with_their_source_and_the_owners_rig_believes_no_simulation() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let card = uuid(&rig, 5);
    let rental = |source| Rental { platform: "Vast.ai".into(), source };
    let rented = |source| Occupancy { usage: Usage::Rented { platform: "Vast.ai".into() }, source };
    for (profile, source, shown) in [
        (Profile::Demo, Source::Simulation, rented(Source::Simulation)),
        (Profile::Real, Source::Platform, rented(Source::Platform)),
        (Profile::Real, Source::Simulation, Occupancy { usage: Usage::Idle, source: Source::Processes }),
    ] {
        let (tell, rentals) = watch::channel(Rentals::new());
        let hub = Hub::start(HubSetup { rentals, ..hub_setup(data.path(), profile, rig.probe()) }).unwrap();
        eight_answering(&hub).await;
        tell.send(Rentals::from([(card.clone(), rental(source))])).unwrap();
        // Two states on, the news has been heard whether it counts or not.
        let now = hub.rig().borrow().number;
        let state = until(&hub, "a later state", |state| state.number > now + 2).await;
        assert_eq!(*occupancy(&state, &card), shown, "{profile} {source:?}");
        hub.stop().await;
    }
}

#[tokio::test]
async fn settings_are_changed_refused_and_reset() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    let dark = SettingsPatch {
        appearance: Some(Appearance { theme: Theme::Dark, ..Appearance::default() }),
        ..SettingsPatch::default()
    };
    let Reply::Settings(changed) = hub.ask(Request::ChangeSettings { patch: dark }).await.unwrap() else {
        panic!("another reply")
    };
    assert_eq!(changed.appearance.theme, Theme::Dark);
    let bad = SettingsPatch {
        money: Some(MoneySettings { day_begins: 24, ..MoneySettings::default() }),
        ..SettingsPatch::default()
    };
    let refused = hub.ask(Request::ChangeSettings { patch: bad }).await.unwrap_err();
    assert_eq!((refused.code, refused.detail.as_deref()), (ErrorCode::BadSetting, Some("money.day_begins")));
    assert_eq!(hub.ask(Request::Settings).await, Ok(Reply::Settings(changed.clone())));
    hub.stop().await;
    let hub = start(data.path(), Profile::Demo, &rig);
    assert_eq!(hub.ask(Request::Settings).await, Ok(Reply::Settings(changed)));
    let Reply::Settings(reset) =
        hub.ask(Request::ResetSettings { section: Section::Appearance }).await.unwrap()
    else {
        panic!("another reply")
    };
    assert_eq!(reset.appearance, Appearance::default());
    hub.stop().await;
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_named_and_the_cards_are_read() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    fs::write(data.path().join(StateDb::FILE), "no database").unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    let Reply::Info(info) = hub.ask(Request::Info).await.unwrap() else { panic!("another reply") };
    let set_aside = info.disk.set_aside.unwrap();
    let (path, why) = set_aside.split_once(" (").unwrap();
    assert_eq!(fs::read(path).unwrap(), b"no database");
    assert!(!why.is_empty());
    until(&hub, "that it is told", |state| state.disk.set_aside.as_deref() == Some(&*set_aside)).await;
    hub.stop().await;
}

#[tokio::test]
async fn a_file_of_a_newer_program_is_left_as_it_is_and_told() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let file = data.path().join(StateDb::FILE);
    let newer = rusqlite::Connection::open(&file).unwrap();
    newer.execute_batch("CREATE TABLE later (x); PRAGMA user_version = 99").unwrap();
    drop(newer);
    let before = fs::read(&file).unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    let is_newer = |state: &RigState| matches!(&state.disk.unstored, Some(Unstored::Newer(why)) if why.contains("version 99"));
    until(&hub, "that it is newer", is_newer).await;
    hub.stop().await;
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn what_cannot_be_written_costs_no_reading_and_what_the_owner_orders_is_refused() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    // A file stands where the directory should be: no user, root included, can make a database in it.
    let directory = data.path().join("no-directory");
    fs::write(&directory, "").unwrap();
    let hub = start(&directory, Profile::Demo, &rig);
    eight_answering(&hub).await;
    until(&hub, "that nothing is kept", |state| state.disk.unstored.is_some()).await;
    for request in [
        Request::MarkOwnJob { uuid: uuid(&rig, 0), own: true },
        Request::ForgetCard { uuid: uuid(&rig, 0) },
        Request::ChangeSettings { patch: SettingsPatch::default() },
        Request::ResetSettings { section: Section::Money },
    ] {
        let error = hub.ask(request.clone()).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::NotStored, "{request:?}");
    }
    let state = until(&hub, "eight cards still", |state| answering(state) == 8).await;
    assert_eq!(occupancy(&state, &uuid(&rig, 0)).usage, Usage::Idle, "a mark that is not kept does not show");
    hub.stop().await;
}

#[tokio::test]
async fn a_locked_file_holds_up_neither_a_sweep_nor_a_stop_and_is_written_in_the_end() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    let other = rusqlite::Connection::open(data.path().join(StateDb::FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    rig.world.add().unwrap();
    until(&hub, "the ninth card", |state| answering(state) == 9).await;
    until(&hub, "that it is not kept", |state| state.disk.unstored.is_some()).await;
    other.execute_batch("COMMIT").unwrap();
    until(&hub, "that all is kept", |state| state.disk.unstored.is_none()).await;
    let stored = StateDb::read(data.path()).unwrap().unwrap().inventory().unwrap();
    assert_eq!(stored.members().count(), 9);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    timeout(Duration::from_secs(10), hub.stop()).await.unwrap();
    assert_eq!(probes(&rig), [0_i32; 0]);
}

#[tokio::test]
async fn a_file_that_is_locked_at_the_start_holds_up_no_reading_and_is_remembered_once_it_opens() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    hub.ask(Request::MarkOwnJob { uuid: uuid(&rig, 3), own: true }).await.unwrap();
    hub.stop().await;
    rig.world.remove(7).unwrap();
    // Not even a reader gets in.
    let other = rusqlite::Connection::open(data.path().join(StateDb::FILE)).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    let state = until(&hub, "seven cards", |state| answering(state) == 7).await;
    assert_eq!(state.seats.len(), 7, "nobody can tell that there was an eighth");
    until(&hub, "that it does not open", |state| state.disk.unstored.is_some()).await;
    drop(other);
    let state = until(&hub, "the eighth seat", |state| state.seats.len() == 8).await;
    assert_eq!(occupancy(&state, &uuid(&rig, 3)).usage, Usage::OwnJob);
    until(&hub, "that all is kept", |state| state.disk.unstored.is_none()).await;
    hub.stop().await;
}

#[tokio::test]
async fn the_last_half_hour_ends_with_the_temperature_that_is_read() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    rig.world.temperature(4, Some(71)).unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    let Reply::Recent(Recent { step_ms, cards }) = hub.ask(Request::Recent).await.unwrap() else {
        panic!("another reply")
    };
    assert_eq!((step_ms, cards.len()), (10_000, 8));
    let card = cards.iter().find(|card| card.uuid == uuid(&rig, 4).as_str()).unwrap();
    assert_eq!(card.temperatures_c.len(), 180);
    // The sweep may lie in the step before the one in which the question came.
    let values: Vec<i32> = card.temperatures_c.iter().copied().flatten().collect();
    assert!(values == [71] || values == [71, 71], "{values:?}");
    hub.stop().await;
}

#[tokio::test]
async fn a_hub_that_is_dropped_ends_its_probe() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    assert_eq!(probes(&rig).len(), 1);
    drop(hub);
    let ended = async {
        while !probes(&rig).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, ended).await.unwrap();
}
