//! Rigs made by hand, against the frame and the card's page that come of them. Times are milliseconds after boot.

use std::sync::Arc;

use fanfare_rig::{NvmlCode, Occupant, Reading, Reason, RecoveryAction, ThrottleReasons};

use super::*;
use crate::{
    fixtures::{BOOT_MS, card, eight, failing, inventory, rig, sample, silent, snapshot, stamp, uuid},
    occupancy::{Source, Usage},
    rig_state::{ProbeFailure, ProbeState, Unstored},
};

/// The sweep is of 60 s, the frame is made 250 ms later.
const AT: u64 = 60_000;

fn frame(rig: &RigState) -> RigFrame {
    RigFrame::of(rig, &stamp(60_250))
}

fn page(rig: &RigState, bus: u8) -> CardPage {
    CardPage::of(rig, &uuid(bus), &stamp(60_250)).unwrap()
}

fn ms(after_boot: i64) -> i64 {
    BOOT_MS + after_boot
}

fn missing<T>(missing: Missing) -> Shown<T> {
    Shown::Missing { missing }
}

fn number(number: i64, unit: Unit) -> Shown<Value> {
    Shown::Value(Value::Number { number, unit })
}

fn codes(codes: &[&str]) -> Shown<Value> {
    Shown::Value(Value::Codes { codes: codes.iter().map(ToString::to_string).collect() })
}

fn text(text: &str) -> Shown<Value> {
    Shown::Value(Value::Text { text: text.into() })
}

fn flag(on: bool) -> Shown<Value> {
    Shown::Value(Value::Flag { on })
}

fn each<const N: usize>(values: [Shown<Value>; N]) -> Shown<Value> {
    Shown::Value(Value::Each { values: values.into() })
}

fn row(page: &CardPage, code: RowCode) -> Shown<Value> {
    let mut rows = page.groups.iter().flat_map(|group| &group.rows);
    rows.find(|row| row.code == code).unwrap().value.clone()
}

#[test]
fn a_frame_tells_whose_rig_it_is_how_old_it_is_and_which_driver_answered() {
    let frame = frame(&rig(snapshot(AT, eight(AT, |_| None))));
    assert_eq!((frame.number, frame.profile, frame.simulated), (40, Profile::Real, false));
    assert_eq!((frame.at_ms, frame.age_ms, frame.stale_after_ms), (Some(ms(60_000)), Some(250), 3_000));
    let driver = frame.driver.unwrap();
    assert_eq!(driver.version, Shown::Value("595.71.05".into()));
    assert_eq!(driver.library, Shown::Value("13.595.71.05".into()));
    assert_eq!(driver.cuda, missing(Missing::NoPermission));
    let seats: Vec<u32> = frame.tiles.iter().map(|tile| tile.seat).collect();
    assert_eq!(seats, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn before_the_first_sweep_there_is_no_age_and_every_tile_waits() {
    let mut rig = rig(snapshot(AT, eight(AT, |_| None)));
    (rig.snapshot, rig.seats) = (None, inventory().seats_with(&Occupant::Awaited));
    rig.last.clear();
    rig.occupancy.clear();
    let frame = frame(&rig);
    assert_eq!((frame.at_ms, frame.age_ms, frame.driver.is_none()), (None, None, true));
    for tile in &frame.tiles {
        assert_eq!((tile.state, tile.values.is_none()), (TileState::Waiting, true));
        assert_eq!((&tile.occupancy.usage, tile.occupancy.source), (&Usage::Unknown, Source::Nobody));
    }
}

#[test]
fn cards_that_answer_count_until_their_sweep_is_older_than_three_intervals() {
    let rig = rig(snapshot(AT, eight(AT, |_| None)));
    for (now, answering) in [(63_000, 8), (63_001, 0)] {
        assert_eq!(RigFrame::of(&rig, &stamp(now)).status.answering, answering, "at {now} ms");
    }
}

#[test]
fn the_demo_and_a_simulated_driver_say_so() {
    let real = rig(snapshot(AT, eight(AT, |_| None)));
    let demo = RigState { profile: Profile::Demo, snapshot: None, ..real.clone() };
    assert!(frame(&demo).simulated, "before the driver was heard, too");
    let mut sweep = snapshot(AT, eight(AT, |_| None));
    sweep.driver.as_mut().unwrap().simulated = true;
    assert!(frame(&RigState { snapshot: Some(Arc::new(sweep)), ..real }).simulated);
}

#[test]
fn a_tile_shows_what_its_card_answered() {
    let tile = frame(&rig(snapshot(AT, eight(AT, |_| None)))).tiles.swap_remove(2);
    assert_eq!(tile.uuid, "GPU-00000000-0000-0000-0000-000000000003");
    assert_eq!((tile.name.as_deref(), tile.slot.as_deref()), (Some("RTX 4060"), Some("0000:03:00.0")));
    assert_eq!(tile.state, TileState::Answering);
    let expected = TileValues {
        at_ms: ms(60_000),
        age_ms: 250,
        temperature_c: Shown::Value(64),
        utilisation_percent: Shown::Value(97),
        memory_used_bytes: Shown::Value(5_000),
        // 8,000 bytes less the driver's own 400.
        memory_total_bytes: Shown::Value(7_600),
        power_mw: Shown::Value(101_000),
        power_limit_mw: Shown::Value(110_000),
        fans_percent: Shown::Value(vec![Shown::Value(61), missing(Missing::Error { nvml: 999 })]),
        processes: Shown::Value(1),
    };
    assert_eq!(tile.values, Some(expected));
}

#[test]
fn a_stuck_card_keeps_its_last_values_with_their_age() {
    let rig = rig(snapshot(AT, eight(AT, |bus| (bus == 3).then(|| silent(58_000)))));
    let tile = &frame(&rig).tiles[2];
    assert_eq!(tile.state, TileState::Stuck { since_ms: ms(58_000) });
    let values = tile.values.as_ref().unwrap();
    // Its last answer was of 5 s after boot.
    assert_eq!((values.at_ms, values.age_ms), (ms(5_000), 55_250));
    assert_eq!(values.temperature_c, Shown::Value(64));
}

#[test]
fn while_the_whole_driver_hangs_a_card_is_stuck_since_then_though_another_probe_asks_it_later() {
    let mut rig = rig(snapshot(AT, eight(AT, |bus| Some(silent(if bus == 3 { 20_000 } else { 58_000 })))));
    rig.probe = ProbeState::Stuck { since: stamp(28_000) };
    let since = |seat: usize| frame(&rig).tiles[seat].state;
    assert_eq!(since(0), TileState::Stuck { since_ms: ms(28_000) });
    assert_eq!(since(2), TileState::Stuck { since_ms: ms(20_000) }, "before the others");
}

#[test]
fn a_stuck_card_that_never_answered_has_no_values() {
    let mut rig = rig(snapshot(AT, eight(AT, |bus| (bus == 3).then(|| silent(58_000)))));
    rig.last.clear();
    assert_eq!(frame(&rig).tiles[2].values, None);
}

#[test]
fn a_card_that_answers_with_errors_alone_keeps_its_last_values_with_their_age() {
    for code in [NvmlCode::GPU_IS_LOST, NvmlCode::RESET_REQUIRED, NvmlCode::UNKNOWN] {
        let fails = |bus| (bus == 3).then(|| failing(AT, code));
        let tile = &frame(&rig(snapshot(AT, eight(AT, fails)))).tiles[2];
        assert!(!matches!(tile.state, TileState::Answering), "{code:?}");
        let values = tile.values.as_ref().unwrap();
        // Its last answer was of 5 s after boot.
        assert_eq!((values.at_ms, values.age_ms), (ms(5_000), 55_250), "{code:?}");
        assert_eq!(values.temperature_c, Shown::Value(64), "{code:?}");
    }
}

#[test]
fn a_card_that_was_lost_from_the_start_has_no_values_and_its_page_says_why() {
    let lost = |bus| (bus == 3).then(|| failing(AT, NvmlCode::GPU_IS_LOST));
    let mut rig = rig(snapshot(AT, eight(AT, lost)));
    rig.last.clear();
    let tile = &frame(&rig).tiles[2];
    assert_eq!((tile.state, &tile.values), (TileState::Lost, &None));
    let page = page(&rig, 3);
    let heat = page.groups.iter().find(|group| group.code == GroupCode::Heat).unwrap();
    assert_eq!(heat.rows[0].value, missing(Missing::Lost));
}

#[test]
fn each_state_of_a_card_is_told_on_its_tile() {
    let reset = failing(AT, NvmlCode::RESET_REQUIRED);
    let fails = failing(AT, NvmlCode::UNKNOWN);
    let cards = vec![card(1, reset), card(2, fails)];
    let rig = rig(snapshot(AT, cards));
    let states: Vec<TileState> = frame(&rig).tiles.iter().map(|tile| tile.state).collect();
    assert_eq!(states[..2], [TileState::NeedsReset, TileState::Failing { nvml: 999 }]);
    // Last seen at boot.
    assert_eq!(states[2..], [TileState::Missing { last_seen_ms: BOOT_MS }; 6]);
    assert!(
        frame(&rig).tiles[2..].iter().all(|tile| tile.values.is_none()),
        "what is not there has no values"
    );
}

#[test]
fn a_card_that_is_not_handed_out_is_unreached_and_one_without_a_list_waits_both_with_their_last_values() {
    let mut rig = rig(snapshot(AT, vec![]));
    rig.seats = inventory().seats_with(&Occupant::Unreached);
    assert!(frame(&rig).tiles.iter().all(|tile| tile.state == TileState::Unreached && tile.values.is_some()));
    rig.seats = inventory().seats_with(&Occupant::Awaited);
    assert!(frame(&rig).tiles.iter().all(|tile| tile.state == TileState::Waiting && tile.values.is_some()));
}

#[test]
fn a_limit_that_was_not_read_yet_says_so() {
    let mut cards = eight(AT, |_| None);
    cards[0].details = None;
    let tile = &frame(&rig(snapshot(AT, cards))).tiles[0];
    assert_eq!(tile.values.as_ref().unwrap().power_limit_mw, missing(Missing::NotYet));
}

#[test]
fn names_lose_the_vendor_and_nothing_else() {
    let table = [
        ("NVIDIA GeForce RTX 4060", "RTX 4060"),
        ("NVIDIA RTX A4000", "RTX A4000"),
        ("GeForce GTX 1080", "GTX 1080"),
        ("Tesla T4", "Tesla T4"),
    ];
    let mut rig = rig(snapshot(AT, eight(AT, |_| None)));
    for (name, shown) in table {
        rig.seats[0].member.name = Some(name.into());
        assert_eq!(frame(&rig).tiles[0].name.as_deref(), Some(shown));
    }
}

#[test]
fn each_reason_is_told_as_it_is() {
    let table = [
        (Reason::NotSupported, Missing::NotSupported),
        (Reason::NoPermission, Missing::NoPermission),
        (Reason::Lost, Missing::Lost),
        (Reason::Stuck { since: stamp(1_500) }, Missing::Stuck { since_ms: ms(1_500) }),
        (Reason::Error { code: NvmlCode(27) }, Missing::Error { nvml: 27 }),
    ];
    for (reason, told) in table {
        assert_eq!(Shown::from(Reading::<u32>::missing(reason)), missing(told));
    }
}

#[test]
fn a_card_page_has_every_quantity_with_its_unit() {
    let page = page(&rig(snapshot(AT, eight(AT, |_| None))), 3);
    assert_eq!(page.tile.seat, 3);
    let range = |min, max, unit| Shown::Value(Value::Range { min, max, unit });
    let expected = [
        (RowCode::Temperature, number(64, Unit::Celsius)),
        (RowCode::TemperatureTarget, number(83, Unit::Celsius)),
        (RowCode::TemperatureMax, number(90, Unit::Celsius)),
        (RowCode::TemperatureSlowdown, number(95, Unit::Celsius)),
        (RowCode::TemperatureShutdown, number(100, Unit::Celsius)),
        (RowCode::Power, number(101_000, Unit::Milliwatts)),
        (RowCode::PowerLimitEnforced, number(110_000, Unit::Milliwatts)),
        (RowCode::PowerLimit, number(112_000, Unit::Milliwatts)),
        (RowCode::PowerLimitDefault, number(115_000, Unit::Milliwatts)),
        (RowCode::PowerLimitRange, range(70_000, 116_000, Unit::Milliwatts)),
        (RowCode::Energy, number(7_200_000, Unit::Millijoules)),
        (RowCode::Utilisation, number(97, Unit::Percent)),
        (RowCode::MemoryActivity, number(55, Unit::Percent)),
        (RowCode::ClockGraphics, number(2_505, Unit::Megahertz)),
        (RowCode::ClockGraphicsMax, number(3_105, Unit::Megahertz)),
        (RowCode::ClockMemory, number(8_501, Unit::Megahertz)),
        (RowCode::ClockMemoryMax, number(8_601, Unit::Megahertz)),
        (RowCode::Pstate, number(2, Unit::Pstate)),
        (RowCode::Throttle, codes(&["power_cap", "other"])),
        (RowCode::Recovery, codes(&["none"])),
        (RowCode::MemoryUsed, number(5_000, Unit::Bytes)),
        (RowCode::MemoryReserved, number(400, Unit::Bytes)),
        (RowCode::MemoryFree, number(2_600, Unit::Bytes)),
        (RowCode::MemoryTotal, number(8_000, Unit::Bytes)),
        (RowCode::FanDuty, each([number(61, Unit::Percent), missing(Missing::Error { nvml: 999 })])),
        (RowCode::FanSpeed, each([number(1_850, Unit::Rpm)])),
        (RowCode::FanManual, each([flag(true)])),
        (RowCode::FanRange, range(30, 100, Unit::Percent)),
        (RowCode::LinkGeneration, number(4, Unit::Generation)),
        (RowCode::LinkGenerationMax, number(3, Unit::Generation)),
        (RowCode::CardGenerationMax, number(4, Unit::Generation)),
        (RowCode::LinkWidth, number(8, Unit::Lanes)),
        (RowCode::LinkWidthMax, number(8, Unit::Lanes)),
        (RowCode::PcieReplays, number(3, Unit::Count)),
        (RowCode::Name, text("NVIDIA GeForce RTX 4060")),
        (RowCode::Uuid, text("GPU-00000000-0000-0000-0000-000000000003")),
        (RowCode::BusId, text("0000:03:00.0")),
        (RowCode::Vbios, text("95.07.2a.00.11")),
        (RowCode::ComputeCapability, text("8.9")),
        (RowCode::Persistence, flag(true)),
        (RowCode::Ecc, missing(Missing::NotSupported)),
        (RowCode::Mig, missing(Missing::NotSupported)),
    ];
    let rows: Vec<(RowCode, Shown<Value>)> =
        page.groups.iter().flat_map(|group| &group.rows).map(|row| (row.code, row.value.clone())).collect();
    assert_eq!(rows, expected);
    let groups: Vec<(GroupCode, usize)> =
        page.groups.iter().map(|group| (group.code, group.rows.len())).collect();
    assert_eq!(
        groups,
        [
            (GroupCode::Heat, 5),
            (GroupCode::Power, 6),
            (GroupCode::Work, 9),
            (GroupCode::Memory, 4),
            (GroupCode::Fans, 4),
            (GroupCode::Link, 6),
            (GroupCode::Identity, 8),
        ]
    );
    let process = ProcessLine { pid: 4_711, name: Some("python3".into()), memory_bytes: Shown::Value(4_900) };
    assert_eq!(page.processes, Shown::Value(vec![process]));
}

#[test]
fn a_card_page_of_a_stuck_card_has_its_last_values_and_of_one_that_never_answered_none() {
    let mut rig = rig(snapshot(AT, eight(AT, |bus| (bus == 3).then(|| silent(58_000)))));
    assert_eq!(row(&page(&rig, 3), RowCode::Temperature), number(64, Unit::Celsius));
    rig.last.clear();
    let page = page(&rig, 3);
    assert_eq!(row(&page, RowCode::Temperature), missing(Missing::NotYet));
    assert_eq!(page.processes, missing(Missing::NotYet));
    assert_eq!(row(&page, RowCode::PowerLimit), number(112_000, Unit::Milliwatts), "slow facts were read");
}

#[test]
fn a_card_page_before_the_slow_facts_says_that_they_were_not_read_yet() {
    let mut cards = eight(AT, |_| None);
    cards[2].details = None;
    let page = page(&rig(snapshot(AT, cards)), 3);
    for code in [RowCode::PowerLimit, RowCode::FanSpeed, RowCode::Vbios] {
        assert_eq!(row(&page, code), missing(Missing::NotYet), "{code:?}");
    }
    assert_eq!(row(&page, RowCode::Temperature), number(64, Unit::Celsius));
}

#[test]
fn a_card_page_tells_how_old_what_is_read_once_a_minute_is() {
    // The slow facts are of the boot, the page is made 60.25 s after it.
    let read = page(&rig(snapshot(AT, eight(AT, |_| None))), 1);
    assert_eq!(read.details_age_ms, Some(60_250));
    let mut unread = eight(AT, |_| None);
    unread[0].details = None;
    assert_eq!(page(&rig(snapshot(AT, unread)), 1).details_age_ms, None);
}

#[test]
fn a_card_page_of_a_missing_card_tells_its_name_alone() {
    let cards = eight(AT, |_| None).into_iter().filter(|card| card.uuid != uuid(3)).collect();
    let page = page(&rig(snapshot(AT, cards)), 3);
    assert_eq!(page.groups.iter().map(|group| group.code).collect::<Vec<_>>(), [GroupCode::Identity]);
    assert_eq!(row(&page, RowCode::BusId), text("0000:03:00.0"));
    assert_eq!(page.groups[0].rows.len(), 3);
}

#[test]
fn there_is_no_page_of_a_card_that_nobody_expects() {
    let rig = rig(snapshot(AT, eight(AT, |_| None)));
    assert_eq!(CardPage::of(&rig, &uuid(99), &stamp(AT)), None);
}

#[test]
fn names_that_only_a_later_driver_knows_are_not_lost() {
    let mut later = sample(stamp(AT));
    later.recovery = Reading::Measured(RecoveryAction::Other(9));
    later.throttle = Reading::Measured(ThrottleReasons(1 << 50));
    let cards = vec![card(1, fanfare_rig::Answer::Sample(Box::new(later)))];
    let rig = rig(snapshot(AT, cards));
    assert_eq!(row(&page(&rig, 1), RowCode::Recovery), number(9, Unit::Count));
    assert_eq!(row(&page(&rig, 1), RowCode::Throttle), codes(&["other"]));
}

#[test]
fn sixty_four_cards_in_every_kind_of_trouble_fit_the_channel() {
    // A control character takes six bytes of JSON: no words are longer.
    let words = "\u{1}".repeat(4_000);
    let cards = (1..=64).map(|bus| {
        let answer = match bus % 4 {
            0 => silent(58_000 - u64::from(bus)),
            1 => failing(AT, NvmlCode(100 + u32::from(bus))),
            2 => failing(AT, NvmlCode::GPU_IS_LOST),
            _ => crate::fixtures::answering(AT),
        };
        card(bus, answer)
    });
    let mut rig = rig(snapshot(AT, cards.collect()));
    rig.probe = ProbeState::Failed { failure: ProbeFailure::Crashed, detail: words.clone() };
    rig.disk.unstored = Some(Unstored::Refused(words));
    let frame = frame(&rig);
    assert_eq!((frame.tiles.len(), frame.status.matters.len()), (64, 20));
    let longest = parts(frame).iter().map(|part| serde_json::to_vec(part).unwrap().len()).max();
    assert!(longest < Some(PART_BYTES), "{longest:?}");
}
