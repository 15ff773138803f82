//! The account over histories that were recorded by hand.

use std::{fs, path::Path, time::Duration};

use fanfare_history::{Quantity, Recorder, Retention, Series, Source, Sweep};
use fanfare_ledger::VERSION;
use fanfare_units::Boottime;
use rusqlite::Connection;
use tempfile::tempdir;

use super::*;
use crate::{api::Share, fixtures::uuid};

/// 2026-11-30T00:00:00Z, a Monday: hour 498,888.
const MIDNIGHT: i64 = 1_795_996_800;
const MIDNIGHT_HOUR: i64 = 498_888;
const HOUR: u64 = 3_600;
const TERMS: WallTerms = WallTerms { cards: 2, base_mw: 60_000, efficiency_ppm: 900_000, guessed: true };

/// A boot of two cards with counters, which draw 100 W and 50 W, free and idle; a sweep each 10 s.
#[derive(Debug, Clone, Copy)]
struct Rig {
    boot: char,
    /// The wall at its beginning, in seconds after midnight.
    booted: i64,
    session: u32,
}

const RIG: Rig = Rig { boot: 'a', booted: 0, session: 1 };

impl Rig {
    fn stamp(self, second: u64) -> Stamp {
        let wall = MIDNIGHT + self.booted + i64::try_from(second).unwrap();
        Stamp {
            wall: Timestamp::from_second(wall).unwrap(),
            boottime: Boottime::since_boot(Duration::from_secs(second)),
            boot: self.boot.to_string().repeat(32).parse().unwrap(),
        }
    }

    fn sweep(self, second: u64) -> Sweep {
        let of_card = |(bus, mw): (u8, i64)| {
            let value = |quantity, value| (Series::new(uuid(bus).as_str(), quantity), Some(value));
            let second = i64::try_from(second).unwrap();
            [
                value(Quantity::Energy, mw * second),
                value(Quantity::Power, mw),
                value(Quantity::Utilisation, 0),
                value(Quantity::PowerLimit, 115_000),
                value(Quantity::Tenancy, 1),
            ]
        };
        Sweep {
            at: self.stamp(second),
            source: Source { session: self.session, every: Duration::from_secs(10) },
            values: [(1, 100_000), (2, 50_000)].into_iter().flat_map(of_card).collect(),
            marks: Vec::new(),
        }
    }

    fn record(self, recorder: &mut Recorder, seconds: Range<u64>) {
        for second in seconds.step_by(10) {
            recorder.record(&self.sweep(second)).unwrap();
        }
    }
}

fn open_history(folder: &Path) -> Recorder {
    Recorder::open(folder, Retention { raw_days: 60, minute_days: 400 }, Timestamp::UNIX_EPOCH)
        .unwrap()
        .recorder
}

fn open_account(folder: &Path) -> Accountant {
    let mut accountant = Accountant::new(folder.to_path_buf());
    accountant.open(Timestamp::UNIX_EPOCH);
    accountant.set_terms(TERMS);
    accountant
}

fn post(accountant: &mut Accountant, recorder: &Recorder, now: &Stamp) {
    accountant.post_once_an_hour(Witness::Recorder(recorder), now);
}

/// What was posted of the card on a bus: hours after midnight, with their rows.
fn posted(folder: &Path, bus: u8) -> Vec<(i64, CardHour)> {
    let ledger = LedgerReader::open(folder).unwrap().unwrap();
    let rows = ledger.hours(uuid(bus).as_str(), i64::MIN..i64::MAX).unwrap();
    rows.into_iter().map(|row| (row.hour - MIDNIGHT_HOUR, row)).collect()
}

/// Hours after midnight with the energy that was counted in them, in J.
fn joules(folder: &Path, bus: u8) -> Vec<(i64, u64)> {
    posted(folder, bus).iter().map(|(hour, row)| (*hour, row.sums.counted.mj / 1_000)).collect()
}

fn asked(what: What, hours: Range<i64>) -> Asked {
    let ms = |hour: i64| (MIDNIGHT_HOUR + hour) * 3_600_000;
    Asked {
        what,
        cards: vec![uuid(2), uuid(1)],
        terms: TERMS,
        from_ms: ms(hours.start),
        to_ms: ms(hours.end),
    }
}

fn energy(accountant: &mut Accountant, witness: Witness<'_>, hours: Range<i64>) -> EnergyReport {
    match accountant.answer(&asked(What::Energy, hours), witness).unwrap() {
        Reply::Energy(report) => report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_hour_is_posted_once_it_is_over_with_the_terms_in_force() {
    let folder = tempdir().unwrap();
    let (mut recorder, mut accountant) = (open_history(folder.path()), open_account(folder.path()));
    RIG.record(&mut recorder, 0..HOUR);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR - 10));
    assert_eq!(posted(folder.path(), 1), []);
    RIG.record(&mut recorder, HOUR..HOUR + 20);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 10));
    // 100 W and 50 W for an hour are 360 and 180 kJ.
    assert_eq!(joules(folder.path(), 1), [(0, 360_000)]);
    assert_eq!(joules(folder.path(), 2), [(0, 180_000)]);
    assert_eq!(posted(folder.path(), 1)[0].1.terms, TERMS);
    assert_eq!(posted(folder.path(), 1)[0].1.sums.vacant.ms, 3_600_000);
    assert!(folder.path().join("ledger.db.daily").exists());
}

#[test]
fn an_hour_whose_last_sweeps_come_late_is_posted_once_they_are_there() {
    let folder = tempdir().unwrap();
    let (mut recorder, mut accountant) = (open_history(folder.path()), open_account(folder.path()));
    RIG.record(&mut recorder, 0..HOUR);
    // The hour is over by the clock, and the first sweep of the next is not here yet.
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 2));
    assert_eq!(posted(folder.path(), 1), []);
    RIG.record(&mut recorder, HOUR..HOUR + 20);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 12));
    assert_eq!(joules(folder.path(), 1), [(0, 360_000)]);
    assert_eq!(accountant.posted_in, Some(MIDNIGHT_HOUR + 1));
}

#[test]
fn a_card_that_is_silent_over_an_hours_end_is_waited_for_for_some_minutes() {
    let folder = tempdir().unwrap();
    let (mut recorder, mut accountant) = (open_history(folder.path()), open_account(folder.path()));
    RIG.record(&mut recorder, 0..HOUR);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 149));
    assert_eq!(accountant.posted_in, None);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 150));
    assert_eq!(accountant.posted_in, Some(MIDNIGHT_HOUR + 1));
}

#[test]
fn restarts_post_the_same_hours_as_one_run_and_each_once() {
    let (at_once, often) = (tempdir().unwrap(), tempdir().unwrap());
    let end = 4 * HOUR + 30;
    let mut one = open_history(at_once.path());
    RIG.record(&mut one, 0..end);
    post(&mut open_account(at_once.path()), &one, &RIG.stamp(end));
    // Stops in the middle of hours, just before and just after an hour's end; the sessions are proved to be one.
    for (begin, end) in [(0, 2_000), (2_000, 3_600), (3_600, 3_610), (3_610, 9_000), (9_000, end)] {
        let mut recorder = open_history(often.path());
        let mut accountant = open_account(often.path());
        post(&mut accountant, &recorder, &RIG.stamp(begin));
        RIG.record(&mut recorder, begin..end);
        accountant.posted_in = None;
        post(&mut accountant, &recorder, &RIG.stamp(end));
        recorder.flush().unwrap();
    }
    assert_eq!(joules(often.path(), 1), [(0, 360_000), (1, 360_000), (2, 360_000), (3, 360_000)]);
    assert_eq!(posted(often.path(), 1), posted(at_once.path(), 1));
    assert_eq!(posted(often.path(), 2), posted(at_once.path(), 2));
}

#[test]
fn deleting_the_history_changes_no_hour_that_was_posted() {
    let folder = tempdir().unwrap();
    let mut old = open_history(folder.path());
    RIG.record(&mut old, 0..2 * HOUR + 600);
    post(&mut open_account(folder.path()), &old, &RIG.stamp(2 * HOUR + 600));
    let before = posted(folder.path(), 1);
    assert_eq!(before.len(), 2);
    drop(old);
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("history.db{suffix}")));
    }
    let mut new = open_history(folder.path());
    RIG.record(&mut new, 2 * HOUR + 1_200..3 * HOUR + 20);
    post(&mut open_account(folder.path()), &new, &RIG.stamp(3 * HOUR + 20));
    let after = posted(folder.path(), 1);
    assert_eq!(after[..2], before);
    // 40 minutes at 100 W are 240 kJ; of the 20 before them nothing is known any more.
    assert_eq!(after[2].1.sums.counted, fanfare_ledger::Share { ms: 2_400_000, mj: 240_000_000 });
    assert_eq!(after[2].1.sums.unknown_ms, 1_200_000);
    assert_eq!(after.len(), 3);
}

#[test]
fn a_ledger_that_is_taken_away_is_begun_anew_and_gets_what_the_history_has() {
    let folder = tempdir().unwrap();
    let (mut recorder, mut accountant) = (open_history(folder.path()), open_account(folder.path()));
    RIG.record(&mut recorder, 0..HOUR + 20);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 20));
    let before = posted(folder.path(), 1);
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("ledger.db{suffix}")));
    }
    // In the same hour of the wall.
    accountant.open(Timestamp::UNIX_EPOCH);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 30));
    assert_eq!(posted(folder.path(), 1), before);
    assert_eq!(before.len(), 1);
}

#[test]
fn an_hour_of_a_boot_that_is_over_is_posted_at_the_next_start() {
    let folder = tempdir().unwrap();
    let mut recorder = open_history(folder.path());
    RIG.record(&mut recorder, 0..1_810);
    let mut accountant = open_account(folder.path());
    let next = Rig { boot: 'b', booted: 7_000, session: 2 };
    post(&mut accountant, &recorder, &next.stamp(300));
    let rows = posted(folder.path(), 1);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].1.sums.counted.mj, 180_000_000, "1,800 s at 100 W");
    assert_eq!(rows[0].1.sums.unknown_ms, 1_800_000);
}

#[test]
fn older_boots_that_outlived_the_last_one_in_the_history_are_not_counted_again() {
    let folder = tempdir().unwrap();
    let mut recorder = open_history(folder.path());
    let second = Rig { boot: 'b', booted: 8_000, session: 2 };
    RIG.record(&mut recorder, 0..HOUR + 20);
    let mut first = open_account(folder.path());
    post(&mut first, &recorder, &RIG.stamp(HOUR + 20));
    // Of the second boot a history of its own knows, so that nothing of it is in the first one.
    let elsewhere = tempdir().unwrap();
    let mut other = open_history(elsewhere.path());
    second.record(&mut other, 0..HOUR);
    first.posted_in = None;
    first.books.forget();
    post(&mut first, &other, &second.stamp(HOUR));
    let before = posted(folder.path(), 1);
    assert_eq!(before.last().unwrap().1.cursor.at.boot, second.stamp(0).boot);
    // The first history, in which boot a alone is left, and then a third boot.
    let third = Rig { boot: 'c', booted: 12_000, session: 3 };
    third.record(&mut recorder, 0..2 * HOUR);
    let mut again = open_account(folder.path());
    post(&mut again, &recorder, &third.stamp(2 * HOUR));
    let after = posted(folder.path(), 1);
    assert_eq!(after[..before.len()], before);
    let new: u64 = after[before.len()..].iter().map(|(_, row)| row.sums.counted.mj).sum();
    assert!(new <= 100_000 * 2 * HOUR, "only what the third boot drew: {new}");
    assert!(new > 100_000 * HOUR);
}

#[test]
fn an_answer_has_what_is_posted_what_is_over_and_what_is_open() {
    let folder = tempdir().unwrap();
    let (mut recorder, mut accountant) = (open_history(folder.path()), open_account(folder.path()));
    RIG.record(&mut recorder, 0..HOUR + 20);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 20));
    RIG.record(&mut recorder, HOUR + 20..HOUR + 1_810);
    let witness = Witness::Recorder(&recorder);
    // Cards come in the order of their slots, which the question says.
    let told = |report: EnergyReport| -> Vec<(CardUuid, Share, bool)> {
        report.cards.into_iter().map(|card| (card.uuid, card.counted, card.is_open)).collect()
    };
    let share = |ms, mj| Share { ms, mj };
    assert_eq!(
        told(energy(&mut accountant, witness, 0..1)),
        [(uuid(2), share(3_600_000, 180_000_000), false), (uuid(1), share(3_600_000, 360_000_000), false)]
    );
    assert_eq!(
        told(energy(&mut accountant, witness, 0..2)),
        [(uuid(2), share(5_400_000, 270_000_000), true), (uuid(1), share(5_400_000, 540_000_000), true)]
    );
    assert_eq!(told(energy(&mut accountant, witness, 2..9)), []);
    // At the wall: (100 W + 60 W / 2) / 0.9 for an hour are 520 kJ.
    let report = energy(&mut accountant, witness, 0..1);
    assert_eq!((report.cards[1].wall_mj, report.cards[1].wall_is_guess), (Some(520_000_000), true));
    // Another who asks, and has the files alone, is told the same of what is on the disk.
    recorder.flush().unwrap();
    let reader = fanfare_history::Reader::open(folder.path()).unwrap().unwrap();
    let by_files = energy(&mut Accountant::new(folder.path().into()), Witness::Reader(&reader), 0..2);
    assert_eq!(by_files, energy(&mut accountant, Witness::Recorder(&recorder), 0..2));
}

#[test]
fn a_week_has_its_hours_in_the_owners_zone() {
    let folder = tempdir().unwrap();
    let (mut recorder, mut accountant) = (open_history(folder.path()), open_account(folder.path()));
    RIG.record(&mut recorder, 0..HOUR + 20);
    let zone = "Asia/Shanghai".to_owned();
    let reply = accountant.answer(&asked(What::Week { zone }, 0..1), Witness::Recorder(&recorder)).unwrap();
    let Reply::Week(report) = reply else { panic!("{reply:?}") };
    assert_eq!((report.zone.as_str(), report.cards.len()), ("Asia/Shanghai", 2));
    let hours = &report.cards[1].hours;
    // Monday 0:00 in UTC is 8:00 there.
    assert_eq!((hours.len(), hours[8].idle), (168, Share { ms: 3_600_000, mj: 360_000_000 }));
    assert_eq!(hours.iter().filter(|hour| **hour != Default::default()).count(), 1);
}

#[test]
fn a_newer_ledger_is_said_and_left_and_once_it_can_be_written_nothing_is_missing() {
    let folder = tempdir().unwrap();
    let set_version = |version: i64| {
        let other = Connection::open(folder.path().join(fanfare_ledger::FILE)).unwrap();
        other.pragma_update(None, "user_version", version).unwrap();
    };
    let mut recorder = open_history(folder.path());
    drop(open_account(folder.path()));
    set_version(VERSION + 1);
    let mut accountant = open_account(folder.path());
    assert!(matches!(accountant.health().unstored, Some(Unstored::Newer(_))), "{:?}", accountant.health());
    RIG.record(&mut recorder, 0..HOUR + 20);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 20));
    let refused = accountant.answer(&asked(What::Energy, 0..1), Witness::Recorder(&recorder)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotReadable);
    set_version(VERSION);
    accountant.open(Timestamp::UNIX_EPOCH);
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 30));
    assert_eq!(*accountant.health(), FileHealth::default());
    assert_eq!(joules(folder.path(), 1), [(0, 360_000)]);
}

#[test]
fn what_the_ledger_does_not_take_waits_and_is_told_as_open() {
    let folder = tempdir().unwrap();
    let (mut recorder, mut accountant) = (open_history(folder.path()), open_account(folder.path()));
    RIG.record(&mut recorder, 0..HOUR + 20);
    // Another process writes, for longer than is waited.
    let other = Connection::open(folder.path().join(fanfare_ledger::FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 20));
    assert!(matches!(accountant.health().unstored, Some(Unstored::Refused(_))), "{:?}", accountant.health());
    let report = energy(&mut accountant, Witness::Recorder(&recorder), 0..1);
    assert!(report.cards.iter().all(|card| card.is_open && card.counted.ms == 3_600_000), "{report:?}");
    assert_eq!(posted(folder.path(), 1), []);
    other.execute_batch("ROLLBACK").unwrap();
    post(&mut accountant, &recorder, &RIG.stamp(HOUR + 30));
    assert_eq!(*accountant.health(), FileHealth::default());
    assert_eq!(joules(folder.path(), 1), [(0, 360_000)]);
    let report = energy(&mut accountant, Witness::Recorder(&recorder), 0..1);
    assert!(report.cards.iter().all(|card| !card.is_open && card.counted.ms == 3_600_000), "{report:?}");
}

#[test]
fn a_damaged_ledger_is_set_aside_and_said() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join(fanfare_ledger::FILE), [0x55; 8_192]).unwrap();
    let accountant = open_account(folder.path());
    let said = accountant.health().set_aside.clone().unwrap();
    assert!(said.contains("ledger.db.damaged-19700101T000000Z"), "{said}");
    assert_eq!(accountant.health().unstored, None);
}

#[test]
fn terms_are_the_settings_for_the_cards_that_are_installed() {
    let settings = PowerSettings { base_mw: Some(80_000), psu_percent: Some(92), meter: None };
    let expected = WallTerms { cards: 8, base_mw: 80_000, efficiency_ppm: 920_000, guessed: false };
    assert_eq!(terms(&settings, 8), expected);
    assert!(terms(&PowerSettings::default(), 8).guessed);
}
