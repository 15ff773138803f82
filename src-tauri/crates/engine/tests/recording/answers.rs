//! What was read is answered: at once, after a restart, and to whoever asks.

use fanfare_engine::{
    api::{CourseQuestion, ErrorCode, HistoryUsage, Mark, MarkKind, Reply, Request},
    profile::Profile,
};
use fanfare_history::Quantity;
use fanfare_testkit::{SimRig, eight_answering, until};

use crate::kit::{Course, around, course, course_with, start, stored, sweeps, uuid};

const STRANGER: &str = "GPU-00000000-0000-0000-0000-00000000ffff";

#[tokio::test]
async fn what_was_read_is_answered_at_once_and_after_a_restart() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    // Each card has a power of its own.
    for slot in 0..8 {
        rig.world.load(slot, Some(u32::try_from(slot * 12).unwrap())).unwrap();
    }
    rig.world.advance(std::time::Duration::from_secs(60)).unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    let state = eight_answering(&hub).await;
    sweeps(&hub, 5).await;
    let (from_ms, to_ms) = around(&state);
    let uuids: Vec<_> = (0..8).map(|slot| uuid(&rig, slot)).collect();
    let question = CourseQuestion {
        uuids: uuids.clone(),
        quantities: vec![Quantity::Power, Quantity::Tenancy],
        from_ms,
        to_ms,
        points: 2_000,
    };
    let at_once = course_with(&hub, &question, |course| course.times.len() >= 5).await;
    assert_eq!((at_once.level, at_once.curves.len()), (0, 16));
    for (slot, card) in rig.world.cards().unwrap().iter().enumerate() {
        let power = f64::from(card.power_mw.unwrap());
        let values = at_once.values(2 * slot);
        assert!(values.len() >= 5 && values.iter().all(|value| *value == power), "{slot}: {values:?}");
        // A card with a load has a process of nobody's.
        let tenancy = if card.processes.is_empty() { 1.0 } else { 8.0 };
        assert!(at_once.values(2 * slot + 1).iter().all(|value| *value == tenancy), "{slot}");
    }
    hub.stop().await;
    // It was written at the end, in the first session of this history.
    let first = stored(data.path(), uuids[3].as_str(), Quantity::Power);
    assert!(first.len() >= at_once.values(6).len(), "{} steps", first.len());
    assert!(first.iter().all(|step| step.session == 1 && step.every.as_millis() == 50), "{first:?}");

    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    sweeps(&hub, 3).await;
    let after = course_with(&hub, &question, |course| course.times.len() > at_once.times.len()).await;
    assert_eq!(after.times[..at_once.times.len() - 1], at_once.times[..at_once.times.len() - 1]);
    hub.stop().await;
    let both = stored(data.path(), uuids[3].as_str(), Quantity::Power);
    assert_eq!(both[..first.len()], first, "nothing is doubled or lost");
    assert!(both.len() > first.len() && both[first.len()..].iter().all(|step| step.session == 2), "{both:?}");
}

#[tokio::test]
async fn a_question_of_a_stranger_or_of_too_much_is_refused_and_one_of_no_time_is_empty() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    let (from_ms, to_ms) = around(&*eight_answering(&hub).await);
    let question = CourseQuestion {
        uuids: vec![uuid(&rig, 0)],
        quantities: vec![Quantity::Power],
        from_ms,
        to_ms,
        points: 100,
    };
    let stranger = STRANGER.parse().unwrap();
    let strangers = CourseQuestion { uuids: vec![uuid(&rig, 0), stranger], ..question.clone() };
    let too_much = CourseQuestion { quantities: vec![Quantity::Power; 4_001], ..question.clone() };
    let marks = Request::Marks { uuid: Some(STRANGER.parse().unwrap()), from_ms, to_ms };
    for (request, code) in [
        (Request::Course { question: strangers }, ErrorCode::UnknownCard),
        (Request::Course { question: too_much }, ErrorCode::TooMuch),
        (marks, ErrorCode::UnknownCard),
    ] {
        assert_eq!(hub.ask(request.clone()).await.unwrap_err().code, code, "{request:?}");
    }
    for (from_ms, to_ms) in [(to_ms, from_ms), (from_ms, from_ms), (i64::MAX, i64::MIN)] {
        let empty = course(&hub, CourseQuestion { from_ms, to_ms, ..question.clone() }).await;
        assert_eq!(Course::read(&empty).times, [0.0; 0], "{from_ms}..{to_ms}");
        let Reply::Marks(marks) = hub.ask(Request::Marks { uuid: None, from_ms, to_ms }).await.unwrap()
        else {
            panic!("another reply")
        };
        assert_eq!(marks, Default::default());
    }
    hub.stop().await;
}

#[tokio::test]
async fn an_xid_is_a_mark_at_once_and_after_a_restart() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    let (from_ms, to_ms) = around(&*eight_answering(&hub).await);
    rig.world.xid(2, 43).unwrap();
    until(&hub, "the event", |state| {
        state.snapshot.as_ref().is_some_and(|snapshot| !snapshot.events.is_empty())
    })
    .await;
    sweeps(&hub, 1).await;
    let marks = async |hub: &fanfare_engine::Hub, uuid| match hub
        .ask(Request::Marks { uuid, from_ms, to_ms })
        .await
        .unwrap()
    {
        Reply::Marks(marks) => (marks.marks, marks.left_out),
        other => panic!("{other:?}"),
    };
    while marks(&hub, None).await.0.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let (told, left_out) = marks(&hub, None).await;
    let [Mark { at_ms, uuid: Some(card), kind: MarkKind::Xid { number: 43 } }] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!((card, left_out), (&uuid(&rig, 2), 0));
    assert!((from_ms..to_ms).contains(at_ms));
    assert_eq!(marks(&hub, Some(uuid(&rig, 2))).await.0, told);
    assert_eq!(marks(&hub, Some(uuid(&rig, 3))).await.0, []);
    hub.stop().await;
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    assert_eq!(marks(&hub, None).await.0, told);
    hub.stop().await;
}

#[tokio::test]
async fn what_it_takes_is_told_and_it_can_be_written_anew_while_it_is_asked() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    let state = eight_answering(&hub).await;
    sweeps(&hub, 3).await;
    let usage = async || match hub.ask(Request::HistoryUsage).await.unwrap() {
        Reply::HistoryUsage(usage) => usage,
        other => panic!("{other:?}"),
    };
    while usage().await.file_bytes == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let HistoryUsage { file_bytes, sample_bytes_a_day: None, compacting_since_ms: None, .. } = usage().await
    else {
        panic!("{:?}", usage().await)
    };
    assert!(file_bytes > 4_096, "{file_bytes}");
    // Until it is open for writing it is refused.
    while hub.ask(Request::CompactHistory).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(hub.ask(Request::CompactHistory).await.unwrap(), Reply::Done, "it is being done");
    let (from_ms, to_ms) = around(&state);
    let question = CourseQuestion {
        uuids: vec![uuid(&rig, 0)],
        quantities: vec![Quantity::Temperature],
        from_ms,
        to_ms,
        points: 2_000,
    };
    let meanwhile = Course::read(&course(&hub, question.clone()).await);
    assert!(meanwhile.values(0).len() >= 3, "what was held was written before: {meanwhile:?}");
    while usage().await.compacting_since_ms.is_some() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    // Sweeps waited meanwhile.
    let after = course_with(&hub, &question, |course| course.times.len() > meanwhile.times.len()).await;
    assert_eq!(after.times[..meanwhile.times.len() - 1], meanwhile.times[..meanwhile.times.len() - 1]);
    hub.stop().await;
}
