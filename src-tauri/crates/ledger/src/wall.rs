//! What a card costs at the wall: rig watts at the wall are (cards + base) / efficiency of the power supply.

/// What the rig draws besides its cards, and what its power supply loses, as they were in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallTerms {
    /// Cards that are installed; each bears its share of the base, rented or not. 0 counts as 1.
    pub cards: u32,
    /// What the rig itself draws behind the power supply, in mW.
    pub base_mw: u32,
    /// What the power supply gives of what it takes, in millionths. 0 counts as 1.
    pub efficiency_ppm: u32,
    /// Whether the base or the efficiency are guesses.
    pub guessed: bool,
}

impl WallTerms {
    /// What a card that drew `card_mj` in `known_ms` took at the wall, in mJ, its share of the base in that time included. In time of
    /// which nothing is known no base accrues either. Rounded once, half to even; what lies beyond 64 bits is held at that.
    pub fn wall_mj(&self, known_ms: u64, card_mj: u64) -> u64 {
        let cards = u128::from(self.cards.max(1));
        // In µJ, times the cards: mW × ms are µJ.
        let drawn = u128::from(card_mj) * 1_000 * cards + u128::from(self.base_mw) * u128::from(known_ms);
        let divisor = 1_000 * cards * u128::from(self.efficiency_ppm.max(1));
        u64::try_from(half_even(drawn.saturating_mul(1_000_000), divisor)).unwrap_or(u64::MAX)
    }
}

/// A quotient rounded to the nearest, a half to the even one.
const fn half_even(dividend: u128, divisor: u128) -> u128 {
    let (quotient, rest) = (dividend / divisor, dividend % divisor);
    let is_up = match divisor - rest {
        missing if rest > missing => true,
        missing => rest == missing && quotient % 2 == 1,
    };
    quotient + is_up as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: u64 = 3_600_000;

    fn terms(cards: u32, base_mw: u32, efficiency_ppm: u32) -> WallTerms {
        WallTerms { cards, base_mw, efficiency_ppm, guessed: false }
    }

    #[test]
    fn eight_cards_of_100_w_with_120_w_of_base_take_1150_w_at_80_percent() {
        // (8 × 100 W + 120 W) / 0.8 = 1,150 W, an eighth of it 143.75 W: 517,500 J in an hour.
        let card_mj = 100_000 * 3_600;
        assert_eq!(terms(8, 120_000, 800_000).wall_mj(HOUR_MS, card_mj), 517_500_000);
        // Half an hour unknown: nothing of the base for it.
        assert_eq!(terms(8, 120_000, 800_000).wall_mj(HOUR_MS / 2, card_mj / 2), 258_750_000);
        assert_eq!(terms(8, 120_000, 800_000).wall_mj(0, 0), 0);
        // A supply without loss, and no base: the card alone.
        assert_eq!(terms(8, 0, 1_000_000).wall_mj(HOUR_MS, card_mj), card_mj);
    }

    #[test]
    fn what_is_between_two_is_rounded_once_and_a_half_to_the_even() {
        // A card of 0 mJ, alone: base mW × ms / 1,000 are mJ. 500 µJ, 1,500 µJ, 2,500 µJ, and a little more than a half.
        for (base_mw, ms, mj) in [(500, 1, 0), (1_500, 1, 2), (2_500, 1, 2), (501, 1, 1), (499, 1, 0)] {
            assert_eq!(terms(1, base_mw, 1_000_000).wall_mj(ms, 0), mj, "{base_mw} mW");
        }
        // 1 mJ at a third of efficiency are 3.000003 mJ.
        assert_eq!(terms(1, 0, 333_333).wall_mj(1, 1), 3);
    }

    #[test]
    fn what_no_rig_can_be_makes_no_nonsense() {
        assert_eq!(terms(0, 1_000, 1_000_000).wall_mj(1_000, 5), 1_005, "at least the card itself");
        assert_eq!(terms(1, 0, 0).wall_mj(0, 1), 1_000_000);
        assert_eq!(terms(1, 0, 1).wall_mj(0, u64::MAX), u64::MAX, "beyond 64 bits");
    }
}
