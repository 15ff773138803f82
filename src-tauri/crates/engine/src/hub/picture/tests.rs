//! The picture, fed with lines made by hand.

use fanfare_rig::{Change, NvmlCode, Roster, Trouble, TroubleCode, wire::CardLine, wire::Slow};

use super::*;
use crate::{
    fixtures::{answering, details, failing, inventory, silent, stamp, uuid},
    occupancy::Usage,
};

/// A sweep at `at` over the cards of these slots.
fn line(at: u64, driver: Option<bool>, cards: impl IntoIterator<Item = (u8, Answer)>) -> SweepLine {
    let named = |simulated| Driver {
        version: Reading::Measured("595.71.05".into()),
        library: Reading::missing(Reason::NotSupported),
        cuda: Reading::missing(Reason::NotSupported),
        simulated,
    };
    let card = |(bus, answer)| CardLine {
        uuid: uuid(bus),
        answer,
        slow: Some(Box::new(Slow { details: details(bus, stamp(at)), calls: Vec::new() })),
    };
    SweepLine {
        sweep: 1,
        at: stamp(at),
        driver: driver.map(named),
        roster: Roster::Read,
        cards: cards.into_iter().map(card).collect(),
        unreachable: Vec::new(),
        events: Vec::new(),
        events_dropped: 0,
    }
}

fn picture(profile: Profile) -> Picture {
    Picture::new(profile, Duration::from_secs(1))
}

fn state(picture: &mut Picture, probe: &ProbeState) -> RigState {
    picture.state(probe, &Rentals::new(), Disk::default())
}

fn trouble() -> ProbeState {
    let trouble = Trouble { code: TroubleCode::LibraryAbsent, nvml: None, detail: String::new() };
    ProbeState::Trouble { trouble }
}

fn failed(failure: ProbeFailure) -> ProbeState {
    ProbeState::Failed { failure, detail: String::new() }
}

/// How many seats are there, awaited, missing.
fn seats(state: &RigState) -> (usize, usize, usize) {
    let count =
        |wanted: fn(&Occupant) -> bool| state.seats.iter().filter(|seat| wanted(&seat.occupant)).count();
    (
        count(|occupant| matches!(occupant, Occupant::Card(_))),
        count(|occupant| *occupant == Occupant::Awaited),
        count(|occupant| *occupant == Occupant::Missing),
    )
}

#[test]
fn states_are_counted_from_one() {
    let mut picture = picture(Profile::Real);
    let numbers: Vec<u64> = (0..3).map(|_| state(&mut picture, &ProbeState::Starting).number).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn who_sits_where_follows_from_the_last_sweep_and_from_how_the_reading_goes() {
    let mut picture = picture(Profile::Real);
    picture.inventory = inventory();
    for (probe, expected) in [
        (ProbeState::Starting, (0, 8, 0)),
        (ProbeState::Silent { since: stamp(0) }, (0, 8, 0)),
        (failed(ProbeFailure::Crashed), (0, 8, 0)),
        (failed(ProbeFailure::Absent), (0, 0, 8)),
        (failed(ProbeFailure::Start), (0, 0, 8)),
        (failed(ProbeFailure::Version), (0, 0, 8)),
        (trouble(), (0, 0, 8)),
    ] {
        assert_eq!(seats(&state(&mut picture, &probe)), expected, "before a sweep: {probe:?}");
    }
    picture.take(line(1_000, Some(false), (1..=7).map(|bus| (bus, answering(1_000)))));
    for (probe, expected) in [
        (ProbeState::Reading, (7, 0, 1)),
        (ProbeState::Silent { since: stamp(1_000) }, (7, 0, 1)),
        (ProbeState::Stuck { since: stamp(1_000) }, (7, 0, 1)),
        // A crash of the probe says nothing of any card.
        (failed(ProbeFailure::Crashed), (7, 0, 1)),
        (failed(ProbeFailure::Absent), (0, 0, 8)),
        (trouble(), (0, 0, 8)),
    ] {
        assert_eq!(seats(&state(&mut picture, &probe)), expected, "after a sweep of seven: {probe:?}");
    }
}

#[test]
fn the_last_answer_is_the_last_that_measured_anything_and_goes_with_its_card() {
    let mut picture = picture(Profile::Real);
    picture.take(line(
        1_000,
        Some(false),
        [(1, answering(1_000)), (2, answering(1_000)), (3, answering(1_000))],
    ));
    let lost = failing(2_000, NvmlCode::GPU_IS_LOST);
    picture.take(line(2_000, None, [(1, answering(2_000)), (2, silent(1_900)), (3, lost)]));
    let now = state(&mut picture, &ProbeState::Reading);
    let at = |bus| now.last[&uuid(bus)].at;
    assert_eq!((at(1), at(2), at(3)), (stamp(2_000), stamp(1_000), stamp(1_000)));
    picture.inventory.forget(&uuid(3));
    assert!(!state(&mut picture, &ProbeState::Reading).last.contains_key(&uuid(3)));
}

#[test]
fn what_a_sweep_changed_is_told_until_the_next() {
    let mut picture = picture(Profile::Real);
    picture.take(line(1_000, Some(false), [(1, answering(1_000))]));
    assert_eq!(state(&mut picture, &ProbeState::Reading).changes, [Change::Added { uuid: uuid(1) }]);
    picture.take(line(2_000, None, [(1, answering(2_000))]));
    assert_eq!(state(&mut picture, &ProbeState::Reading).changes, []);
}

#[test]
fn cards_are_kept_where_they_belong_and_not_before_the_driver_said_what_it_is() {
    let table = [
        (Profile::Demo, Some(true), true),
        (Profile::Demo, None, true),
        (Profile::Real, Some(false), true),
        (Profile::Real, Some(true), false),
        (Profile::Real, None, false),
    ];
    for (profile, driver, kept) in table {
        let (_, keep) = picture(profile).take(line(1_000, driver, [(1, answering(1_000))]));
        let expected = kept.then_some(Keep { changed: true, at: stamp(1_000).wall });
        assert_eq!(keep, expected, "{profile} {driver:?}");
    }
}

#[test]
fn a_new_probe_that_has_not_named_its_driver_leaves_the_known_one() {
    let mut picture = picture(Profile::Real);
    picture.take(line(1_000, Some(true), [(1, answering(1_000))]));
    picture.another_probe();
    let (snapshot, keep) = picture.take(line(2_000, None, [(1, answering(2_000))]));
    assert!(
        snapshot.driver.as_ref().unwrap().simulated,
        "figures never lose the word that they are simulated"
    );
    assert_eq!(keep, None, "and are not kept by the word of another probe");
}

#[test]
fn a_card_that_does_not_answer_is_used_for_nobody_knows_what_unless_somebody_says_so() {
    let mut picture = picture(Profile::Real);
    picture.take(line(1_000, Some(false), [(1, answering(1_000)), (2, silent(500)), (3, answering(1_000))]));
    picture.inventory = inventory();
    picture.own = [uuid(2)].into();
    let state = state(&mut picture, &ProbeState::Reading);
    let usage = |bus| state.occupancy[&uuid(bus)].usage.clone();
    // One process computes on each card that answers.
    assert_eq!((usage(1), usage(2), usage(4)), (Usage::Busy, Usage::OwnJob, Usage::Unknown));
}

#[test]
fn costs_are_told_of_known_cards_alone() {
    let mut picture = picture(Profile::Real);
    picture.take(line(1_000, Some(false), [(1, answering(1_000))]));
    assert_eq!((picture.calls(&uuid(1)), picture.calls(&uuid(2))), (Some(vec![]), None));
}

#[test]
fn an_inventory_that_comes_late_takes_the_cards_in_that_were_seen_meanwhile() {
    let mut picture = picture(Profile::Real);
    picture.take(line(90_000, Some(false), [(1, answering(90_000)), (9, answering(90_000))]));
    assert_eq!(state(&mut picture, &ProbeState::Reading).seats.len(), 2);
    picture.remember(inventory(), [uuid(9)].into());
    let state = state(&mut picture, &ProbeState::Reading);
    assert_eq!(seats(&state), (2, 0, 7));
    assert_eq!(state.changes, [Change::Added { uuid: uuid(9) }]);
    assert_eq!(state.occupancy[&uuid(9)].usage, Usage::OwnJob);
    // Met at boot, as it is remembered, and seen just now.
    let first = &state.seats[0].member;
    assert_eq!((first.first_seen, first.last_seen), (stamp(0).wall, stamp(90_000).wall));
}
