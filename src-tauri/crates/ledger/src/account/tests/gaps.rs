//! Stretches without readings: suspends, restarts, other boots.

use super::*;

const HOUR: i64 = 3_600;

/// A20: eight cards at 100 W, a reading each 10 s, suspended for 8 h. Samples add nothing for the gap: its 28,800 s are unknown.
#[test]
fn a20_a_suspend_adds_no_energy_by_samples_and_its_seconds_are_unknown() {
    let source = Source { every: 10, ..SOURCE };
    for _card in 0..8 {
        let awake = source.run_power(0, 600, 100_000);
        let outcome = run(awake.chain(source.run_power(600 + 28_800, 1_200 + 28_800, 100_000)));
        // Twice 600 s at 100 W.
        assert_eq!(outcome.whole(), both(measured(1_200, 120_000_000), unknown(28_800)));
        assert_eq!(outcome.hours()[1], (101, unknown(3_600)), "a row of its own for each hour of the gap");
    }
}

/// A20, with a counter: the gap has exactly its difference, as time that was counted, in one interval.
#[test]
fn a20_a_suspend_is_bridged_by_the_counter_with_exactly_its_difference() {
    let source = Source { every: 10, ..SOURCE };
    let day = |second: i64, mj| Reading { power_mw: Some(100_000), ..source.counter(second, mj) };
    let before: Vec<Reading> =
        source.seconds(0, 600).map(|s| day(s, 5 + 100_000 * s.unsigned_abs())).collect();
    // Asleep the cards drew 1 kJ in all.
    let woke = 5 + 60_000_000 + 1_000_000;
    let after = source.seconds(29_400, 30_000).map(|s| day(s, woke + 100_000 * (s - 29_400).unsigned_abs()));
    let asleep = run(before.iter().copied().chain([day(29_400, woke)])).whole();
    assert_eq!(asleep, counted(29_400, 61_000_000), "one catch-up interval, and no burst");
    let outcome = run(before.into_iter().chain(after));
    assert_eq!(outcome.whole(), counted(30_000, 121_000_000));
    // 28,800 s of 1,000,000 mJ: 3,000 s of them in hour 100, seven hours of 125,000 mJ, 600 s in hour 108.
    let gap_mj: Vec<u64> = outcome.hours().iter().map(|(_, sums)| sums.counted.mj).collect();
    assert_eq!(gap_mj[1..8], [125_000; 7]);
    // 104,166⅔ and 20,833⅓: hour 100 has 60,000,000 beside it, hour 108 what came after, 600 s at 100 W.
    assert_eq!((gap_mj[0], gap_mj[8]), (60_104_167, 60_020_833));
}

#[test]
fn a_gap_over_a_reset_is_unknown() {
    assert_eq!(run([SOURCE.counter(0, 900), SOURCE.counter(60, 899)]).whole(), unknown(60));
}

#[test]
fn a_gap_says_nothing_of_idle_or_load_and_of_tenancy_only_what_both_its_ends_say() {
    let reading =
        |second, mj, tenancy| Reading { utilisation: Some(0), tenancy, ..SOURCE.counter(second, mj) };
    let (rented, free) = (Some(Tenancy::Rented), Some(Tenancy::Free));
    for (before, after, is_rented, is_free) in [
        (rented, rented, true, false),
        (free, free, false, true),
        (free, rented, false, false),
        (None, rented, false, false),
        (None, None, false, false),
    ] {
        let whole = run([reading(0, 10, before), reading(60, 70, after)]).whole();
        let of = |is: bool| if is { share(60, 60) } else { Share::default() };
        let expected =
            Sums { counted: share(60, 60), rented: of(is_rented), free: of(is_free), ..Sums::default() };
        assert_eq!(whole, expected, "{before:?} {after:?}");
    }
}

#[test]
fn another_session_is_bridged_if_the_limits_seen_prove_the_counter_the_same() {
    let other = Source { session: 2, ..SOURCE };
    let limit = |reading, mw| Reading { limit_mw: Some(mw), ..reading };
    // 115 W × 1.1 × 1,000 s are 126,500,000 mJ.
    let proved = [limit(SOURCE.counter(0, 126_500_001), 115_000), other.counter(1_000, 126_500_002)];
    assert_eq!(run(proved).whole(), counted(1_000, 1));
    let unproved = [limit(SOURCE.counter(0, 126_500_000), 115_000), other.counter(1_000, 126_500_002)];
    assert_eq!(run(unproved).whole(), unknown(1_000));
    // A higher limit was seen before, and might have come back in the gap.
    let higher = [
        limit(SOURCE.counter(-1, 126_500_001), 120_000),
        limit(SOURCE.counter(0, 126_500_001), 115_000),
        other.counter(1_000, 126_500_002),
    ];
    assert_eq!(run(higher).whole(), both(counted(1, 0), unknown(1_000)));
}

#[test]
fn between_two_boots_all_is_unknown_and_as_long_as_the_wall_says() {
    // Off from second 100 of one boot to second 20 of the next, which began 2 h and 50 s after the first.
    let next = Source { boot: 'b', booted: SOURCE.booted + 2 * HOUR + 50, ..SOURCE };
    let outcome = run([
        SOURCE.counter(99, 10),
        SOURCE.counter(100, 110),
        next.counter(20, 1_000),
        next.counter(21, 1_200),
    ]);
    // From 0:01:40 to 2:01:10.
    assert_eq!(
        outcome.hours(),
        [
            (100, both(counted(1, 100), unknown(3_500))),
            (101, unknown(3_600)),
            (102, both(unknown(70), counted(1, 200))),
        ]
    );
}

#[test]
fn a_boot_whose_clock_is_earlier_leaves_no_time_between() {
    let next = Source { boot: 'b', booted: SOURCE.booted - 60, ..SOURCE };
    let outcome =
        run([SOURCE.power(99, 1_000), SOURCE.power(100, 1_000), next.power(1, 2_000), next.power(2, 2_000)]);
    assert_eq!(outcome.hours(), [(100, measured(2, 3_000))]);
}

#[test]
fn of_a_year_and_a_half_without_readings_the_last_400_days_are_rows() {
    let days = 550;
    let next = Source { boot: 'b', booted: SOURCE.booted + days * 24 * HOUR, ..SOURCE };
    let outcome =
        run([SOURCE.power(0, 1_000), SOURCE.power(1, 1_000), next.power(1, 1_000), next.power(2, 1_000)]);
    let hours = outcome.hours();
    assert_eq!(hours[0], (100, measured(1, 1_000)));
    // 400 days before second 1 of its hour begins one second into an hour.
    let begin = 100 + (days - 400) * 24;
    assert_eq!(hours[1], (begin, unknown(3_599)));
    let whole_hours = (begin + 1..100 + days * 24).map(|hour| (hour, unknown(3_600)));
    assert_eq!(hours[2..hours.len() - 1], whole_hours.collect::<Vec<_>>());
    assert_eq!(hours[hours.len() - 1], (100 + days * 24, both(unknown(1), measured(1, 1_000))));
    assert_eq!(outcome.whole().unknown_ms, 400 * 24 * 3_600 * 1_000);
}
