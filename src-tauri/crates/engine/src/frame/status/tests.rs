//! Rigs made by hand, against what is said to be wrong with them. Times are milliseconds after boot; the sweep is of 60 s.

use std::sync::Arc;

use fanfare_rig::{Answer, Card, Occupant, Trouble, Unreachable};

use super::*;
use crate::{
    api::{Holder, Kind},
    fixtures::{BOOT_MS, card, eight, failing, inventory, rig, silent, snapshot, stamp},
    occupancy::{Occupancy, Source},
    settings::Section,
};

const AT: u64 = 60_000;

/// Code, level, seats, NVML's number, since when (milliseconds after boot).
type Told = (MatterCode, Level, Vec<u32>, Option<u32>, Option<i64>);

fn told(status: &Status) -> Vec<Told> {
    let since = |matter: &Matter| matter.since_ms.map(|since| since - BOOT_MS);
    let told =
        |matter: &Matter| (matter.code, matter.level, matter.seats.clone(), matter.nvml, since(matter));
    status.matters.iter().map(told).collect()
}

/// A matter of the whole rig, without a number or a moment.
fn whole(code: MatterCode, level: Level) -> Told {
    (code, level, vec![], None, None)
}

fn status(rig: &RigState) -> Status {
    Status::of(rig, false)
}

fn rig_of(other: impl Fn(u8) -> Option<Answer>) -> RigState {
    rig(snapshot(AT, eight(AT, other)))
}

fn with_roster(roster: Roster, cards: Vec<Card>) -> RigState {
    rig(Snapshot { roster, ..snapshot(AT, cards) })
}

fn with_unreachable(cards: Vec<Card>, reasons: &[Reason]) -> RigState {
    let unreachable =
        (0..).zip(reasons).map(|(index, reason)| Unreachable { index, reason: *reason }).collect();
    rig(Snapshot { unreachable, ..snapshot(AT, cards) })
}

#[test]
fn eight_cards_that_answer_are_calm() {
    let status = status(&rig_of(|_| None));
    assert_eq!(status, Status { level: Level::Calm, matters: vec![], cards: 8, answering: 8, rented: 0 });
}

#[test]
fn a_stale_sweep_says_that_no_card_answers() {
    assert_eq!(Status::of(&rig_of(|_| None), true).answering, 0);
}

#[test]
fn rented_cards_are_counted() {
    let mut rig = rig_of(|_| None);
    for (place, occupancy) in rig.occupancy.values_mut().enumerate() {
        if place < 3 {
            let usage = Usage::Rented { platform: "Vast.ai".into() };
            *occupancy = Occupancy { usage, source: Source::Platform };
        }
    }
    assert_eq!(status(&rig).rented, 3);
}

#[test]
fn each_trouble_of_the_driver_has_its_code_and_is_critical_before_the_cards_that_it_takes_away() {
    let table = [
        (TroubleCode::LibraryAbsent, MatterCode::LibraryAbsent),
        (TroubleCode::LibraryUnusable, MatterCode::LibraryUnusable),
        (TroubleCode::LibraryTooOld, MatterCode::LibraryTooOld),
        (TroubleCode::VersionMismatch, MatterCode::VersionMismatch),
        (TroubleCode::DriverNotLoaded, MatterCode::DriverNotLoaded),
        (TroubleCode::NoPermission, MatterCode::NoPermission),
        (TroubleCode::DriverFailed, MatterCode::DriverFailed),
    ];
    for (code, matter) in table {
        let trouble = Trouble { code, nvml: Some(NvmlCode(18)), detail: "its words".into() };
        let mut rig = rig_of(|_| None);
        (rig.probe, rig.seats) =
            (ProbeState::Trouble { trouble }, inventory().seats_with(&Occupant::Missing));
        let status = status(&rig);
        assert_eq!(
            told(&status),
            [
                (matter, Level::Critical, vec![], Some(18), None),
                (MatterCode::CardMissing, Level::Critical, vec![1, 2, 3, 4, 5, 6, 7, 8], None, None),
            ],
            "the last sweep, in which all was well, says nothing of now"
        );
        assert_eq!((status.level, status.cards, status.answering), (Level::Critical, 8, 0));
        assert_eq!(status.matters[0].detail.as_deref(), Some("its words"));
    }
}

#[test]
fn each_failure_of_the_probe_has_its_code() {
    let table = [
        (ProbeFailure::Absent, MatterCode::ProbeAbsent),
        (ProbeFailure::Start, MatterCode::ProbeAbsent),
        (ProbeFailure::Crashed, MatterCode::ProbeCrashed),
        (ProbeFailure::Version, MatterCode::ProbeVersion),
    ];
    for (failure, code) in table {
        let mut rig = rig_of(|_| None);
        rig.probe = ProbeState::Failed { failure, detail: "its words".into() };
        let status = status(&rig);
        assert_eq!(told(&status), [whole(code, Level::Critical)]);
        assert_eq!(status.matters[0].detail.as_deref(), Some("its words"));
    }
}

#[test]
fn a_silent_probe_is_a_warning_and_a_stuck_driver_critical_since_it_is() {
    let mut rig = rig_of(|_| None);
    rig.probe = ProbeState::Silent { since: stamp(41_000) };
    assert_eq!(told(&status(&rig)), [(MatterCode::ProbeSilent, Level::Warning, vec![], None, Some(41_000))]);
    let mut rig = rig_of(|_| Some(silent(30_000)));
    rig.probe = ProbeState::Stuck { since: stamp(29_000) };
    assert_eq!(told(&status(&rig)), [(MatterCode::DriverStuck, Level::Critical, vec![], None, Some(29_000))]);
}

#[test]
fn a_holder_that_says_nothing_is_named_and_what_it_last_said_of_the_driver_is_not_told() {
    let holder = Holder { pid: 4_711, kind: Kind::Serve, version: "0.1.0".into() };
    let stuck = with_roster(Roster::Stuck { since: stamp(31_000) }, eight(AT, |_| None));
    let silent = stuck.under_silent(&holder, stamp(61_000).wall);
    let status = Status::of(&silent, true);
    assert_eq!(
        told(&status),
        [(MatterCode::HolderSilent, Level::Critical, vec![], None, Some(61_000))],
        "nobody knows how the list of cards does now"
    );
    assert_eq!(status.matters[0].holder, Some(holder));
    assert_eq!((status.level, status.cards, status.answering), (Level::Critical, 8, 0));
}

#[test]
fn cards_that_are_all_stuck_are_one_driver_that_is() {
    let rig = rig_of(|bus| Some(silent(59_000 + u64::from(bus))));
    assert_eq!(told(&status(&rig)), [(MatterCode::DriverStuck, Level::Critical, vec![], None, Some(59_001))]);
    // A lost one among them is still told.
    let lost = |bus| if bus == 4 { failing(AT, NvmlCode::GPU_IS_LOST) } else { silent(59_500) };
    assert_eq!(
        told(&status(&rig_of(|bus| Some(lost(bus))))),
        [
            (MatterCode::DriverStuck, Level::Critical, vec![], None, Some(59_500)),
            (MatterCode::CardLost, Level::Critical, vec![4], Some(15), None),
        ]
    );
}

#[test]
fn a_driver_that_starts_is_waited_for_until_ten_seconds_are_over() {
    for (since, matters) in [
        (50_001, vec![]),
        (50_000, vec![(MatterCode::DriverStuck, Level::Critical, vec![], None, Some(50_000))]),
    ] {
        let rig = with_roster(Roster::Stuck { since: stamp(since) }, vec![]);
        let status = status(&rig);
        assert_eq!(told(&status), matters);
        assert_eq!(status.level, if matters.is_empty() { Level::Waiting } else { Level::Critical });
    }
}

#[test]
fn a_list_that_is_stuck_or_fails_is_a_warning_while_the_cards_answer() {
    let stuck = with_roster(Roster::Stuck { since: stamp(31_000) }, eight(AT, |_| None));
    assert_eq!(told(&status(&stuck)), [(MatterCode::ListStuck, Level::Warning, vec![], None, Some(31_000))]);
    let failed = with_roster(Roster::Failed { code: NvmlCode(999) }, eight(AT, |_| None));
    assert_eq!(told(&status(&failed)), [(MatterCode::ListFailed, Level::Warning, vec![], Some(999), None)]);
}

#[test]
fn each_fault_of_a_card_has_its_code_and_the_worst_stands_first() {
    // Card 2 is not in the list at all.
    let mut cards = eight(AT, |bus| match bus {
        1 => Some(silent(55_000)),
        3 => Some(failing(AT, NvmlCode::GPU_IS_LOST)),
        4 => Some(failing(AT, NvmlCode::RESET_REQUIRED)),
        5 | 7 => Some(failing(AT, NvmlCode::UNKNOWN)),
        6 => Some(failing(AT, NvmlCode(2))),
        8 => Some(silent(50_000)),
        _ => None,
    });
    cards.push(card(9, crate::fixtures::answering(AT)));
    cards.remove(1);
    let status = status(&rig(snapshot(AT, cards)));
    assert_eq!(
        told(&status),
        [
            (MatterCode::CardMissing, Level::Critical, vec![2], None, None),
            (MatterCode::CardLost, Level::Critical, vec![3], Some(15), None),
            (MatterCode::CardNeedsReset, Level::Critical, vec![4], Some(16), None),
            (MatterCode::CardFailing, Level::Critical, vec![5, 7], Some(999), None),
            (MatterCode::CardFailing, Level::Critical, vec![6], Some(2), None),
            // Ten seconds: no slow call any more. The one of five seconds may be.
            (MatterCode::CardStuck, Level::Critical, vec![8], None, Some(50_000)),
            (MatterCode::CardStuck, Level::Warning, vec![1], None, Some(55_000)),
        ]
    );
    assert_eq!((status.level, status.cards, status.answering), (Level::Critical, 9, 1));
}

#[test]
fn cards_of_one_fault_are_one_matter_since_the_first() {
    let rig = rig_of(|bus| (bus < 4).then(|| silent(50_000 - u64::from(bus))));
    let first = (MatterCode::CardStuck, Level::Critical, vec![1, 2, 3], None, Some(49_997));
    assert_eq!(told(&status(&rig)), [first]);
}

#[test]
fn a_card_that_has_no_seat_is_counted_and_a_rig_of_such_cards_is_never_calm() {
    let one =
        Status::of(&with_unreachable(eight(AT, |_| None), &[Reason::Stuck { since: stamp(59_000) }]), false);
    assert_eq!((one.cards, one.answering), (9, 8));
    // Two cards that were never met: one second after their look-ups began nobody knows, and when they fail nothing is left.
    let unmet = |reason| {
        let met = with_unreachable(Vec::new(), &[reason; 2]);
        Status::of(&RigState { seats: Vec::new(), ..met }, false)
    };
    let young = unmet(Reason::Stuck { since: stamp(59_000) });
    assert_eq!((young.level, young.cards, young.answering), (Level::Waiting, 2, 0));
    assert_eq!(unmet(Reason::Lost).level, Level::Critical);
}

#[test]
fn an_expected_card_that_the_driver_does_not_hand_out_is_unreached() {
    let cards = eight(AT, |_| None).into_iter().skip(1).collect();
    let rig = with_unreachable(cards, &[Reason::Error { code: NvmlCode(999) }]);
    assert_eq!(told(&status(&rig)), [(MatterCode::CardUnreached, Level::Critical, vec![1], Some(999), None)]);
    let cards = eight(AT, |_| None).into_iter().skip(1).collect();
    let hangs = with_unreachable(cards, &[Reason::Stuck { since: stamp(20_000) }]);
    assert_eq!(
        told(&status(&hangs)),
        [(MatterCode::CardStuck, Level::Critical, vec![1], None, Some(20_000))]
    );
}

#[test]
fn a_strange_card_that_is_not_handed_out_is_a_warning_and_one_that_is_known_to_be_lost_is_said_once() {
    let rig = with_unreachable(eight(AT, |_| None), &[Reason::NoPermission]);
    assert_eq!(told(&status(&rig)), [(MatterCode::CardUnreached, Level::Warning, vec![], Some(4), None)]);
    let stuck = with_unreachable(eight(AT, |_| None), &[Reason::Stuck { since: stamp(20_000) }]);
    assert_eq!(
        told(&status(&stuck)),
        [(MatterCode::CardStuck, Level::Warning, vec![], None, Some(20_000))],
        "it does not answer; that it sits badly nobody knows"
    );
    let lost = eight(AT, |bus| (bus == 6).then(|| failing(AT, NvmlCode::GPU_IS_LOST)));
    let rig = with_unreachable(lost, &[Reason::Lost]);
    assert_eq!(told(&status(&rig)), [(MatterCode::CardLost, Level::Critical, vec![6], Some(15), None)]);
}

#[test]
fn a_driver_without_any_card_is_a_notice_unless_one_is_expected() {
    let mut rig = rig_of(|_| None);
    rig.snapshot = Some(Arc::new(snapshot(AT, vec![])));
    rig.seats.clear();
    let status = status(&rig);
    assert_eq!(told(&status), [whole(MatterCode::NoCards, Level::Notice)]);
    assert_eq!(status.level, Level::Notice);
}

#[test]
fn what_is_not_kept_is_a_warning_behind_what_is_worse() {
    let mut rig = rig_of(|bus| (bus == 1).then(|| failing(AT, NvmlCode::GPU_IS_LOST)));
    rig.disk.unstored = Some(Unstored::Refused("database is locked".into()));
    let status = status(&rig);
    let codes: Vec<MatterCode> = status.matters.iter().map(|matter| matter.code).collect();
    assert_eq!(codes, [MatterCode::CardLost, MatterCode::NotStored]);
    assert_eq!(status.matters[1].level, Level::Warning);
    assert_eq!(status.matters[1].detail.as_deref(), Some("database is locked"));
}

#[test]
fn a_newer_file_is_a_warning_of_its_own_and_what_was_lost_at_the_start_is_a_notice() {
    let mut rig = rig_of(|_| None);
    rig.disk = Disk {
        unstored: Some(Unstored::Newer("state.db is of version 99".into())),
        set_aside: Some("/data/state.db.damaged-20261130T031207Z (file is not a database)".into()),
        settings_reset: vec![Section::Money],
        ..Disk::default()
    };
    let status = status(&rig);
    let told: Vec<_> =
        status.matters.iter().map(|matter| (matter.code, matter.level, matter.detail.as_deref())).collect();
    let expected = [
        (MatterCode::StateNewer, Level::Warning, Some("state.db is of version 99")),
        (
            MatterCode::StateSetAside,
            Level::Notice,
            Some("/data/state.db.damaged-20261130T031207Z (file is not a database)"),
        ),
        (MatterCode::SettingsReset, Level::Notice, None),
    ];
    assert_eq!(told, expected);
    assert_eq!((status.level, status.answering), (Level::Warning, 8), "the cards answer all the same");
}

#[test]
fn a_history_that_is_not_kept_is_a_notice_and_a_ledger_that_is_not_is_a_warning() {
    let mut rig = rig_of(|_| None);
    let file = |unstored, set_aside: &str| FileHealth {
        unstored: Some(unstored),
        set_aside: Some(set_aside.to_owned()),
    };
    rig.disk = Disk {
        history: file(Unstored::Refused("no room".into()), "history.db.damaged"),
        ledger: file(Unstored::Newer("version 9".into()), "ledger.db.damaged"),
        ..Disk::default()
    };
    let told: Vec<_> = status(&rig)
        .matters
        .into_iter()
        .map(|matter| (matter.code, matter.level, matter.detail.unwrap_or_default()))
        .collect();
    let expected = [
        (MatterCode::LedgerNewer, Level::Warning, "version 9".to_owned()),
        (MatterCode::LedgerSetAside, Level::Warning, "ledger.db.damaged".to_owned()),
        (MatterCode::HistoryNotStored, Level::Notice, "no room".to_owned()),
        (MatterCode::HistorySetAside, Level::Notice, "history.db.damaged".to_owned()),
    ];
    assert_eq!(told, expected);
    rig.disk = Disk::default();
    rig.disk.history.unstored = Some(Unstored::Newer("version 9".into()));
    rig.disk.ledger.unstored = Some(Unstored::Refused("no room".into()));
    let codes: Vec<MatterCode> = status(&rig).matters.iter().map(|matter| matter.code).collect();
    assert_eq!(codes, [MatterCode::LedgerNotStored, MatterCode::HistoryNewer]);
}

#[test]
fn nothing_is_known_before_the_first_list() {
    let mut rig = rig_of(|_| None);
    (rig.probe, rig.snapshot) = (ProbeState::Starting, None);
    rig.seats = inventory().seats_with(&Occupant::Awaited);
    assert_eq!((status(&rig).level, status(&rig).matters), (Level::Waiting, vec![]));
    let starting = with_roster(Roster::Starting, vec![]);
    assert_eq!((status(&starting).level, status(&starting).matters), (Level::Waiting, vec![]));
}

#[test]
fn an_errors_words_are_cut_where_they_are_too_long_and_not_within_a_letter() {
    assert_eq!(cut(&"a".repeat(400)), "a".repeat(400));
    // 133 letters of 3 bytes are 399; with the mark's 3 bytes only 132 fit into 400.
    assert_eq!(cut(&"显".repeat(134)), format!("{}…", "显".repeat(132)));
}
