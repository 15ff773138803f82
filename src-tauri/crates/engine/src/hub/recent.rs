//! The temperatures of the last half hour: for each card the highest of each ten seconds, 180 of them.
//!
//! Steps are counted on the boot-time clock, so that all cards' steps begin at the same moment and a sleep of the machine is a
//! gap. A card costs 1.5 kB, and is dropped half an hour after its last value.

use std::collections::{BTreeMap, VecDeque};

use fanfare_rig::CardUuid;
use fanfare_units::{Boottime, Celsius};

use crate::frame::{Recent, RecentCard};

/// Seconds of a step.
const STEP_SECONDS: u64 = 10;
/// Steps that are kept: half an hour.
const STEPS: usize = 180;

/// The last half hour of every card.
#[derive(Debug, Default)]
pub(super) struct Temperatures {
    cards: BTreeMap<CardUuid, Series>,
}

/// One card's values, the last of them in step `last`.
#[derive(Debug)]
struct Series {
    last: u64,
    values: VecDeque<Option<i32>>,
}

impl Temperatures {
    /// Takes in that a card had this temperature at `at`. What is older than the newest step is passed over.
    pub(super) fn take(&mut self, uuid: &CardUuid, celsius: Celsius, at: Boottime) {
        let step = step(at);
        match self.cards.get_mut(uuid) {
            Some(series) => series.take(step, celsius.0),
            None => {
                self.cards.retain(|_, series| series.last + STEPS as u64 > step);
                let series = Series { last: step, values: [Some(celsius.0)].into() };
                self.cards.insert(uuid.clone(), series);
            }
        }
    }

    /// The half hour that ends with the step of `now`.
    pub(super) fn recent(&self, now: Boottime) -> Recent {
        let now = step(now);
        let card = |(uuid, series): (&CardUuid, &Series)| {
            let temperatures_c = series.until(now);
            let heard = temperatures_c.iter().any(Option::is_some);
            heard.then(|| RecentCard { uuid: uuid.to_string(), temperatures_c })
        };
        Recent { step_ms: STEP_SECONDS * 1_000, cards: self.cards.iter().filter_map(card).collect() }
    }
}

impl Series {
    fn take(&mut self, step: u64, celsius: i32) {
        if step < self.last {
            return;
        }
        if let Some(Some(highest)) = self.values.back_mut().filter(|_| step == self.last) {
            *highest = celsius.max(*highest);
            return;
        }
        let skipped = usize::try_from(step - self.last - 1).unwrap_or(STEPS).min(STEPS);
        self.values.extend(std::iter::repeat_n(None, skipped));
        self.values.push_back(Some(celsius));
        self.values.drain(..self.values.len().saturating_sub(STEPS));
        self.last = step;
    }

    /// The [`STEPS`] values up to the step `now`.
    fn until(&self, now: u64) -> Vec<Option<i32>> {
        let of = |step: u64| {
            let back = usize::try_from(self.last.checked_sub(step)?).ok()?;
            let place = self.values.len().checked_sub(back + 1)?;
            self.values.get(place).copied().flatten()
        };
        (0..STEPS as u64).rev().map(|back| now.checked_sub(back).and_then(of)).collect()
    }
}

const fn step(at: Boottime) -> u64 {
    at.as_duration().as_secs() / STEP_SECONDS
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn uuid(digit: char) -> CardUuid {
        let digits = |n: usize| digit.to_string().repeat(n);
        format!("GPU-{}-{}-{}-{}-{}", digits(8), digits(4), digits(4), digits(4), digits(12)).parse().unwrap()
    }

    fn at(second: u64) -> Boottime {
        Boottime::since_boot(Duration::from_secs(second))
    }

    /// The last `n` values of the only card.
    fn end(temperatures: &Temperatures, now: u64, n: usize) -> Vec<Option<i32>> {
        let recent = temperatures.recent(at(now));
        assert_eq!(recent.step_ms, 10_000);
        assert_eq!(recent.cards.len(), 1);
        assert_eq!(recent.cards[0].temperatures_c.len(), 180);
        recent.cards[0].temperatures_c[180 - n..].to_vec()
    }

    #[test]
    fn each_ten_seconds_keep_their_highest_and_a_silence_is_a_gap() {
        let mut temperatures = Temperatures::default();
        let card = uuid('a');
        for (second, celsius) in [(100, 60), (104, 64), (109, 61), (110, 50), (145, 70), (141, 71), (139, 99)]
        {
            temperatures.take(&card, Celsius(celsius), at(second));
        }
        // Steps 10 (100–109 s), 11 and 14; 139 s is of step 13, which had passed.
        let expected = [None, Some(64), Some(50), None, None, Some(71)];
        assert_eq!(end(&temperatures, 149, 6), expected);
        // Two steps later.
        assert_eq!(end(&temperatures, 160, 4), [None, Some(71), None, None]);
    }

    #[test]
    fn what_is_half_an_hour_old_is_gone_and_no_more_is_kept() {
        let mut temperatures = Temperatures::default();
        let card = uuid('a');
        for step in 0_u64..400 {
            temperatures.take(&card, Celsius(i32::try_from(step).unwrap()), at(step * 10));
        }
        assert_eq!(temperatures.cards[&card].values.len(), 180);
        let all = end(&temperatures, 3_999, 180);
        assert_eq!((all[0], all[179]), (Some(220), Some(399)));
        // 179 steps on, the last value is the oldest; one more, and the card has none.
        assert_eq!(end(&temperatures, 3_990 + 1_790, 180)[0], Some(399));
        assert_eq!(temperatures.recent(at(3_990 + 1_800)).cards, []);
    }

    #[test]
    fn a_card_without_a_value_in_half_an_hour_is_dropped_when_another_comes() {
        let mut temperatures = Temperatures::default();
        temperatures.take(&uuid('a'), Celsius(40), at(0));
        temperatures.take(&uuid('b'), Celsius(41), at(1_799));
        assert_eq!(temperatures.cards.len(), 2);
        temperatures.take(&uuid('c'), Celsius(42), at(1_800));
        assert_eq!(temperatures.cards.len(), 2, "the first is gone");
    }

    #[test]
    fn a_gap_longer_than_all_that_is_kept_leaves_the_new_value_alone() {
        let mut temperatures = Temperatures::default();
        temperatures.take(&uuid('a'), Celsius(40), at(0));
        temperatures.take(&uuid('a'), Celsius(50), at(1_000_000));
        assert_eq!(end(&temperatures, 1_000_009, 180).iter().flatten().collect::<Vec<_>>(), [&50]);
    }
}
