//! A damaged `ledger.db` is set aside, as it was, and a new one begun.

use std::{ffi::OsStr, fs::OpenOptions, os::unix::fs::FileExt};

use super::*;

const NOW: &str = "2026-11-30T18:44:24.5Z";
const ASIDE: &str = "ledger.db.damaged-20261130T184424Z";
const PAGE: usize = 4_096;

/// A whole ledger of many pages, closed, as its bytes.
fn whole() -> Vec<u8> {
    let folder = tempdir().unwrap();
    let hours: Vec<CardHour> = (0..600).map(|hour| counted("GPU-a", hour, 1)).collect();
    open(folder.path()).post(&hours).unwrap();
    let bytes = fs::read(folder.path().join(FILE)).unwrap();
    assert!(bytes.len() > 10 * PAGE, "pages enough to damage one: {}", bytes.len());
    bytes
}

/// What is said of a file of these bytes, once it lies aside as it was and a new one serves.
fn said_of(damaged: &[u8]) -> String {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join(FILE), damaged).unwrap();
    let Opened { db: mut ledger, set_aside } =
        Ledger::open_or_begin(folder.path(), NOW.parse().unwrap()).unwrap();
    let set_aside = set_aside.expect("the damage is said");
    assert_eq!(set_aside.path.file_name(), Some(OsStr::new(ASIDE)));
    assert!(fs::read(&set_aside.path).unwrap() == damaged, "kept as it was");
    assert_eq!(ledger.post(&[counted("GPU-a", 1, 1)]).unwrap(), Posted { new: 1, known: 0 });
    drop(ledger);
    assert_eq!(
        open(folder.path()).reader.hours("GPU-a", 0..600).unwrap().len(),
        1,
        "the new one is no damaged one"
    );
    set_aside.why
}

#[test]
fn garbage_an_empty_file_and_half_a_file_are_set_aside() {
    let whole = whole();
    assert!(said_of(&[0x55; 2 * PAGE]).contains("not a database"));
    assert!(said_of(b"").contains("it is empty"));
    for kept in [100, PAGE, 5 * PAGE, 5 * PAGE + 17] {
        said_of(&whole[..kept]);
    }
}

#[test]
fn a_file_with_any_page_overwritten_is_set_aside() {
    let whole = whole();
    for page in 0..whole.len() / PAGE {
        let mut damaged = whole.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0x55);
        said_of(&damaged);
    }
}

#[test]
fn a_file_whose_version_promises_tables_that_it_lacks_is_set_aside() {
    let folder = tempdir().unwrap();
    let foreign = Connection::open(folder.path().join(FILE)).unwrap();
    foreign.execute_batch("CREATE TABLE other (words TEXT)").unwrap();
    foreign.pragma_update(None, "user_version", VERSION).unwrap();
    foreign.pragma_update(None, "journal_mode", "WAL").unwrap();
    drop(foreign);
    let bytes = fs::read(folder.path().join(FILE)).unwrap();
    assert!(said_of(&bytes).contains("no such table"));
}

#[test]
fn a_row_that_no_version_wrote_is_set_aside() {
    let folder = tempdir().unwrap();
    open(folder.path()).post(&[counted("GPU-a", 1, 1)]).unwrap();
    // A boot of the right length that is no boot, in the bytes themselves: the triggers allow nothing else.
    let path = folder.path().join(FILE);
    let bytes = fs::read(&path).unwrap();
    let boot = bytes.windows(32).position(|window| window == BOOT.as_bytes()).unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(b"g", u64::try_from(boot).unwrap()).unwrap();
    assert!(said_of(&fs::read(&path).unwrap()).contains("boot"));
}
