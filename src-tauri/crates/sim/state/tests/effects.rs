//! What one can do to a rig, and what it then shows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::time::Duration;

use fanfare_sim_state::layout::MAX_EFFECTS;
use fanfare_sim_state::{CardView, Clock, Effect, Setup, StateError, Symbol, Target, World};

struct Rig {
    world: World,
    _dir: tempfile::TempDir,
}

fn rig(cards: usize) -> Rig {
    let dir = tempfile::tempdir().unwrap();
    let setup = Setup { clock: Clock::Manual, cards: Some(cards), rentals: false, ..Setup::default() };
    Rig { world: World::create(&dir.path().join("state"), &setup).unwrap(), _dir: dir }
}

impl Rig {
    fn card(&self, slot: usize) -> CardView {
        self.world.card(slot).unwrap().unwrap()
    }

    fn wait(&self, seconds: u64) {
        self.world.advance(Duration::from_secs(seconds)).unwrap();
    }

    fn uuids(&self) -> Vec<String> {
        self.world.cards().unwrap().into_iter().map(|card| card.uuid).collect()
    }
}

#[test]
fn rigs_of_every_size_have_that_many_cards() {
    for cards in [0, 1, 8, 16, 64] {
        assert_eq!(rig(cards).world.cards().unwrap().len(), cards);
    }
}

#[test]
fn a_lost_card_stays_in_the_list_and_wants_a_reboot() {
    let rig = rig(8);
    rig.world.load(3, Some(100)).unwrap();
    rig.wait(10);
    assert_eq!(rig.card(3).processes.len(), 1);
    rig.world.lose(3).unwrap();
    assert!(rig.card(3).lost);
    assert_eq!((rig.card(3).recovery, rig.card(3).processes.len()), (2, 0));
    assert_eq!(rig.world.cards().unwrap().len(), 8);
    assert!(!rig.card(2).lost);
    rig.world.find(3).unwrap();
    assert!(!rig.card(3).lost);
    assert_eq!(rig.card(3).recovery, 0);
}

#[test]
fn a_removed_card_is_gone_and_an_added_one_takes_the_lowest_empty_slot() {
    let rig = rig(8);
    let before = rig.uuids();
    rig.world.remove(5).unwrap();
    rig.world.remove(2).unwrap();
    assert_eq!(rig.uuids().len(), 6);
    assert!(rig.world.card(2).unwrap().is_none());
    assert!(matches!(rig.world.lose(2), Err(StateError::NoCard { card: 2 })));
    rig.world.add().unwrap();
    let new = rig.card(2);
    assert!(!before.contains(&new.uuid));
    assert_eq!(new.bus_id, "00000000:03:00.0");
    assert!(rig.world.card(5).unwrap().is_none());
}

#[test]
fn a_swapped_card_has_a_new_uuid_at_the_same_address_and_is_cold_and_well() {
    let rig = rig(8);
    rig.world.load(4, Some(100)).unwrap();
    rig.world.lose(4).unwrap();
    rig.world.find(4).unwrap();
    rig.world.xid(4, 79).unwrap();
    rig.wait(300);
    let old = rig.card(4);
    rig.world.swap(4).unwrap();
    let new = rig.card(4);
    assert_ne!(new.uuid, old.uuid);
    assert_eq!(new.bus_id, old.bus_id);
    assert_eq!((old.recovery, new.recovery), (2, 0));
    assert!(old.temperature > 50 && new.temperature < 45, "{} {}", old.temperature, new.temperature);
    assert_eq!(new.energy_mj, Some(0));
    // A second swap never brings an old card back.
    rig.world.swap(4).unwrap();
    assert!(![old.uuid, new.uuid].contains(&rig.card(4).uuid));
}

#[test]
fn an_order_changes_indices_and_nothing_else() {
    let rig = rig(4);
    let before = rig.uuids();
    rig.world.order(&[2, 0, 1]).unwrap();
    let pick = |slots: [usize; 4]| slots.map(|slot| before[slot].clone());
    // Slot 3 is not named, so it follows.
    assert_eq!(rig.uuids(), pick([2, 0, 1, 3]));
    assert_eq!((rig.card(2).index, rig.card(0).index), (0, 1));
    assert!(matches!(rig.world.order(&[1, 1]), Err(StateError::BadOrder { slot: 1 })));
}

#[test]
fn a_pinned_temperature_shows_at_once_and_heats_the_fans() {
    let rig = rig(1);
    rig.world.temperature(0, Some(88)).unwrap();
    assert_eq!(rig.card(0).temperature, 88);
    rig.wait(60);
    assert_eq!(rig.card(0).fans[0].percent, 100);
    rig.world.temperature(0, None).unwrap();
    rig.wait(1800);
    // Back at its idle temperature: 25 °C + 11.5 W / (0.75 ± 7 % W/K) + 0.9.
    assert!((39..=43).contains(&rig.card(0).temperature), "{}", rig.card(0).temperature);
}

#[test]
fn a_held_load_of_100_percent_is_one_second_later_100_percent() {
    let rig = rig(1);
    rig.world.load(0, Some(100)).unwrap();
    rig.wait(1);
    let card = rig.card(0);
    assert_eq!((card.utilization, card.pstate, card.pcie_gen), (100, 2, 4));
    rig.world.load(0, None).unwrap();
    rig.wait(3);
    let card = rig.card(0);
    assert_eq!((card.utilization, card.pstate, card.pcie_gen, card.processes.len()), (0, 8, 1, 0));
}

#[test]
fn a_reload_resets_limit_fans_and_energy_at_once() {
    let rig = rig(2);
    {
        let mut session = rig.world.session_at(0).unwrap();
        session.set_fan(0, 1, Some(70));
        session.set_power_limit(0, 95_000);
    }
    rig.wait(20);
    assert_eq!(rig.card(0).power_limit_mw, 95_000);
    assert!(rig.card(0).fans[1].manual);
    assert!(rig.card(0).energy_mj > Some(0));
    rig.world.reload().unwrap();
    let card = rig.card(0);
    assert_eq!((card.power_limit_mw, card.fans[1].manual, card.energy_mj), (115_000, false, Some(0)));
}

#[test]
fn power_telemetry_goes_and_comes() {
    let rig = rig(2);
    rig.world.no_power(1, true).unwrap();
    let card = rig.card(1);
    assert_eq!((card.power_mw, card.power_instant_mw, card.energy_mj), (None, None, None));
    assert!(rig.card(0).power_mw.is_some());
    rig.world.no_power(1, false).unwrap();
    assert!(rig.card(1).power_mw.is_some());
}

#[test]
fn errors_and_hangs_cover_what_they_name_and_end_by_themselves() {
    let rig = rig(2);
    let w = &rig.world;
    let (name, power) = (Symbol::DeviceGetName, Symbol::DeviceGetPowerUsage);
    w.hang(1, Some(name), Some(Duration::from_secs(5))).unwrap();
    w.error(999, Some(0), None).unwrap();
    w.error(15, None, Some(power)).unwrap();
    let look = || w.session().unwrap().conditions().clone();
    assert!(look().hangs(name, Some(1)) && !look().hangs(name, Some(0)) && !look().hangs(power, Some(1)));
    assert_eq!(look().error(name, Some(0)), Some(999));
    // The newest rule that fits counts.
    assert_eq!(look().error(power, Some(0)), Some(15));
    assert_eq!(look().error(power, Some(1)), Some(15));
    assert_eq!(look().error(name, Some(1)), None);
    // An error of everything leaves opening the library alone, unless that is named.
    assert_eq!(look().error(Symbol::InitV2, None), None);
    rig.wait(5);
    assert!(!look().hangs(name, Some(1)));
    w.hang(Target::All, None, None).unwrap();
    assert!(look().hangs(name, Some(0)) && !look().hangs(Symbol::SystemGetDriverVersion, None));
    w.release(Target::All).unwrap();
    w.clear_errors().unwrap();
    assert!(look().hangs.is_empty() && look().errors.is_empty());
}

#[test]
fn xids_are_seen_from_the_mark_on_and_each_once() {
    let rig = rig(2);
    let w = &rig.world;
    w.xid(0, 31).unwrap();
    let mut mark = w.session().unwrap().xid_mark();
    assert_eq!(w.session().unwrap().next_xid(0, mark), None, "before the mark");
    w.xid(0, 79).unwrap();
    w.plan(&Effect::Xid { card: 0, code: 62 }, Duration::from_secs(9), None).unwrap();
    w.xid(1, 13).unwrap();
    let mut seen = Vec::new();
    for _ in 0..2 {
        while let Some((xid, behind)) = w.session().unwrap().next_xid(0, mark) {
            seen.push(xid);
            mark = behind;
        }
        rig.wait(10);
    }
    assert_eq!(seen, [79, 62]);
}

#[test]
fn the_table_stays_bounded_and_refuses_only_when_all_of_it_still_matters() {
    let rig = rig(1);
    for round in 0..MAX_EFFECTS + 100 {
        rig.world.temperature(0, Some(40 + i32::from(round % 2 == 1))).unwrap();
        rig.world.advance(Duration::from_millis(100)).unwrap();
    }
    assert_eq!(rig.card(0).temperature, 41);
    let mut refused = 0;
    for minute in 0..=MAX_EFFECTS as u64 {
        let at = Duration::from_secs(86_400 + 60 * minute);
        match rig.world.plan(&Effect::Ambient { celsius: 30 }, at, Some(Duration::from_secs(30))) {
            Ok(()) => {}
            Err(StateError::EffectsFull) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    // 1025 planned and the pin in force, into 1024 places.
    assert_eq!(refused, 2);
}

#[test]
fn the_clock_stops_and_goes_on_without_a_jump() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::create(&dir.path().join("state"), &Setup::default()).unwrap();
    assert!(matches!(world.advance(Duration::from_secs(1)), Err(StateError::ClockIsReal)));
    world.clock_manual().unwrap();
    let stopped = world.now();
    world.advance(Duration::from_secs(3600)).unwrap();
    assert_eq!(world.now(), stopped + Duration::from_secs(3600));
    assert_eq!(world.speed(), None);
    world.clock_real(2.5).unwrap();
    assert_eq!(world.speed(), Some(2.5));
    assert!(world.now() >= stopped + Duration::from_secs(3600));
    assert!(world.clock_real(2000.0).is_err());
}

#[test]
fn the_log_of_set_calls_keeps_the_newest() {
    let rig = rig(1);
    for n in 0..1500_i64 {
        let session = rig.world.session_at(0).unwrap();
        session.log_set(Symbol::DeviceSetPowerManagementLimit, Some(0), [n, 0, 0], 0);
    }
    let sets = rig.world.sets().unwrap();
    // 1023 places can be read: calls 477 to 1499.
    assert_eq!((sets.len(), sets[0].args[0], sets[1022].args[0]), (1023, 477, 1499));
}

#[test]
fn a_bad_riser_limits_generation_and_width_under_load() {
    let rig = rig(2);
    rig.world.load(0, Some(100)).unwrap();
    rig.wait(1);
    let link = || (rig.card(0).pcie_gen, rig.card(0).pcie_width);
    assert_eq!(link(), (4, 8));
    rig.world.link(0, Some((3, 4))).unwrap();
    assert_eq!(link(), (3, 4));
    // More than the card has is no more than the card has.
    rig.world.link(0, Some((5, 16))).unwrap();
    assert_eq!(link(), (4, 8));
    rig.world.link(0, Some((2, 1))).unwrap();
    rig.world.load(0, None).unwrap();
    rig.wait(5);
    assert_eq!(link(), (1, 1), "at rest it is at generation 1 in any case");
    rig.world.link(0, None).unwrap();
    assert_eq!(link(), (1, 8));
}
