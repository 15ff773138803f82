//! The demo's history begins with a day of its past, once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::{ops::ControlFlow, path::Path, time::Duration};

use fanfare_engine::{
    Hub, HubSetup, PastCommand,
    api::{Mark, MarkKind, Reply, Request},
    profile::Profile,
};
use fanfare_history::Reader;
use fanfare_testkit::{PATIENCE, SimRig, eight_answering, hub_setup, program};
use fanfare_units::BootId;
use jiff::Timestamp;
use tokio::time::{Instant, sleep};

const DAY_MS: i64 = 86_400_000;

fn start(data: &Path, rig: &SimRig) -> Hub {
    let past = Some(PastCommand::of(program("fanfare-sim"), data.join("rig.past")));
    Hub::start(HubSetup { past, ..hub_setup(data, Profile::Demo, rig.probe()) }).unwrap()
}

async fn marks(hub: &Hub) -> Vec<Mark> {
    let now_ms = Timestamp::now().as_millisecond();
    let asked = Request::Marks { uuid: None, from_ms: now_ms - 2 * DAY_MS, to_ms: now_ms };
    match hub.ask(asked).await {
        Ok(Reply::Marks(marks)) => marks.marks,
        // The thread is at the past, or the file is not there yet.
        _ => Vec::new(),
    }
}

/// The marks as soon as there are any.
async fn first_marks(hub: &Hub) -> Vec<Mark> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let marks = marks(hub).await;
        if !marks.is_empty() {
            return marks;
        }
        assert!(Instant::now() < deadline, "the past is never there");
        sleep(Duration::from_millis(200)).await;
    }
}

/// How often the wall goes back from one sweep to the next; some sweeps of both the past and this boot must be there.
fn steps_back(data: &Path) -> usize {
    let mut walls: Vec<(BootId, i64)> = Vec::new();
    let reader = Reader::open(data).unwrap().unwrap();
    reader
        .walk(None, &[], |past| {
            walls.push((past.boot, past.wall_us));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_ne!(walls.first().unwrap().0, walls.last().unwrap().0);
    walls.windows(2).filter(|pair| pair[1].1 < pair[0].1).count()
}

#[tokio::test]
async fn an_empty_history_of_the_demo_begins_with_a_day_of_its_past_and_has_it_once() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let hub = start(data.path(), &rig);
    eight_answering(&hub).await;
    let told = first_marks(&hub).await;
    let ended_ms = Timestamp::now().as_millisecond();
    // The fault of that day, 13 of its 24 hours after its beginning; the past ended when it was told, some seconds ago.
    let [Mark { at_ms, kind: MarkKind::Xid { number: 31 }, .. }] = told[..] else { panic!("{told:?}") };
    let late_ms = ended_ms - 11 * 3_600_000 - at_ms;
    assert!((0..60_000).contains(&late_ms), "{late_ms} ms");
    hub.stop().await;
    assert_eq!(steps_back(data.path()), 0, "the past ends before the first sweep that was read");

    let again = start(data.path(), &rig);
    eight_answering(&again).await;
    // Longer than it would take before a past is told.
    sleep(Duration::from_secs(6)).await;
    assert_eq!(marks(&again).await, told);
    again.stop().await;
    assert!(!data.path().join("rig.past").exists());
}
