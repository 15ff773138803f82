//! By what means the energy between two readings is known: the card's counter, samples of its power, a guess, or not at all.

use super::reading::Reading;

/// Two readings further apart than so many intervals have a gap between them.
const INTERVALS: u128 = 2;

/// The longest gap that is looked at as a whole: 400 days. Of a longer one only the end is.
pub(super) const LONGEST_GAP_US: i64 = 400 * DAY_US;

/// So long a card may be silent while others are read; then its counter is not waited for any more.
pub(super) const LONGEST_SILENCE_US: i64 = DAY_US;

const DAY_US: i64 = 24 * 3_600 * 1_000_000;

/// How much more than its power limit a card may draw, as a share: NVML's limit holds over a second, not over each instant.
const OVER_LIMIT: (u128, u128) = (11, 10);

/// What a card draws that computes nothing, in mW. RTX 4060 cards were seen at 7 to 12 W.
const IDLE_MW: u64 = 10_000;

/// What is known of the energy between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// The card's counter rose by this, in mJ.
    Counted {
        /// The rise.
        mj: u64,
        /// Whether it bridges a gap: how the card was used in it is then not known.
        bridges: bool,
    },
    /// Samples of its power, which go in a straight line from one to the next.
    Measured {
        /// Twice the mean, in mW: the sum of both.
        twice_mw: u64,
    },
    /// By load and limit, a guess.
    Estimated {
        /// Twice the mean, in mW.
        twice_mw: u64,
    },
    /// Nothing.
    Unknown,
}

/// By what means the energy from one reading to the next is known. `limit_mw` is the greatest power limit that was ever seen.
///
/// The counter is first: it misses nothing. A fall says that it began anew, and a rise that no card can draw that it is none; the
/// interval then goes to the next means, which are power and the guess, and neither reaches over a gap.
pub(super) fn means(from: &Reading, to: &Reading, limit_mw: Option<u32>) -> Means {
    let is_gap = !follows(from, to);
    if let (Some(before), Some(after)) = (from.counter_mj, to.counter_mj)
        && let Some(mj) = after.checked_sub(before)
        && from.at.until(&to.at) <= LONGEST_GAP_US
        && is_same_counter(from, to, limit_mw)
        && can_be_drawn(mj, from.at.until(&to.at), limit_mw)
    {
        return Means::Counted { mj, bridges: is_gap };
    }
    if is_gap {
        return Means::Unknown;
    }
    if let (Some(before), Some(after)) = (from.power_mw, to.power_mw) {
        return Means::Measured { twice_mw: u64::from(before) + u64::from(after) };
    }
    match (to.utilisation, to.limit_mw) {
        (Some(utilisation), Some(limit_mw)) => {
            Means::Estimated { twice_mw: 2 * estimated_mw(utilisation, limit_mw) }
        }
        _ => Means::Unknown,
    }
}

/// Whether the energy from a reading to one after `silence` can still become known.
pub(super) fn may_become_known(from: &Reading, silence: &Reading, limit_mw: Option<u32>) -> bool {
    follows(from, silence)
        || (from.counter_mj.is_some()
            && from.at.until(&silence.at) <= LONGEST_SILENCE_US
            && is_same_counter(from, silence, limit_mw))
}

/// Whether there is no gap between them.
fn follows(from: &Reading, to: &Reading) -> bool {
    let longest = from.every.max(to.every).as_micros() * INTERVALS;
    from.at.boot == to.at.boot && u128::from(from.at.until(&to.at).unsigned_abs()) <= longest
}

/// Whether the counter, if it did not fall, is certainly the one of before.
///
/// In one session of the driver it is. In another of the same boot, the driver may have been loaded anew and the counter have begun
/// at 0; but then it could have come no further than the card can draw in that time. So if it stood higher than that before, and
/// did not fall, it is the same.
fn is_same_counter(from: &Reading, to: &Reading, limit_mw: Option<u32>) -> bool {
    if from.at.boot != to.at.boot {
        return false;
    }
    if from.session == to.session {
        return true;
    }
    let (Some(before_mj), Some(limit_mw)) = (from.counter_mj, limit_mw) else { return false };
    let microseconds = u128::from(from.at.until(&to.at).unsigned_abs());
    // mW × µs are nJ, a millionth of a mJ.
    let most_nj = u128::from(limit_mw) * microseconds * OVER_LIMIT.0 / OVER_LIMIT.1;
    u128::from(before_mj) * 1_000_000 > most_nj
}

/// Whether a card of this limit can have drawn so much in a time: at twice its limit for a second longer, which leaves room for a
/// counter that is read late. A number beyond that is no energy, whatever answered it. Of a card without a known limit all is believed.
fn can_be_drawn(mj: u64, us: i64, limit_mw: Option<u32>) -> bool {
    let Some(limit_mw) = limit_mw else { return true };
    let us = u128::from(us.unsigned_abs()) + 1_000_000;
    u128::from(mj) * 1_000_000 <= u128::from(limit_mw) * 2 * us
}

/// What a card draws that does not tell, in mW: idle power, and of the rest up to its limit the share of time in which it is busy.
///
/// It is a guess. At rest it is true to some 5 W. Under load it is rather too high: a language model that waits for memory keeps an
/// RTX 4060 busy all the time at 70 to 110 W of its 115.
fn estimated_mw(utilisation: u8, limit_mw: u32) -> u64 {
    let limit_mw = u64::from(limit_mw);
    let idle_mw = IDLE_MW.min(limit_mw);
    idle_mw + (limit_mw - idle_mw) * u64::from(utilisation.min(100)) / 100
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::account::reading::At;

    const SECOND_US: i64 = 1_000_000;

    fn at(boot: char, microseconds: i64) -> At {
        At {
            boot: boot.to_string().repeat(32).parse().unwrap(),
            boottime_us: microseconds,
            wall_us: microseconds,
        }
    }

    /// A reading of session 1, one a second.
    fn reading(microseconds: i64) -> Reading {
        Reading::silent(at('a', microseconds), 1, Duration::from_secs(1))
    }

    fn counter(microseconds: i64, mj: u64) -> Reading {
        Reading { counter_mj: Some(mj), ..reading(microseconds) }
    }

    fn power(microseconds: i64, mw: u32) -> Reading {
        Reading { power_mw: Some(mw), ..reading(microseconds) }
    }

    fn load(microseconds: i64, utilisation: u8, mw: u32) -> Reading {
        Reading { utilisation: Some(utilisation), limit_mw: Some(mw), ..reading(microseconds) }
    }

    #[test]
    fn the_best_means_that_both_readings_have_is_taken() {
        let both = |microseconds, mj, mw| Reading { power_mw: Some(mw), ..counter(microseconds, mj) };
        for (from, to, known_by) in [
            (counter(0, 100), counter(SECOND_US, 215), Means::Counted { mj: 115, bridges: false }),
            (counter(0, 100), counter(SECOND_US, 100), Means::Counted { mj: 0, bridges: false }),
            // A fall: the samples know better, and 100 W and 120 W are 220 W twice the mean.
            (both(0, 100, 100_000), both(SECOND_US, 99, 120_000), Means::Measured { twice_mw: 220_000 }),
            (counter(0, 100), counter(SECOND_US, 99), Means::Unknown),
            // One has no counter.
            (both(0, 100, 100_000), power(SECOND_US, 100_000), Means::Measured { twice_mw: 200_000 }),
            // 10 W and half of the 105 W up to the limit are 62.5 W; the later reading says of the time before it.
            (load(0, 90, 60_000), load(SECOND_US, 50, 115_000), Means::Estimated { twice_mw: 125_000 }),
            (power(0, 100_000), load(SECOND_US, 0, 115_000), Means::Estimated { twice_mw: 20_000 }),
            (power(0, 100_000), counter(SECOND_US, 1), Means::Unknown),
        ] {
            assert_eq!(means(&from, &to, None), known_by, "{from:?} {to:?}");
        }
    }

    #[test]
    fn over_a_gap_only_the_counter_reaches() {
        let two = 2 * SECOND_US;
        for (from, to, known_by) in [
            (power(0, 100_000), power(two, 100_000), Means::Measured { twice_mw: 200_000 }),
            (power(0, 100_000), power(two + 1, 100_000), Means::Unknown),
            (load(0, 50, 115_000), load(two, 50, 115_000), Means::Estimated { twice_mw: 125_000 }),
            (load(0, 50, 115_000), load(two + 1, 50, 115_000), Means::Unknown),
            (counter(0, 7), counter(two, 9), Means::Counted { mj: 2, bridges: false }),
            (counter(0, 7), counter(two + 1, 9), Means::Counted { mj: 2, bridges: true }),
            (counter(0, 7), counter(LONGEST_GAP_US, 9), Means::Counted { mj: 2, bridges: true }),
            (counter(0, 7), counter(LONGEST_GAP_US + 1, 9), Means::Unknown),
            (counter(0, 7), counter(two + 1, 6), Means::Unknown),
        ] {
            assert_eq!(means(&from, &to, None), known_by, "{from:?} {to:?}");
        }
        // The slower pace of two says what a gap is.
        let slow = Reading { every: Duration::from_secs(10), ..power(20 * SECOND_US, 100_000) };
        assert_eq!(means(&power(0, 100_000), &slow, None), Means::Measured { twice_mw: 200_000 });
        let quick = Reading { every: Duration::from_secs(1), ..power(40 * SECOND_US, 100_000) };
        assert_eq!(means(&slow, &quick, None), Means::Measured { twice_mw: 200_000 });
    }

    #[test]
    fn nothing_reaches_over_a_boot() {
        let booted = |reading: Reading| Reading { at: at('b', SECOND_US), ..reading };
        assert_eq!(means(&counter(0, 7), &booted(counter(SECOND_US, 9)), Some(1)), Means::Unknown);
        assert_eq!(means(&power(0, 1), &booted(power(SECOND_US, 1)), Some(1)), Means::Unknown);
    }

    /// 115 W × 1.1 × 1,000 s are 126,500 J.
    const MOST_MJ: u64 = 126_500_000;

    #[test]
    fn another_session_is_bridged_only_if_the_counter_stood_higher_than_a_new_one_could() {
        let after = |mj| Reading { session: 2, ..counter(1_000 * SECOND_US, mj) };
        for (before_mj, after_mj, limit_mw, known_by) in [
            (MOST_MJ, MOST_MJ + 5, Some(115_000), Means::Unknown),
            (MOST_MJ + 1, MOST_MJ + 5, Some(115_000), Means::Counted { mj: 4, bridges: true }),
            (MOST_MJ + 1, MOST_MJ, Some(115_000), Means::Unknown),
            (MOST_MJ + 1, MOST_MJ + 5, Some(115_001), Means::Unknown),
            (u64::MAX - 1, u64::MAX, None, Means::Unknown),
        ] {
            assert_eq!(means(&counter(0, before_mj), &after(after_mj), limit_mw), known_by, "{before_mj}");
        }
        // Between readings without a gap too: 115 W × 1.1 × 1 s are 126.5 J.
        let (before, after) = (counter(0, 126_500), Reading { session: 2, ..counter(SECOND_US, 126_600) });
        assert_eq!(means(&before, &after, Some(115_000)), Means::Unknown);
        let before = counter(0, 126_501);
        assert_eq!(means(&before, &after, Some(115_000)), Means::Counted { mj: 99, bridges: false });
    }

    #[test]
    fn a_rise_that_no_card_can_draw_is_no_energy() {
        let both = |microseconds, mj| Reading { power_mw: Some(100_000), ..counter(microseconds, mj) };
        let measured = Means::Measured { twice_mw: 200_000 };
        for (mj, limit_mw, known_by) in [
            // Twice 115 W for two seconds are 460 J.
            (460_000, Some(115_000), Means::Counted { mj: 460_000, bridges: false }),
            (460_001, Some(115_000), measured),
            (u64::MAX, Some(115_000), measured),
            (460_001, None, Means::Counted { mj: 460_001, bridges: false }),
        ] {
            assert_eq!(means(&both(0, 0), &both(SECOND_US, mj), limit_mw), known_by, "{mj} {limit_mw:?}");
        }
        // Over a gap of 1,000 s: 230 W for 1,001 s are 230,230 J.
        let after = |mj| counter(1_000 * SECOND_US, mj);
        let counted = Means::Counted { mj: 230_230_000, bridges: true };
        assert_eq!(means(&counter(0, 0), &after(230_230_000), Some(115_000)), counted);
        assert_eq!(means(&counter(0, 0), &after(230_230_001), Some(115_000)), Means::Unknown);
    }

    #[test]
    fn a_silent_card_is_waited_for_as_long_as_its_counter_can_serve() {
        let silent = reading;
        let other = |microseconds| Reading { session: 2, ..silent(microseconds) };
        let day = 24 * 3_600 * SECOND_US;
        for (from, silence, may) in [
            (power(0, 1), silent(2 * SECOND_US), true),
            (power(0, 1), silent(2 * SECOND_US + 1), false),
            (counter(0, 7), silent(day), true),
            (counter(0, 7), silent(day + 1), false),
            (counter(0, MOST_MJ + 1), other(1_000 * SECOND_US), true),
            (counter(0, MOST_MJ), other(1_000 * SECOND_US), false),
            (counter(0, 7), Reading { at: at('b', 3 * SECOND_US), ..silent(0) }, false),
        ] {
            assert_eq!(may_become_known(&from, &silence, Some(115_000)), may, "{from:?} {silence:?}");
        }
    }

    #[test]
    fn a_limit_below_idle_power_is_not_exceeded() {
        for (utilisation, limit_mw, mw) in
            [(0, 5_000, 5_000), (100, 5_000, 5_000), (0, 115_000, 10_000), (255, 115_000, 115_000)]
        {
            assert_eq!(estimated_mw(utilisation, limit_mw), mw);
        }
    }
}
