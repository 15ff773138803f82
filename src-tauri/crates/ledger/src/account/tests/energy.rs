//! How much energy an hour has, by what means, and how the card was used.

use fanfare_units::DayCut;

use super::*;

#[test]
fn eight_cards_at_115_w_for_a_day_are_22_08_kwh_by_counter_and_by_samples() {
    let source = Source { every: 5, ..SOURCE };
    let day = 86_400;
    // An hour is 115 W × 3,600 s = 414,000,000 mJ; a day of eight cards is 22.08 kWh of 3.6 × 10⁹ mJ.
    let rig_mj = 22 * KWH_MJ + 8 * KWH_MJ / 100;
    let mut by_counter = Sums::default();
    let mut by_samples = Sums::default();
    for card in 0..8 {
        let outcome = run(source.run_counter(0, day, 115_000, card * 1_000_003));
        assert_eq!(
            outcome.hours(),
            (100..124).map(|hour| (hour, counted(3_600, 414_000_000))).collect::<Vec<_>>()
        );
        by_counter.add(&outcome.whole());
        let outcome = run(source.run_power(0, day, 115_000));
        assert_eq!(
            outcome.hours(),
            (100..124).map(|hour| (hour, measured(3_600, 414_000_000))).collect::<Vec<_>>()
        );
        by_samples.add(&outcome.whole());
    }
    assert_eq!(by_counter.known(), share(8 * 86_400, rig_mj));
    assert_eq!(by_samples.known(), share(8 * 86_400, rig_mj));
}

#[test]
fn what_samples_leave_over_is_carried_within_the_hour() {
    // Readings 1.0003 s apart at 115 W are 115,034.5 mJ each; 3,600 s of them are 414,000,000 mJ all the same.
    let times = (0..=3_600 * SECOND_US).step_by(1_000_300).chain([3_600 * SECOND_US]);
    let readings = times.map(|us| {
        let reading = SOURCE.power(0, 115_000);
        let at = At { boottime_us: us, wall_us: reading.at.wall_us + us, ..reading.at };
        Reading { at, ..reading }
    });
    assert_eq!(run(readings).hours(), [(100, measured(3_600, 414_000_000))]);
    // A third of a mJ rounds down, a half up: 1 mW for 333 and for 500 ms.
    for (ms, mj) in [(333, 0), (500, 1)] {
        let mut second = SOURCE.power(0, 1);
        second.at.boottime_us += ms * 1_000;
        assert_eq!(run([SOURCE.power(0, 1), second]).whole().known().mj, mj);
    }
}

#[test]
fn power_that_changes_is_the_mean_of_both_readings() {
    // 100 to 120 W in a second are 110 J.
    assert_eq!(run([SOURCE.power(0, 100_000), SOURCE.power(1, 120_000)]).whole(), measured(1, 110_000));
}

#[test]
fn an_interval_over_an_hours_end_is_cut_there_in_proportion() {
    // Readings at 3,599.5 s and 3,600.25 s, 0.75 s and 300 mJ apart: two thirds are before the hour's end.
    let at = |reading: Reading, us| Reading {
        at: At { boottime_us: us, wall_us: SOURCE.booted * SECOND_US + us, ..reading.at },
        ..reading
    };
    let (before, after) = (3_599_500_000, 3_600_250_000);
    let outcome = run([at(SOURCE.counter(0, 1_000), before), at(SOURCE.counter(0, 1_300), after)]);
    let ms = |ms, mj| Share { ms, mj };
    let known = |outcome: &Outcome| {
        outcome.hours().iter().map(|(hour, sums)| (*hour, sums.known())).collect::<Vec<_>>()
    };
    assert_eq!(known(&outcome), [(100, ms(500, 200)), (101, ms(250, 100))]);
    // Of 301 mJ the parts are 200⅔ and 100⅓: the larger remainder gets the one that is missing.
    let outcome = run([at(SOURCE.counter(0, 1_000), before), at(SOURCE.counter(0, 1_301), after)]);
    assert_eq!(known(&outcome), [(100, ms(500, 201)), (101, ms(250, 100))]);
    // Samples of 100 W: 50 J and 25 J.
    let outcome = run([at(SOURCE.power(0, 100_000), before), at(SOURCE.power(0, 100_000), after)]);
    assert_eq!(known(&outcome), [(100, ms(500, 50_000)), (101, ms(250, 25_000))]);
    assert_eq!(outcome.closed.len(), 1, "the reading beyond it closes it");
}

#[test]
fn a_counter_that_falls_is_a_reset_and_its_interval_goes_to_the_samples() {
    let reading = |second, mj| Reading { power_mw: Some(50_000), ..SOURCE.counter(second, mj) };
    let outcome = run([reading(0, 9_000), reading(1, 9_100), reading(2, 40), reading(3, 150)]);
    // 100 and 110 mJ by the counter, 50 J by the samples in between.
    assert_eq!(outcome.whole(), both(counted(2, 210), measured(1, 50_000)));
    // Without samples nothing is known of that second.
    let outcome = run([SOURCE.counter(0, 9_000), SOURCE.counter(1, 40), SOURCE.counter(2, 150)]);
    assert_eq!(outcome.whole(), both(counted(1, 110), unknown(1)));
}

#[test]
fn a_counter_that_is_missing_for_a_while_is_stood_in_for_by_samples() {
    let reading = |second, counter_mj| Reading { counter_mj, ..SOURCE.power(second, 50_000) };
    let outcome = run([
        reading(0, Some(100)),
        reading(1, Some(200)),
        reading(2, None),
        reading(3, None),
        reading(4, Some(150_200)),
        reading(5, Some(150_250)),
    ]);
    // Three seconds at 50 W by samples, 100 and 50 mJ by the counter.
    assert_eq!(outcome.whole(), both(counted(2, 150), measured(3, 150_000)));
}

/// A11: card 5 of eight has no power sensor; that fails no other card's reading, and its energy is a guess that says so.
#[test]
fn a11_a_card_without_a_sensor_is_estimated_and_the_seven_others_are_measured() {
    for card in 0..8 {
        let sensor = (card != 5).then_some(60_000);
        let readings = SOURCE.seconds(0, 600).map(|second| Reading {
            power_mw: sensor,
            utilisation: Some(40),
            limit_mw: Some(115_000),
            ..SOURCE.silent(second)
        });
        let whole = run(readings).whole();
        assert_eq!(whole.counted, Share::default());
        assert_eq!(whole.unknown_ms, 0);
        if card == 5 {
            // 10 W and two fifths of the 105 W up to the limit are 52 W.
            assert_eq!((whole.measured, whole.estimated), (Share::default(), share(600, 600 * 52_000)));
        } else {
            assert_eq!((whole.measured, whole.estimated), (share(600, 600 * 60_000), Share::default()));
        }
        assert_eq!(whole.load, whole.known());
    }
}

#[test]
fn a_card_that_tells_nothing_has_no_hours() {
    let busy = Reading { utilisation: Some(90), ..SOURCE.silent(1) };
    assert_eq!(run([SOURCE.silent(0), busy, SOURCE.silent(7_200)]).hours(), []);
}

/// A10: days on which clocks change. A day of 25 hours at 1 kW is 25 kWh in 25 rows, one of 23 is 23.
#[test]
fn a10_a_day_of_25_hours_is_25_kwh_and_one_of_23_is_23() {
    let paris = DayCut::new("Europe/Paris", 0).unwrap();
    for (day, hours) in [("2024-10-27", 25), ("2024-03-31", 23), ("2024-10-28", 24)] {
        let (begin, end) = paris.bounds(day.parse().unwrap()).unwrap();
        let source = Source { every: 10, booted: begin.as_second() - 7_200, ..SOURCE };
        // From two hours before the day to two hours after it.
        let outcome = run(source.run_power(0, (hours + 4) * 3_600, 1_000_000));
        let of_day = hour_of(begin.as_microsecond())..hour_of(end.as_microsecond());
        let rows: Vec<_> = outcome.closed.iter().filter(|hour| of_day.contains(&hour.hour)).collect();
        assert_eq!(rows.len(), usize::try_from(hours).unwrap(), "{day}");
        let mj: u64 = rows.iter().map(|hour| hour.sums.known().mj).sum();
        assert_eq!(mj, u64::try_from(hours).unwrap() * KWH_MJ, "{day}");
    }
}

#[test]
fn use_is_what_the_later_reading_says_and_is_told_apart() {
    let reading =
        |second, utilisation, tenancy| Reading { utilisation, tenancy, ..SOURCE.power(second, 10_000) };
    let (rented, free) = (Some(Tenancy::Rented), Some(Tenancy::Free));
    let whole = run([
        reading(0, Some(90), rented),
        // Idle and free: vacant. 4 % is idle, 5 % is not.
        reading(1, Some(4), free),
        reading(2, Some(5), free),
        // Rented and idle: paid for, and not vacant.
        reading(3, Some(0), rented),
        reading(4, Some(100), rented),
        // It is not known for whom it works; nor whether it does.
        reading(5, Some(100), None),
        reading(6, None, free),
        reading(7, None, None),
    ])
    .whole();
    assert_eq!(whole.known(), share(7, 70_000));
    assert_eq!((whole.idle, whole.load), (share(2, 20_000), share(3, 30_000)));
    assert_eq!((whole.rented, whole.free), (share(2, 20_000), share(3, 30_000)));
    assert_eq!(whole.vacant, share(1, 10_000));
}
