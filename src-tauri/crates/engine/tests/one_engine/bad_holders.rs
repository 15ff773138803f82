//! What a holder may do to a client: make it wait, and nothing else.

use fanfare_engine::{
    Engine, EngineError, Obstacle, ProbeState, RigState, Role,
    api::{ApiError, ErrorCode, Kind, Request},
    hold::{HoldLock, Holding},
    visit,
};
use fanfare_testkit::{PATIENCE, SimRig};
use tokio::time::timeout;

use crate::kit::{
    FakeHolder, GREETING, Wire, answering, is_client, is_holder, setup, start, until, until_role,
};

/// An engine that is the client of `fake`, with the fake's end of it.
async fn client_of(fake: &FakeHolder, data: &std::path::Path, rig: &SimRig) -> (Engine, Wire) {
    let greet = async {
        let mut wire = fake.client().await;
        wire.say(GREETING).await;
        wire
    };
    tokio::join!(start(data, rig), greet)
}

#[tokio::test]
async fn a_newer_holder_is_refused_by_name() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let fake = FakeHolder::of(data.path());
    let newer = async {
        let mut wire = fake.client().await;
        wire.say(r#"{"protocol":2,"version":"9.9.9","who":["nobody","knows"]}"#).await;
        wire
    };
    let (started, _wire) = tokio::join!(Engine::start(setup(data.path(), &rig, Kind::Window)), newer);
    let error = started.unwrap_err();
    assert!(matches!(error, EngineError::Obstacle(Obstacle::OtherVersion { .. })), "{error}");
    assert!(error.to_string().contains("version 9.9.9 and speaks protocol 2"), "{error}");
    assert_eq!(ApiError::from(&error).code, ErrorCode::OtherVersion);
}

#[tokio::test]
async fn a_client_whose_holder_is_followed_by_a_newer_one_refuses_requests_by_name() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let fake = FakeHolder::of(data.path());
    let (engine, wire) = client_of(&fake, data.path(), &rig).await;
    drop(wire);
    let refused = timeout(PATIENCE, async {
        loop {
            // Each try to come back meets a newer one, which was put in the place of the old.
            let serving = async {
                loop {
                    fake.client().await.say(r#"{"protocol":2,"version":"9.9.9"}"#).await;
                }
            };
            let asked = tokio::select! {
                asked = engine.ask(Request::Info) => asked,
                () = serving => unreachable!("it serves for ever"),
            };
            match asked.unwrap_err() {
                error if error.code == ErrorCode::OtherVersion => return error,
                // Asked while the old connection was still thought to be there.
                error => assert_eq!(error.code, ErrorCode::NoAnswer),
            }
        }
    });
    let error = refused.await.unwrap();
    assert!(error.detail.unwrap().contains("version 9.9.9 and speaks protocol 2"));
    assert_eq!(engine.role(), Role::Seeking);
    engine.stop().await;
}

#[tokio::test]
async fn a_request_on_its_way_is_refused_at_once_when_the_holder_goes() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let fake = FakeHolder::of(data.path());
    let (engine, mut wire) = client_of(&fake, data.path(), &rig).await;
    let go = async {
        assert_eq!(wire.line().await.unwrap(), "{\"id\":1,\"request\":{\"ask\":\"info\"}}\n");
        drop(wire);
    };
    let (answer, ()) = tokio::join!(engine.ask(Request::Info), go);
    let error = answer.unwrap_err();
    assert_eq!(error.message, "the holder of the data directory went before it answered");
    engine.stop().await;
}

#[tokio::test]
async fn a_holder_that_babbles_is_left_and_found_again_when_it_is_well() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let fake = FakeHolder::of(data.path());
    let (engine, mut wire) = client_of(&fake, data.path(), &rig).await;
    let before = engine.rig().borrow().clone();
    for garbage in ["", "{}", "nonsense", r#"{"state":{"number":1}}"#, &"x".repeat(5 << 20)] {
        wire.say(garbage).await;
        // It closes, and comes back because the directory is still held.
        wire.until_closed().await;
        wire = fake.client().await;
        wire.say(GREETING).await;
        until_role(&engine, "a client again", is_client).await;
    }
    let now = engine.rig().borrow().clone();
    // That it says nothing between two of these may have been told.
    let apart_from_silence = RigState { probe: before.probe.clone(), ..(*now).clone() };
    assert_eq!(apart_from_silence, *before, "nothing of that was shown");
    drop((wire, fake));
    until_role(&engine, "the take-over", is_holder).await;
    until(&engine, "eight cards", |state| answering(state) == 8).await;
    engine.stop().await;
}

#[tokio::test]
async fn half_a_state_is_none() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let line = state_of_eight(&rig).await;
    let fake = FakeHolder::of(data.path());
    let (engine, mut wire) = client_of(&fake, data.path(), &rig).await;
    wire.say_half(&line[..line.len() / 2]).await;
    drop(wire);
    let mut wire = fake.client().await;
    assert_eq!(answering(&engine.rig().borrow()), 0);
    wire.say(GREETING).await;
    wire.say(&line).await;
    until(&engine, "the whole state", |state| answering(state) == 8).await;
    engine.stop().await;
}

#[tokio::test]
async fn without_a_holder_the_last_state_stays_and_requests_are_refused() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let fake = FakeHolder::of(data.path());
    let (engine, wire) = client_of(&fake, data.path(), &rig).await;
    // It goes, and another has the lock who serves nobody.
    drop((wire, fake));
    let lock = HoldLock::take(data.path()).unwrap();
    until_role(&engine, "no holder", |role| *role == Role::Seeking).await;
    let last = engine.rig().borrow().clone();
    assert_eq!(engine.ask(Request::Info).await.unwrap_err().code, ErrorCode::NoAnswer);
    assert_eq!(*engine.rig().borrow(), last, "nothing is made up");
    drop(lock);
    until_role(&engine, "the take-over", is_holder).await;
    engine.stop().await;
}

#[tokio::test]
async fn a_holder_that_hangs_is_the_holder_and_requests_time_out() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let fake = FakeHolder::of(data.path());
    let (engine, _wire) = client_of(&fake, data.path(), &rig).await;
    let error = engine.ask(Request::Info).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NoAnswer);
    assert!(is_client(&engine.role()), "a holder that hangs is the holder");
    engine.stop().await;
}

#[tokio::test]
async fn a_holder_that_falls_silent_is_named_again_and_again_and_values_stay_until_it_speaks() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let line = state_of_eight(&rig).await;
    let fake = FakeHolder::of(data.path());
    let (engine, mut wire) = client_of(&fake, data.path(), &rig).await;
    wire.say(&line).await;
    until(&engine, "eight cards", |state| answering(state) == 8).await;
    let is_silent = |state: &RigState| matches!(state.probe, ProbeState::HolderSilent { .. });
    let silent = until(&engine, "its silence", is_silent).await;
    let ProbeState::HolderSilent { holder, .. } = &silent.probe else { panic!("{silent:?}") };
    assert_eq!((holder.pid, holder.kind), (1, Kind::Serve), "as it greeted");
    assert_eq!(answering(&silent), 8, "the last values stay");
    // Whoever shows it would take states that stop coming for an engine that stopped.
    let mut rig = engine.rig();
    for _ in 0..3 {
        rig.mark_unchanged();
        timeout(PATIENCE, rig.changed()).await.unwrap().unwrap();
        assert!(is_silent(&rig.borrow()));
    }
    wire.say(&line).await;
    until(&engine, "its word", |state| state.probe == ProbeState::Reading).await;
    engine.stop().await;
}

/// A holder's line with a state in which eight cards answer.
async fn state_of_eight(rig: &SimRig) -> String {
    let data = tempfile::tempdir().unwrap();
    let real = start(data.path(), rig).await;
    let state =
        until(&real, "eight cards", |state| answering(state) == 8 && state.probe == ProbeState::Reading);
    let state = serde_json::to_string(&*state.await).unwrap();
    real.stop().await;
    format!(r#"{{"state":{state}}}"#)
}

#[tokio::test]
async fn a_holder_that_does_not_even_greet_is_named_to_whoever_asks_who_holds() {
    let data = tempfile::tempdir().unwrap();
    assert_eq!(visit(data.path(), Kind::Command).await.unwrap(), Holding::Free);
    let fake = FakeHolder::of(data.path());
    let refused = visit(data.path(), Kind::Command).await.unwrap_err();
    let Obstacle::Silent(by) = refused else { panic!("{refused}") };
    assert_eq!(by.holder.pid, std::process::id());
    let greet = async {
        let mut wire = fake.client().await;
        // The one that waits in the line is the visitor before.
        let mut other = fake.client().await;
        wire.say(GREETING).await;
        other.say(GREETING).await;
        (wire, other)
    };
    let (found, _wires) = tokio::join!(visit(data.path(), Kind::Command), greet);
    assert!(matches!(found.unwrap(), Holding::Held(Some(_))));
}
