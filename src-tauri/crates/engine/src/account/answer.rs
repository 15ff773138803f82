//! What is asked of the account, and the answer as the API has it. Pure, but for [`Books`](super::Books) and the ledger that are asked.

use fanfare_ledger::{CardHour, CardTotals, Share, Week};
use fanfare_rig::CardUuid;

use crate::api::{self, CardEnergy, CardWeek, WeekHour};

/// Milliseconds in an hour.
const HOUR_MS: i64 = 3_600_000;

/// The hours of UTC between two moments in milliseconds since 1970: from the one that the first lies in to the one before the second,
/// or that it lies in.
pub(super) fn hours(from_ms: i64, to_ms: i64) -> std::ops::Range<i64> {
    let end = to_ms.div_euclid(HOUR_MS) + i64::from(to_ms.rem_euclid(HOUR_MS) > 0);
    from_ms.div_euclid(HOUR_MS)..end
}

/// Sums up hours of a card, closed ones and such as may still change.
#[derive(Debug, Default)]
pub(super) struct Sum {
    totals: CardTotals,
    has_any: bool,
    is_open: bool,
}

impl Sum {
    pub(super) fn add(&mut self, hour: &CardHour, is_open: bool) {
        self.totals.add(hour);
        self.has_any = true;
        self.is_open |= is_open;
    }

    /// None if there was no hour.
    pub(super) fn told(self, uuid: CardUuid) -> Option<CardEnergy> {
        let CardTotals { sums, wall_mj, wall_is_guess } = self.totals;
        self.has_any.then(|| CardEnergy {
            uuid,
            counted: share(sums.counted),
            measured: share(sums.measured),
            estimated: share(sums.estimated),
            unknown_ms: sums.unknown_ms,
            idle: share(sums.idle),
            load: share(sums.load),
            rented: share(sums.rented),
            free: share(sums.free),
            vacant: share(sums.vacant),
            wall_mj,
            wall_is_guess,
            is_open: self.is_open,
        })
    }
}

/// A week of which something is known, as the API has it.
pub(super) fn told_week(uuid: CardUuid, week: &Week) -> CardWeek {
    let hour = |hour: &fanfare_ledger::WeekHour| WeekHour {
        idle: share(hour.idle),
        load: share(hour.load),
        rented: share(hour.rented),
        free: share(hour.free),
    };
    CardWeek { uuid, hours: week.hours().iter().map(hour).collect() }
}

const fn share(Share { ms, mj }: Share) -> api::Share {
    api::Share { ms, mj }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_begin_with_the_one_of_the_first_moment_and_end_before_the_second() {
        for (from_ms, to_ms, expected) in [
            (0, 3_600_000, 0..1),
            (0, 3_600_001, 0..2),
            (3_599_999, 3_600_000, 0..1),
            (-1, 1, -1..1),
            (7_200_000, 7_200_000, 2..2),
        ] {
            assert_eq!(hours(from_ms, to_ms), expected, "{from_ms} {to_ms}");
        }
        assert!(hours(7_200_000, 0).is_empty());
        assert!(hours(i64::MIN, i64::MAX).contains(&498_888));
    }
}
