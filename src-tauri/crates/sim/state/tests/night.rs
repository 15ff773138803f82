//! The worked example of a scenario does what its comments say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::path::PathBuf;
use std::time::Duration;

use fanfare_sim_state::{Clock, Setup, Symbol, World};

const MINUTE: u64 = 60;

#[test]
fn the_night_on_the_rig_goes_as_written() {
    let dir = tempfile::tempdir().unwrap();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../tests/fixtures/scenarios/night.toml");
    let scenario = Some(PathBuf::from(fixture));
    let setup = Setup { clock: Clock::Manual, scenario, ..Setup::default() };
    let world = World::create(&dir.path().join("state"), &setup).unwrap();
    let till = |minute: u64| {
        world.advance(Duration::from_secs(minute * MINUTE) - world.now()).unwrap();
    };
    let card = |slot: usize| world.card(slot).unwrap().unwrap();
    assert!((world.view().unwrap().ambient_c - 19.0).abs() < f64::EPSILON);
    let before: Vec<String> = world.cards().unwrap().into_iter().map(|card| card.uuid).collect();

    till(149);
    let free = card(6);
    assert_eq!(free.utilization, 100);
    till(180);
    let blocked = card(6);
    assert!(blocked.temperature > free.temperature + 10, "{} {}", blocked.temperature, free.temperature);
    assert!(blocked.fans[0].percent >= free.fans[0].percent);

    till(241);
    assert!(world.session().unwrap().conditions().hangs(Symbol::DeviceGetTemperature, Some(3)));
    till(243);
    assert!(!world.session().unwrap().conditions().hangs(Symbol::DeviceGetTemperature, Some(3)));

    till(301);
    assert_eq!((card(5).lost, card(5).recovery), (true, 2));
    till(541);
    assert_eq!((card(5).lost, card(5).recovery), (false, 0));
    let after: Vec<String> = world.cards().unwrap().into_iter().map(|card| card.uuid).collect();
    assert_eq!((&after[0], &after[1], &after[2..]), (&before[1], &before[0], &before[2..]));
    till(571);
    assert_eq!(world.session().unwrap().conditions().error(Symbol::Field186, Some(2)), Some(999));
    till(586);
    assert_eq!(card(7).pcie_width, 4);
}
