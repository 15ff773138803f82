//! What a client may do to a holder: nothing that the others notice.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use fanfare_engine::{
    RigState,
    api::{ErrorCode, Kind, Request},
};
use fanfare_testkit::{PATIENCE, SimRig};
use tokio::time::{sleep, timeout};

use crate::kit::{GREETING, Wire, answering, setup, socket, start, until};

#[tokio::test]
async fn a_newer_client_is_told_the_version_and_let_go() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let holder = start(data.path(), &rig).await;
    let mut client = Wire::to(data.path()).await;
    client.say(r#"{"protocol":2,"pid":1,"kind":"hologram","version":"9.9.9","news":[]}"#).await;
    let greeting = client.line().await.unwrap();
    assert!(greeting.contains(r#""protocol":1"#), "{greeting}");
    assert!(greeting.contains(&format!(r#""version":"{}""#, env!("CARGO_PKG_VERSION"))), "{greeting}");
    assert_eq!(client.line().await, None, "nothing is said to it in a protocol that is not its own");
    holder.stop().await;
}

#[tokio::test]
async fn what_is_no_greeting_or_no_request_ends_a_client_and_no_other() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let holder = start(data.path(), &rig).await;
    let well = start(data.path(), &rig).await;
    for garbage in ["", "{}", "GET / HTTP/1.1", "\u{0}\u{1}", r#"{"protocol":"one"}"#, &"x".repeat(5 << 20)] {
        let mut client = Wire::to(data.path()).await;
        client.say(garbage).await;
        client.until_closed().await;
    }
    for garbage in ["", "[]", r#"{"id":1}"#, r#"{"id":1,"request":{"ask":"dance"}}"#, &"x".repeat(5 << 20)] {
        let mut client = Wire::greeted(data.path()).await;
        client.say(garbage).await;
        client.until_closed().await;
    }
    until(&well, "eight cards", |state| answering(state) == 8).await;
    well.ask(Request::Info).await.unwrap();
    well.stop().await;
    holder.stop().await;
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_greeting_is_let_go() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let holder = start(data.path(), &rig).await;
    let mut client = Wire::to(data.path()).await;
    client.say_half(&GREETING[..20]).await;
    assert!(client.line().await.is_some(), "it is greeted");
    assert_eq!(client.line().await, None);
    holder.stop().await;
}

#[tokio::test]
async fn a_client_that_asks_is_answered_by_number() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let holder = start(data.path(), &rig).await;
    let mut client = Wire::greeted(data.path()).await;
    client
        .say(r#"{"id":7,"request":{"ask":"call_costs","uuid":"GPU-00000000-0000-0000-0000-000000000000"}}"#)
        .await;
    let refusal = timeout(PATIENCE, async {
        loop {
            let line = client.line().await.unwrap();
            if !line.starts_with(r#"{"state":"#) {
                return line;
            }
        }
    });
    let refusal = refusal.await.unwrap();
    assert!(refusal.starts_with(r#"{"refusal":{"id":7,"error":{"code":"unknown_card","#), "{refusal}");
    holder.stop().await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_has_no_queue_and_is_dropped() {
    // 64 cards: a state is some 200 KiB, so that what the kernel holds for a client is soon full.
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still_with(64));
    let holder = start(data.path(), &rig).await;
    let mut client = Wire::greeted(data.path()).await;
    let mut states: Vec<Weak<RigState>> = Vec::new();
    let mut rig = holder.rig();
    let watched = timeout(PATIENCE, async {
        while states.len() < 50 {
            rig.changed().await.unwrap();
            states.push(Arc::downgrade(&rig.borrow_and_update()));
        }
    });
    watched.await.unwrap();
    // The newest is in the hub's channel or the engine's, and one is being written to the client.
    let alive = states.iter().filter(|state| state.strong_count() > 0).count();
    assert!(alive <= 4, "{alive} of 50 states are kept");
    client.until_closed_unread().await;
    holder.stop().await;
}

#[tokio::test]
async fn the_thirty_third_client_is_turned_away_until_one_goes() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let holder = start(data.path(), &rig).await;
    let mut clients = Vec::new();
    for _ in 0..32 {
        clients.push(Wire::greeted(data.path()).await);
    }
    assert_eq!(Wire::to(data.path()).await.line().await, None);
    clients.pop();
    let again = timeout(PATIENCE, async {
        while Wire::to(data.path()).await.line().await.is_none() {
            sleep(Duration::from_millis(10)).await;
        }
    });
    again.await.unwrap();
    holder.stop().await;
}

#[tokio::test]
async fn a_stopped_engine_lets_its_clients_go_and_answers_nothing() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let holder = fanfare_engine::Engine::hold(setup(data.path(), &rig, Kind::Serve)).await.unwrap();
    let handle = holder.handle();
    let mut client = Wire::greeted(data.path()).await;
    holder.stop().await;
    client.until_closed().await;
    assert!(!socket(data.path()).exists());
    assert_eq!(handle.ask(Request::Info).await.unwrap_err().code, ErrorCode::Ending);
}
