//! Any course of readings, boots, sessions, silences and steps of the clock.

use proptest::prelude::*;

use super::*;

/// What happens between two readings.
#[derive(Debug, Clone, Copy)]
enum Between {
    /// So many milliseconds pass.
    Time(i64),
    /// The clock is set by so many seconds, in a second.
    Set(i64),
    /// The driver's reader is started anew, in a second.
    Session,
    /// The machine is, and is off for so many seconds.
    Boot(i64),
}

/// Anything, clocks that go wrong included.
fn anything() -> impl Strategy<Value = Between> {
    prop_oneof![
        9 => with_a_good_clock(),
        1 => (-20_000..20_000_i64).prop_map(Between::Set),
        1 => (-100..0_i64).prop_map(Between::Boot),
    ]
}

fn with_a_good_clock() -> impl Strategy<Value = Between> {
    prop_oneof![
        8 => (1..2_500_i64).prop_map(Between::Time),
        4 => (1..10_000_000_i64).prop_map(Between::Time),
        1 => (86_000_000..90_000_000_i64).prop_map(Between::Time),
        1 => Just(Between::Session),
        1 => (0..20_000_i64).prop_map(Between::Boot),
    ]
}

/// What a reading says: the rise of its counter, power, utilisation, limit, tenancy.
type Said = (Option<u64>, Option<u32>, Option<u8>, Option<u32>, Option<bool>);

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        5 => (
            prop::option::weighted(0.8, 0..200_000_u64),
            prop::option::weighted(0.8, 0..200_000_u32),
            prop::option::of(0..101_u8),
            prop::option::weighted(0.8, 50_000..200_000_u32),
            prop::option::of(any::<bool>()),
        ),
        1 => Just((None, None, None, None, None)),
    ]
}

fn course(between: impl Strategy<Value = Between>) -> impl Strategy<Value = Vec<Reading>> {
    prop::collection::vec((between, said()), 1..120).prop_map(|steps| {
        let (mut boots, mut session, mut counter) = (0_u8, 1, 0);
        let (mut boottime_us, mut wall_us) = (0, SOURCE.booted * SECOND_US);
        let pass = |boottime_us: &mut i64, wall_us: &mut i64, ms: i64| {
            *boottime_us += ms * 1_000;
            *wall_us += ms * 1_000;
        };
        let reading = |(happens, (rise, power_mw, utilisation, limit_mw, rented)): (Between, Said)| {
            pass(&mut boottime_us, &mut wall_us, 1_000);
            match happens {
                Between::Time(ms) => pass(&mut boottime_us, &mut wall_us, ms),
                Between::Set(seconds) => wall_us += seconds * SECOND_US,
                Between::Session => session += 1,
                Between::Boot(seconds) => {
                    (boots, session, boottime_us, counter) = (boots + 1, session + 1, 0, 0);
                    wall_us += seconds * SECOND_US;
                }
            }
            counter += rise.unwrap_or(0);
            let boot = format!("{boots:032x}").parse().unwrap();
            Reading {
                counter_mj: rise.map(|_| counter),
                power_mw,
                utilisation,
                limit_mw,
                tenancy: rented.map(|rented| if rented { Tenancy::Rented } else { Tenancy::Free }),
                ..Reading::silent(At { boot, boottime_us, wall_us }, session, Duration::from_secs(1))
            }
        };
        steps.into_iter().map(reading).collect()
    })
}

/// The milliseconds between the first reading that tells and the last.
fn ms_between(readings: &[Reading]) -> i64 {
    let telling: Vec<&Reading> = readings.iter().filter(|reading| reading.tells()).collect();
    telling.windows(2).map(|pair| pair[0].at.until(&pair[1].at) / 1_000).sum()
}

/// What comes of a course whose last reading tells, so that nothing waits.
fn run_to_the_end(readings: &mut [Reading]) -> Outcome {
    readings.last_mut().unwrap().power_mw = Some(1);
    run(readings.iter().copied())
}

fn is_not_more(part: Share, whole: Share) -> bool {
    part.ms <= whole.ms && part.mj <= whole.mj
}

proptest! {
    #[test]
    fn every_millisecond_is_in_one_hour_once(mut readings in course(with_a_good_clock())) {
        let whole = run_to_the_end(&mut readings).whole();
        prop_assert_eq!(i64::try_from(whole.known().ms + whole.unknown_ms).unwrap(), ms_between(&readings));
    }

    #[test]
    fn whatever_the_clock_does_no_hour_is_closed_twice_and_parts_are_parts(mut readings in course(anything())) {
        let outcome = run_to_the_end(&mut readings);
        let hours: BTreeSet<i64> = outcome.closed.iter().map(|hour| hour.hour).collect();
        prop_assert_eq!(hours.len(), outcome.closed.len());
        // Of the time between boots the wall alone tells; what is known it does not touch.
        prop_assert!(i64::try_from(outcome.whole().known().ms).unwrap() <= ms_between(&readings));
        for (_, sums) in outcome.hours() {
            let (mut used, mut let_out) = (sums.idle, sums.rented);
            used += sums.load;
            let_out += sums.free;
            prop_assert!(is_not_more(used, sums.known()) && is_not_more(let_out, sums.known()), "{:?}", sums);
            prop_assert!(is_not_more(sums.vacant, sums.idle) && is_not_more(sums.vacant, sums.free));
        }
    }

    #[test]
    fn a_counter_that_only_rises_is_counted_exactly(steps in prop::collection::vec((1..20_000_i64, 0..1_000_000_u64), 2..200)) {
        let (mut second, mut mj) = (0, 0);
        let readings: Vec<Reading> = steps
            .iter()
            .map(|(seconds, rise)| {
                (second, mj) = (second + seconds, mj + rise);
                SOURCE.counter(second, mj)
            })
            .collect();
        let [first, .., last] = readings[..] else { unreachable!("two at least") };
        let whole = run(readings.iter().copied()).whole();
        prop_assert_eq!(whole.counted.mj, last.counter_mj.unwrap() - first.counter_mj.unwrap());
        prop_assert_eq!(whole.counted, whole.known());
        prop_assert_eq!(whole.unknown_ms, 0);
    }

    #[test]
    fn an_account_that_is_resumed_from_any_cursor_makes_the_same_hours(readings in course(anything())) {
        let at_once = run(readings.iter().copied());
        for stop in 0..at_once.closed.len() {
            let cursor = at_once.closed[stop].cursor;
            let posted = at_once.closed[..=stop].iter().map(|hour| hour.hour).collect();
            let rest = readings.iter().skip_while(|reading| reading.at != cursor.at);
            let resumed = go_on(Account::new(Some(cursor)), &posted, rest.copied());
            prop_assert_eq!(&resumed.closed[..], &at_once.closed[stop + 1..], "from {}", stop);
            prop_assert_eq!(resumed.open, at_once.open);
        }
    }

    #[test]
    fn hours_are_the_same_in_whatever_portions_they_are_posted(readings in course(anything()), ends in prop::collection::vec(0..120_usize, 0..6)) {
        let at_once = run(readings.iter().copied());
        let mut ends: Vec<usize> = ends.into_iter().map(|end| end.min(readings.len())).chain([readings.len()]).collect();
        ends.sort_unstable();
        let mut ledger: Vec<Hour> = Vec::new();
        for end in ends {
            // Each time the account is made anew from what the ledger and the record have.
            let posted = ledger.iter().map(|hour| hour.hour).collect();
            let cursor = ledger.last().map(|hour| hour.cursor);
            let known = readings[..end].iter().skip_while(|reading| cursor.is_some_and(|c| reading.at != c.at));
            let portion = go_on(Account::new(cursor), &posted, known.copied());
            ledger.extend(portion.closed);
        }
        prop_assert_eq!(ledger, at_once.closed);
    }
}
