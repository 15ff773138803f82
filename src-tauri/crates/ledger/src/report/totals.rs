//! Totals of one card over a stretch of time.

use crate::{CardHour, Share, Sums};

/// What a card's hours come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CardTotals {
    /// The sums.
    pub sums: Sums,
    /// What the known of it took at the wall, in mJ, each hour by the terms that stand with it; none if nothing is known of any hour.
    pub wall_mj: Option<u64>,
    /// Whether some of those terms are guesses.
    pub wall_is_guess: bool,
}

impl CardTotals {
    /// Adds an hour.
    pub fn add(&mut self, hour: &CardHour) {
        self.sums.add(&hour.sums);
        let known = hour.sums.known();
        if known.ms > 0 {
            let wall_mj = hour.terms.wall_mj(known.ms, known.mj);
            self.wall_mj = Some(self.wall_mj.unwrap_or(0).saturating_add(wall_mj));
            self.wall_is_guess |= hour.terms.guessed;
        }
    }

    /// Mean power while the card did nothing, in mW; none if it never was seen idle.
    pub fn idle_mw(&self) -> Option<u64> {
        mean_mw(self.sums.idle)
    }

    /// Mean power while it worked, in mW; none if it never was seen at work.
    pub fn load_mw(&self) -> Option<u64> {
        mean_mw(self.sums.load)
    }
}

/// mJ in ms are W; rounded to the nearest mW.
fn mean_mw(share: Share) -> Option<u64> {
    let doubled = (u128::from(share.mj) * 2_000).checked_div(u128::from(share.ms))?;
    u64::try_from(doubled.div_ceil(2)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        WallTerms,
        fixtures::{card_hour, terms},
    };

    fn totals(hours: &[CardHour]) -> CardTotals {
        let mut totals = CardTotals::default();
        hours.iter().for_each(|hour| totals.add(hour));
        totals
    }

    fn share(ms: u64, mj: u64) -> Share {
        Share { ms, mj }
    }

    #[test]
    fn hours_add_up_each_by_its_own_terms() {
        // Two hours at 100 W, the second with 600 s unknown.
        let first = Sums {
            counted: share(3_600_000, 360_000_000),
            idle: share(600_000, 6_000_000),
            load: share(3_000_000, 354_000_000),
            rented: share(3_000_000, 354_000_000),
            free: share(600_000, 6_000_000),
            vacant: share(600_000, 6_000_000),
            ..Sums::default()
        };
        let second = Sums {
            measured: share(2_000_000, 200_000_000),
            estimated: share(1_000_000, 100_000_000),
            unknown_ms: 600_000,
            idle: share(200_000, 2_000_000),
            ..Sums::default()
        };
        let hours = [
            card_hour("a", 10, first),
            // Twice the base, half of it lost, guessed.
            CardHour {
                terms: WallTerms { base_mw: 200_000, efficiency_ppm: 500_000, guessed: true, ..terms() },
                ..card_hour("a", 11, second)
            },
        ];
        let sum = totals(&hours);
        assert_eq!(sum.sums.known(), share(6_600_000, 660_000_000));
        assert_eq!(sum.sums.unknown_ms, 600_000);
        assert_eq!(sum.sums.idle, share(800_000, 8_000_000));
        // (100 W + 100 W / 8) / 0.9 = 125 W for an hour, and (100 W + 200 W / 8) / 0.5 = 250 W for 3,000 s.
        assert_eq!(sum.wall_mj, Some(450_000_000 + 750_000_000));
        assert!(sum.wall_is_guess);
        // 8 kJ in 800 s, 354 kJ in 3,000 s.
        assert_eq!((sum.idle_mw(), sum.load_mw()), (Some(10_000), Some(118_000)));
    }

    #[test]
    fn what_is_not_known_is_none_and_not_0() {
        let unknown = Sums { unknown_ms: 3_600_000, ..Sums::default() };
        let sum = totals(&[card_hour("a", 10, unknown)]);
        assert_eq!((sum.wall_mj, sum.idle_mw(), sum.load_mw()), (None, None, None));
        assert!(!sum.wall_is_guess);
        assert_eq!(totals(&[]), CardTotals::default());
    }
}
