//! A wall clock that is set, while the time since boot goes on.

use super::*;

/// The same boot, after the clock was set by so many seconds.
fn set_by(seconds: i64) -> Source {
    Source { booted: SOURCE.booted + seconds, ..SOURCE }
}

#[test]
fn a_clock_set_forward_loses_nothing_and_makes_no_time() {
    // At second 1,800 it is set to an hour and a half later: hour 100 has 1,801 s, hour 102 the rest.
    let before = SOURCE.run_power(0, 1_800, 1_000);
    let outcome = run(before.chain(set_by(5_400).run_power(1_801, 3_600, 1_000)));
    assert_eq!(outcome.hours(), [(100, measured(1_801, 1_801_000)), (102, measured(1_799, 1_799_000))]);
}

#[test]
fn a_clock_set_back_into_a_posted_hour_goes_on_in_the_open_one() {
    // At 1:05:00 it is set back to 0:55:00: hour 100 was closed at 1:00:01.
    let before = SOURCE.run_power(0, 3_900, 1_000);
    let outcome = run(before.chain(set_by(-600).run_power(3_901, 7_800, 1_000)));
    // 300 s of hour 101, then the 600 s again, then the hour whole, of which the last is not over.
    assert_eq!(outcome.hours(), [(100, measured(3_600, 3_600_000)), (101, measured(4_200, 4_200_000))]);
    // One clock or the other, each second is there once.
    assert_eq!(outcome.whole(), measured(7_800, 7_800_000));
}

#[test]
fn a_clock_set_back_by_hours_fills_the_hours_that_nobody_posted_and_then_the_first_open_one() {
    // 0:00 to 2:30 by a clock that is 100 h ahead, then set right, then 100 h on.
    let ahead = set_by(360_000).run_power(0, 9_000, 1_000);
    let right = SOURCE.run_power(9_001, 14_400, 1_000);
    let outcome = run(ahead.chain(right));
    assert_eq!(
        outcome.hours(),
        [
            (200, measured(3_600, 3_600_000)),
            (201, measured(3_600, 3_600_000)),
            // It closes what was open.
            (202, measured(1_801, 1_801_000)),
            (102, measured(1_799, 1_799_000)),
            (103, measured(3_600, 3_600_000)),
        ]
    );
    // When the time of hour 200 comes, it goes on in 203, the first that is open; and so do all up to it.
    let later = SOURCE.run_counter(360_000, 360_000 + 4 * 3_600, 1_000, 0);
    let posted: BTreeSet<i64> = outcome.closed.iter().map(|hour| hour.hour).collect();
    let outcome = go_on(Account::new(None), &posted, later);
    assert_eq!(outcome.hours(), [(203, counted(4 * 3_600, 4 * 3_600_000))]);
}

#[test]
fn a_boot_without_a_clock_is_an_hour_of_1970_and_costs_the_others_nothing() {
    let dead_battery = Source { boot: 'b', booted: 0, ..SOURCE };
    let put_right = Source { boot: 'b', booted: 400_000, ..SOURCE };
    let outcome = run(SOURCE
        .run_power(0, 60, 1_000)
        .chain(dead_battery.run_power(0, 30, 1_000))
        .chain(put_right.run_power(31, 60, 1_000)));
    // 400,031 s are in hour 111.
    assert_eq!(
        outcome.hours(),
        [(100, measured(60, 60_000)), (0, measured(31, 31_000)), (111, measured(29, 29_000))]
    );
}

#[test]
fn a_boot_by_a_clock_of_1970_adds_no_unknown_time_to_hours_that_are_closed() {
    // A day by the right clock, half a minute by a clock of 1970, and the next boot by the right one again, a minute later.
    let dead_battery = Source { boot: 'b', booted: 0, ..SOURCE };
    let next = Source { boot: 'c', booted: SOURCE.booted + 86_400 + 90, ..SOURCE };
    let outcome = run(Source { every: 10, ..SOURCE }
        .run_power(0, 86_400, 1_000)
        .chain(dead_battery.run_power(0, 30, 1_000))
        .chain(next.run_power(0, 30, 1_000)));
    // Before hour 100 nothing is in the ledger: by the wall the rig was off since 1970.
    let by_hour: std::collections::BTreeMap<i64, Sums> = outcome.hours().into_iter().collect();
    assert_eq!(by_hour.len(), outcome.hours().len());
    assert_eq!(by_hour[&0], both(measured(30, 30_000), unknown(3_570)));
    assert_eq!(by_hour[&99], unknown(3_600));
    for hour in 100..124 {
        assert_eq!(by_hour[&hour], measured(3_600, 3_600_000), "{hour}");
    }
    assert_eq!(by_hour[&124], both(unknown(90), measured(30, 30_000)));
}

#[test]
fn a_reading_that_is_not_later_is_passed_over() {
    let outcome =
        run([SOURCE.counter(5, 10), SOURCE.counter(6, 20), SOURCE.counter(5, 99), SOURCE.counter(7, 30)]);
    assert_eq!(outcome.whole(), counted(2, 20));
}
