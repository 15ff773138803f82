//! The account of energy of a rig that is read: told while its hour is open, and after a restart.

use fanfare_engine::{
    Hub,
    api::{CardEnergy, Reply, Request},
    profile::Profile,
};
use fanfare_testkit::{PATIENCE, SimRig, eight_answering};
use tokio::time::{Duration, sleep, timeout};

use crate::kit::{around, start, uuid};

async fn energy(hub: &Hub, (from_ms, to_ms): (i64, i64)) -> Vec<CardEnergy> {
    match hub.ask(Request::Energy { from_ms, to_ms }).await.unwrap() {
        Reply::Energy(report) => report.cards,
        other => panic!("{other:?}"),
    }
}

/// The energy once each of eight cards has more than so many milliseconds of it.
async fn energy_beyond(hub: &Hub, range: (i64, i64), ms: u64) -> Vec<CardEnergy> {
    let wanted = async {
        loop {
            let cards = energy(hub, range).await;
            if cards.len() == 8 && cards.iter().all(|card| known_ms(card) > ms) {
                return cards;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, wanted).await.unwrap()
}

fn known_ms(card: &CardEnergy) -> u64 {
    card.counted.ms + card.measured.ms + card.estimated.ms
}

#[tokio::test]
async fn the_energy_of_each_card_is_told_in_slot_order_and_goes_on_after_a_restart() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Demo, &rig);
    let state = eight_answering(&hub).await;
    let range = around(&state);
    let before = energy_beyond(&hub, range, 200).await;
    let slots: Vec<_> = (0..8).map(|slot| uuid(&rig, slot)).collect();
    assert_eq!(before.iter().map(|card| card.uuid.clone()).collect::<Vec<_>>(), slots);
    assert!(before.iter().all(|card| card.is_open && card.wall_is_guess), "{before:?}");
    hub.stop().await;
    let hub = start(data.path(), Profile::Demo, &rig);
    let most = before.iter().map(known_ms).max().unwrap();
    let after = energy_beyond(&hub, range, most + 100).await;
    for (before, after) in before.iter().zip(&after) {
        assert!(known_ms(after) > known_ms(before), "what was read before is in it: {before:?} {after:?}");
    }
    let Reply::Week(week) = hub.ask(Request::Week { from_ms: range.0, to_ms: range.1 }).await.unwrap() else {
        panic!("another reply")
    };
    assert_eq!((week.zone.as_str(), week.cards.len()), ("UTC", 8));
    let idle: u64 = week.cards[0].hours.iter().map(|hour| hour.idle.ms + hour.load.ms).sum();
    assert!(idle > 0);
    hub.stop().await;
    assert!(data.path().join("ledger.db").exists());
}
