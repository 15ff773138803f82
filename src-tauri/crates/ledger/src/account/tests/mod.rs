//! The account over courses of readings made by hand.

mod clocks;
mod courses;
mod energy;
mod gaps;
mod silence;

use std::{collections::BTreeSet, convert::Infallible, time::Duration};

use super::*;

const SECOND_US: i64 = 1_000_000;
/// Millijoules of a kilowatt-hour.
const KWH_MJ: u64 = 3_600_000_000;

/// Where readings come from: a boot, a session, a pace, and the wall's lead over the time since boot.
#[derive(Debug, Clone, Copy)]
struct Source {
    boot: char,
    session: u32,
    every: u64,
    /// The wall when the time since boot was 0, in seconds since 1970.
    booted: i64,
}

/// A reading a second; the machine was booted when hour 100 began.
const SOURCE: Source = Source { boot: 'a', session: 1, every: 1, booted: 360_000 };

impl Source {
    /// That a second since boot passed, and nothing was said.
    fn silent(self, second: i64) -> Reading {
        let boottime_us = second * SECOND_US;
        let boot = self.boot.to_string().repeat(32).parse().unwrap();
        let at = At { boot, boottime_us, wall_us: self.booted * SECOND_US + boottime_us };
        Reading::silent(at, self.session, Duration::from_secs(self.every))
    }

    fn power(self, second: i64, mw: u32) -> Reading {
        Reading { power_mw: Some(mw), ..self.silent(second) }
    }

    fn counter(self, second: i64, mj: u64) -> Reading {
        Reading { counter_mj: Some(mj), ..self.silent(second) }
    }

    /// The seconds of this source's pace, both ends included.
    fn seconds(self, from: i64, to: i64) -> impl Iterator<Item = i64> {
        (from..=to).step_by(usize::try_from(self.every).unwrap())
    }

    /// A card of constant power without a counter.
    fn run_power(self, from: i64, to: i64, mw: u32) -> impl Iterator<Item = Reading> {
        self.seconds(from, to).map(move |second| self.power(second, mw))
    }

    /// A card of constant power with a counter that stands at `mj` when the time since boot is 0.
    fn run_counter(self, from: i64, to: i64, mw: u64, mj: u64) -> impl Iterator<Item = Reading> {
        self.seconds(from, to)
            .map(move |second| self.counter(second, mj + mw * u64::try_from(second).unwrap()))
    }
}

/// What came of a course of readings.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outcome {
    closed: Vec<Hour>,
    open: Option<Hour>,
}

impl Outcome {
    /// The hours, closed and open, with their sums.
    fn hours(&self) -> Vec<(i64, Sums)> {
        self.closed.iter().chain(&self.open).map(|hour| (hour.hour, hour.sums)).collect()
    }

    fn whole(&self) -> Sums {
        let mut whole = Sums::default();
        self.hours().iter().for_each(|(_, sums)| whole.add(sums));
        whole
    }
}

/// Goes on with an account over a ledger that has the hours of `posted`.
fn go_on(
    mut account: Account,
    posted: &BTreeSet<i64>,
    readings: impl IntoIterator<Item = Reading>,
) -> Outcome {
    let is_posted = |hour: i64| Ok::<_, Infallible>(posted.contains(&hour));
    let mut closed = Vec::new();
    for reading in readings {
        closed.extend(account.take(&reading, is_posted).unwrap());
    }
    Outcome { closed, open: account.open() }
}

/// The outcome of an account that begins with these readings.
fn run(readings: impl IntoIterator<Item = Reading>) -> Outcome {
    go_on(Account::new(None), &BTreeSet::new(), readings)
}

fn share(seconds: u64, mj: u64) -> Share {
    Share { ms: seconds * 1_000, mj }
}

fn unknown(seconds: u64) -> Sums {
    Sums { unknown_ms: seconds * 1_000, ..Sums::default() }
}

fn counted(seconds: u64, mj: u64) -> Sums {
    Sums { counted: share(seconds, mj), ..Sums::default() }
}

fn measured(seconds: u64, mj: u64) -> Sums {
    Sums { measured: share(seconds, mj), ..Sums::default() }
}

fn both(mut one: Sums, other: Sums) -> Sums {
    one.add(&other);
    one
}
