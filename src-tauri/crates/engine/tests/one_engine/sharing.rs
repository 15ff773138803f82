//! Who comes second looks on, and takes over when the first goes.

use std::{path::Path, time::Duration};

use fanfare_engine::{
    Engine, EngineError, Obstacle, RigState, Role,
    api::{CourseQuestion, EngineInfo, Kind, Reply, Request},
    state_db::StateDb,
};
use fanfare_history::Quantity;
use fanfare_rig::Occupant;
use fanfare_testkit::{PATIENCE, SimRig};
use fanfare_units::Boottime;
use tokio::time::{sleep, timeout};

use crate::kit::{answering, is_client, is_holder, setup, socket, start, until, until_role};

/// When the last sweep began.
fn swept(state: &RigState) -> Option<Boottime> {
    state.snapshot.as_ref().map(|snapshot| snapshot.at.boottime)
}

/// Each answering card's temperature, in slot order.
fn temperatures(state: &RigState) -> Vec<i32> {
    let temperature = |occupant: &Occupant| match occupant {
        Occupant::Card(card) => card.read(|sample| &sample.temperature).value().map(|celsius| celsius.0),
        _ => None,
    };
    state.seats.iter().filter_map(|seat| temperature(&seat.occupant)).collect()
}

async fn info(engine: &Engine) -> EngineInfo {
    match engine.ask(Request::Info).await.unwrap() {
        Reply::Info(info) => info,
        other => panic!("{other:?}"),
    }
}

/// Waits until the inventory has a row for each of `cards` cards; there may never be more.
async fn until_kept(data: &Path, cards: usize) {
    let kept = || {
        let db = StateDb::read(data).unwrap();
        db.map_or(0, |db| db.inventory().map_or(0, |inventory| inventory.members().count()))
    };
    let all = timeout(PATIENCE, async {
        while kept() != cards {
            assert!(kept() <= cards, "a row too many");
            sleep(Duration::from_millis(10)).await;
        }
    });
    all.await.unwrap_or_else(|_| panic!("{} of {cards} rows", kept()));
}

#[tokio::test]
async fn a_client_is_told_the_same_of_the_past_as_the_holder() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let holder = Engine::hold(setup(data.path(), &rig, Kind::Serve)).await.unwrap();
    let client = start(data.path(), &rig).await;
    let state = until(&client, "some sweeps", |state| {
        answering(state) == 8 && state.snapshot.as_ref().is_some_and(|snapshot| snapshot.sweep > 5)
    })
    .await;
    let now_ms = state.snapshot.as_ref().unwrap().at.wall.as_millisecond();
    let question = CourseQuestion {
        uuids: state.seats.iter().map(|seat| seat.member.uuid.clone()).collect(),
        quantities: Quantity::ALL.to_vec(),
        from_ms: now_ms - 60_000,
        // What is recorded meanwhile lies beyond it.
        to_ms: now_ms,
        points: 2_000,
    };
    let told = async |engine: &Engine| match engine
        .ask(Request::Course { question: question.clone() })
        .await
        .unwrap()
    {
        Reply::Course { block } => block.0,
        other => panic!("{other:?}"),
    };
    let mut of_the_client = told(&client).await;
    // 8 cards with 18 quantities at some times: a head, and 25 bytes and more a point. Before the file is open there is none.
    while of_the_client.len() <= 24 + 144 * 25 {
        sleep(Duration::from_millis(20)).await;
        of_the_client = told(&client).await;
    }
    assert_eq!(of_the_client, told(&holder).await);
    client.stop().await;
    holder.stop().await;
}

#[tokio::test]
async fn the_second_looks_on_and_sees_what_the_first_reads() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let first = Engine::hold(setup(data.path(), &rig, Kind::Serve)).await.unwrap();
    let second = start(data.path(), &rig).await;
    assert!(is_holder(&first.role()));
    let Role::Client(by) = second.role() else { panic!("{:?}", second.role()) };
    assert_eq!((by.holder.pid, by.holder.kind), (std::process::id(), Kind::Serve));
    let seen = until(&second, "eight cards", |state| answering(state) == 8).await;
    let truth: Vec<i32> = rig.world.cards().unwrap().iter().map(|card| card.temperature).collect();
    assert_eq!(temperatures(&seen), truth);
    assert_eq!(info(&first).await, EngineInfo { own: true, ..info(&second).await });
    assert!(!info(&second).await.own, "it asked another");
    until_kept(data.path(), 8).await;
    second.stop().await;
    first.stop().await;
}

#[tokio::test]
async fn the_holder_of_a_directory_is_named_to_whoever_wants_to_hold_it() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let first = Engine::hold(setup(data.path(), &rig, Kind::Window)).await.unwrap();
    let error = Engine::hold(setup(data.path(), &rig, Kind::Serve)).await.unwrap_err();
    let EngineError::Obstacle(Obstacle::Held(by)) = &error else { panic!("{error}") };
    assert_eq!(by.holder.kind, Kind::Window);
    first.stop().await;
    Engine::hold(setup(data.path(), &rig, Kind::Serve)).await.unwrap().stop().await;
}

#[tokio::test]
async fn when_the_holder_ends_a_client_takes_over_and_the_sweeps_go_on() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let first = start(data.path(), &rig).await;
    let second = start(data.path(), &rig).await;
    let before = swept(&*until(&second, "eight cards", |state| answering(state) == 8).await);
    first.stop().await;
    until_role(&second, "the take-over", is_holder).await;
    until(&second, "eight cards again", |state| answering(state) == 8 && swept(state) > before).await;
    assert!(info(&second).await.own);
    second.stop().await;
    assert!(!socket(data.path()).exists(), "the last one takes its socket away");
}

#[tokio::test]
async fn of_two_clients_one_takes_over_and_the_other_becomes_its_client() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    for round in 0..10 {
        let holder = start(data.path(), &rig).await;
        let (one, other) = tokio::join!(start(data.path(), &rig), start(data.path(), &rig));
        assert!(is_client(&one.role()) && is_client(&other.role()), "round {round}");
        holder.stop().await;
        let settled = timeout(PATIENCE, async {
            while !(is_holder(&one.role()) && is_client(&other.role())
                || is_client(&one.role()) && is_holder(&other.role()))
            {
                assert!(!(is_holder(&one.role()) && is_holder(&other.role())), "two holders");
                sleep(Duration::from_millis(5)).await;
            }
        });
        settled.await.unwrap_or_else(|_| panic!("round {round}: {:?}, {:?}", one.role(), other.role()));
        tokio::join!(one.stop(), other.stop());
    }
}
