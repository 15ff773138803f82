//! `history.db` in a directory that this user may not write: it is read, and neither changed nor taken for damaged. As root these
//! tests would prove nothing: they run themselves again as the user that owns nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{fs, path::Path, time::Duration};

use fanfare_dbfile::Fault;
use fanfare_history::{FILE, Quantity, Reader, Recorder, Retention, Series, Source, Sweep};
use fanfare_testkit::{foreign_data, over_foreign_data};
use fanfare_units::{Boottime, Stamp};
use jiff::Timestamp;

fn sweep(second: u64) -> Sweep {
    Sweep {
        at: Stamp {
            wall: Timestamp::from_second(1_795_996_800 + i64::try_from(second).unwrap()).unwrap(),
            boottime: Boottime::since_boot(Duration::from_secs(second)),
            boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
        },
        source: Source { session: 1, every: Duration::from_secs(1) },
        values: vec![(Series::new("GPU-1", Quantity::Power), Some(50_000))],
        marks: Vec::new(),
    }
}

fn record_a_minute(data: &Path) {
    let mut recorder = Recorder::open(data, Retention::default(), Timestamp::UNIX_EPOCH).unwrap().recorder;
    for second in 0..60 {
        recorder.record(&sweep(second)).unwrap();
    }
    recorder.flush().unwrap();
}

#[test]
fn a_history_that_may_not_be_written_is_read_and_not_taken_for_damaged() {
    over_foreign_data("what_is_recorded_can_be_read", record_a_minute);
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn what_is_recorded_can_be_read() {
    let refused = Recorder::open(&foreign_data(), Retention::default(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(!refused.is_damage(), "{refused}");
    let verified = Reader::open(&foreign_data()).unwrap().unwrap().verify().unwrap();
    assert_eq!((verified.sweeps, verified.findings), (60, vec![]));
}

#[test]
fn a_damaged_history_that_may_not_be_moved_is_said_and_left() {
    over_foreign_data("damage_stays_where_it_is", |data| fs::write(data.join(FILE), [0x55; 8_192]).unwrap());
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn damage_stays_where_it_is() {
    let refused = Recorder::open(&foreign_data(), Retention::default(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(refused.to_string().contains("could not be set aside"), "{refused}");
}
