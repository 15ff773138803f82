//! When an hour is closed while a card says nothing: a reading beyond it, or nothing more to hope for.

use super::*;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// One reading each 100 s from 0 to 3,500, so that hour 100 has a part that is known.
const SLOW: Source = Source { every: 100, ..SOURCE };

fn closed_after(readings: impl IntoIterator<Item = Reading>, silence: Reading) -> Vec<(i64, Sums)> {
    let outcome = run(readings.into_iter().chain([silence]));
    outcome.closed.iter().map(|hour| (hour.hour, hour.sums)).collect()
}

#[test]
fn an_hour_is_open_until_a_reading_lies_beyond_it() {
    let power = || SLOW.run_power(0, HOUR, 1_000);
    assert_eq!(run(power()).closed, [], "one at its very end is not beyond it");
    let outcome = run(power().chain([SLOW.power(HOUR + 100, 1_000)]));
    assert_eq!(outcome.hours(), [(100, measured(3_600, 3_600_000)), (101, measured(100, 100_000))]);
    assert_eq!(outcome.closed.len(), 1);
}

#[test]
fn a_card_without_counter_that_fell_silent_closes_its_hour_as_soon_as_the_gap_is_one() {
    let power = || SLOW.run_power(0, 3_500, 1_000);
    // 200 s are two intervals: a reading there would still be joined.
    assert_eq!(closed_after(power(), SLOW.silent(3_700)), []);
    let hour = both(measured(3_500, 3_500_000), unknown(100));
    assert_eq!(closed_after(power(), SLOW.silent(3_701)), [(100, hour)]);
    assert_eq!(closed_after(SLOW.run_power(0, 3_000, 1_000), SLOW.silent(3_599)), [], "the hour is not over");
}

#[test]
fn a_card_with_a_counter_is_waited_for_a_day_and_bridged() {
    let counter = || SLOW.run_counter(0, 3_500, 1_000, 0);
    assert_eq!(closed_after(counter(), SLOW.silent(3_500 + DAY)), []);
    let hour = both(counted(3_500, 3_500_000), unknown(100));
    assert_eq!(closed_after(counter(), SLOW.silent(3_501 + DAY)), [(100, hour)]);
    // Back within the day: all of it is counted. 3,600 s × 1 W.
    let silent = (3_600..3_500 + DAY).step_by(100).map(|second| SLOW.silent(second));
    let back = counter().chain(silent).chain([SLOW.counter(3_500 + DAY, 1_000 * (3_500 + 86_400))]);
    let outcome = run(back);
    assert_eq!(outcome.whole(), counted(3_500 + 86_400, 1_000 * (3_500 + 86_400)));
    assert_eq!(outcome.hours()[0], (100, counted(3_600, 3_600_000)));
}

#[test]
fn another_session_whose_counter_cannot_be_proved_ends_the_waiting() {
    let other = Source { session: 2, ..SLOW };
    // 115 W × 1.1 × 1,000 s are 126,500,000 mJ; the last reading is of second 3,500.
    let counter = |mj| SLOW.run_counter(0, 3_500, 0, mj).map(|r| Reading { limit_mw: Some(115_000), ..r });
    assert_eq!(closed_after(counter(126_500_001), other.silent(4_500)), []);
    assert_eq!(closed_after(counter(126_500_000), other.silent(4_500)).len(), 1);
}

#[test]
fn another_boot_ends_the_waiting() {
    let next = Source { boot: 'b', booted: SLOW.booted + HOUR, ..SLOW };
    let hour = both(counted(3_500, 3_500_000), unknown(100));
    assert_eq!(closed_after(SLOW.run_counter(0, 3_500, 1_000, 0), next.silent(1)), [(100, hour)]);
    let same_hour = Source { boot: 'b', booted: SLOW.booted + 3_550, ..SLOW };
    assert_eq!(closed_after(SLOW.run_counter(0, 3_500, 1_000, 0), same_hour.silent(1)), []);
}

#[test]
fn a_card_that_is_gone_makes_no_hours_until_it_is_back() {
    let silent = |from: i64, to: i64| (from..to).step_by(100).map(|second| SLOW.silent(second));
    let gone = run(SLOW.run_power(0, 3_500, 1_000).chain(silent(3_600, 30 * DAY)));
    assert_eq!((gone.closed.len(), gone.open), (1, None));
    let back =
        SLOW.run_power(0, 3_500, 1_000).chain(silent(3_600, 4 * HOUR)).chain([SLOW.power(4 * HOUR, 1_000)]);
    assert_eq!(
        run(back).hours(),
        [
            (100, both(measured(3_500, 3_500_000), unknown(100))),
            (101, unknown(3_600)),
            (102, unknown(3_600)),
            (103, unknown(3_600)),
        ]
    );
}

#[test]
fn a_second_of_silence_within_two_intervals_is_no_gap() {
    let readings = [SOURCE.power(0, 1_000), SOURCE.silent(1), SOURCE.power(2, 1_000), SOURCE.power(3, 1_000)];
    assert_eq!(run(readings).whole(), measured(3, 3_000));
}
