use std::{env, time::Duration};

use fanfare_units::{Boottime, Celsius};
use jiff::Timestamp;
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

use super::*;
use crate::{
    reading::{NvmlCode, Reading, Reason},
    sample::Sample,
    snapshot::EventKind,
    trouble::TroubleCode,
};

/// Cases in an ordinary run; `PROPTEST_CASES` asks for another number.
const CASES: u32 = 20_000;

fn stamp() -> Stamp {
    Stamp {
        wall: Timestamp::from_second(1_796_000_000).unwrap(),
        boottime: Boottime::since_boot(Duration::from_micros(1_500)),
        boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
    }
}

/// A line with one card that answered in part, one that is silent, and an event.
fn line() -> Line {
    let uuid = |text: &str| text.parse::<CardUuid>().unwrap();
    let sample = Sample {
        temperature: Reading::Measured(Celsius(64)),
        ..Sample::missing(stamp(), Reason::Error { code: NvmlCode(999) })
    };
    let first = uuid("GPU-0f0e0d0c-0b0a-0908-0706-050403020100");
    let cards = vec![
        CardLine { uuid: first.clone(), answer: Answer::Sample(Box::new(sample)), slow: None },
        CardLine {
            uuid: uuid("GPU-1f0e0d0c-0b0a-0908-0706-050403020100"),
            answer: Answer::Silent { since: stamp() },
            slow: None,
        },
    ];
    Line::Sweep(Box::new(SweepLine {
        sweep: 7,
        at: stamp(),
        driver: None,
        roster: Roster::Read,
        cards,
        unreachable: vec![Unreachable { index: 2, reason: Reason::Lost }],
        events: vec![CardEvent { at: stamp(), uuid: Some(first), kind: EventKind::Xid(79) }],
        events_dropped: 0,
    }))
}

fn written(line: &Line) -> Vec<u8> {
    let mut bytes = b"what was there before".to_vec();
    write(line, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_line_is_read_as_it_was_written() {
    let trouble =
        Trouble { code: TroubleCode::VersionMismatch, nvml: Some(NvmlCode(18)), detail: "…".into() };
    for line in [line(), Line::Trouble(trouble)] {
        let bytes = written(&line);
        assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 1, "one line, one newline");
        assert_eq!(read(&bytes).unwrap(), line);
    }
}

#[test]
fn another_version_is_named_whatever_its_shape() {
    for theirs in [0, 2, 4_000_000_000] {
        let error = read(format!(r#"{{"v":{theirs},"line":["?"]}}"#).as_bytes()).unwrap_err();
        assert!(matches!(error, WireError::Version { theirs: named } if named == theirs), "{error}");
    }
}

#[test]
fn what_is_no_line_is_garbage() {
    let half = written(&line());
    let half = &half[..half.len() / 2];
    for bytes in
        [&b""[..], b"null", b"{}", b"{\"v\":1}", b"{\"v\":1,\"line\":{\"dance\":{}}}", b"\xff\xfe", half]
    {
        let error = read(bytes).unwrap_err();
        assert!(matches!(error, WireError::Garbage(_)), "{error} of {:?}", String::from_utf8_lossy(bytes));
    }
}

fn config() -> Config {
    let cases = env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    /// Any damage to a line is an error or another line that can itself be written and read; nothing panics.
    #[test]
    fn a_damaged_line_never_panics(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        kept in any::<prop::sample::Index>(),
        cut: bool,
    ) {
        let mut bytes = written(&line());
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if cut {
            bytes.truncate(kept.index(bytes.len() + 1));
        }
        if let Ok(line) = read(&bytes) {
            prop_assert_eq!(read(&written(&line)).unwrap(), line);
        }
    }
}
