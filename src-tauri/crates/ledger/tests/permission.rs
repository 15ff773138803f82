//! `ledger.db` in a directory that this user may not write: it is read, and neither changed nor taken for damaged. As root these
//! tests would prove nothing: they run themselves again as the user that owns nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{fs, path::Path};

use fanfare_dbfile::Fault;
use fanfare_ledger::{At, CardHour, Cursor, FILE, Ledger, LedgerReader, Share, Sums, WallTerms};
use fanfare_testkit::{foreign_data, over_foreign_data};
use jiff::Timestamp;

fn hour() -> CardHour {
    let boot = "0123456789abcdef0123456789abcdef".parse().unwrap();
    CardHour {
        card: "GPU-1".into(),
        hour: 498_888,
        sums: Sums { counted: Share { ms: 3_600_000, mj: 414_000_000 }, ..Sums::default() },
        terms: WallTerms { cards: 8, base_mw: 100_000, efficiency_ppm: 900_000, guessed: true },
        cursor: Cursor { at: At { boot, boottime_us: 1, wall_us: 2 }, done_us: 0, limit_mw: None },
    }
}

fn post_an_hour(data: &Path) {
    let mut ledger = Ledger::open_or_begin(data, Timestamp::UNIX_EPOCH).unwrap().db;
    assert_eq!(ledger.post(&[hour()]).unwrap().new, 1);
}

#[test]
fn a_ledger_that_may_not_be_written_is_read_and_not_taken_for_damaged() {
    over_foreign_data("what_is_posted_can_be_read", post_an_hour);
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn what_is_posted_can_be_read() {
    let refused = Ledger::open_or_begin(&foreign_data(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(!refused.is_damage(), "{refused}");
    let reader = LedgerReader::open(&foreign_data()).unwrap().unwrap();
    assert_eq!(reader.hours("GPU-1", 0..1_000_000).unwrap(), [hour()]);
}

#[test]
fn a_damaged_ledger_that_may_not_be_moved_is_said_and_left() {
    over_foreign_data("damage_stays_where_it_is", |data| fs::write(data.join(FILE), [0x55; 8_192]).unwrap());
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn damage_stays_where_it_is() {
    let refused = Ledger::open_or_begin(&foreign_data(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(refused.to_string().contains("could not be set aside"), "{refused}");
}
