//! How a stretch of time, and the energy in it, is cut at the hours of the wall.

/// Seconds in an hour.
pub(crate) const HOUR_SECONDS: i64 = 3_600;
/// Microseconds in an hour.
pub(super) const HOUR_US: i64 = HOUR_SECONDS * 1_000_000;

/// The hour of UTC in which a moment lies, counted from 1970; the moment in microseconds since 1970.
pub const fn hour_of(wall_us: i64) -> i64 {
    wall_us.div_euclid(HOUR_US)
}

/// The part of a stretch that lies in one hour of the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The hour, counted from 1970.
    pub(super) hour: i64,
    /// Where it begins, in microseconds from the beginning of the stretch.
    pub(super) from_us: i64,
    /// How long it is, in microseconds.
    pub(super) us: u64,
    /// The same in milliseconds, so rounded that pieces that follow each other add up to the whole.
    pub(super) ms: u64,
}

/// The pieces of a stretch that begins at a moment of the wall, between two offsets into it, in microseconds. None is empty.
pub(super) fn pieces(wall_us: i64, from_us: i64, to_us: i64) -> impl Iterator<Item = Piece> {
    let mut next_us = from_us;
    std::iter::from_fn(move || {
        let begins_us = wall_us.saturating_add(next_us);
        let hour = hour_of(begins_us);
        let hour_ends_us = hour.saturating_add(1).saturating_mul(HOUR_US);
        let ends_us = hour_ends_us.min(wall_us.saturating_add(to_us));
        if ends_us <= begins_us {
            return None;
        }
        let piece = Piece {
            hour,
            from_us: next_us,
            us: begins_us.abs_diff(ends_us),
            ms: begins_us.div_euclid(1_000).abs_diff(ends_us.div_euclid(1_000)),
        };
        next_us += ends_us - begins_us;
        Some(piece)
    })
}

/// A whole in parts that are in proportion to their weights and add up to it: each is rounded down, and what remains goes, one by
/// one, to those that lost most, of equals to the earlier.
pub(super) fn in_proportion(whole: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().copied().map(u128::from).sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let exact = |weight: u64| u128::from(whole) * u128::from(weight);
    // Not more than the whole, since no weight is more than the sum.
    let mut parts: Vec<u64> =
        weights.iter().map(|&weight| u64::try_from(exact(weight) / sum).unwrap_or(whole)).collect();
    let missing = whole - parts.iter().sum::<u64>();
    let mut by_loss: Vec<usize> = (0..parts.len()).collect();
    by_loss.sort_by_key(|&part| std::cmp::Reverse(exact(weights[part]) % sum));
    // Fewer are missing than there are parts: each lost less than one.
    for part in by_loss.into_iter().take(usize::try_from(missing).unwrap_or(usize::MAX)) {
        parts[part] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stretch_is_cut_at_the_hours() {
        // Half a second before hour 1, for two hours and a second.
        let wall_us = HOUR_US - 500_000;
        let cut: Vec<Piece> = pieces(wall_us, 0, 2 * HOUR_US + 1_000_000).collect();
        let piece = |hour, from_us, us, ms| Piece { hour, from_us, us, ms };
        assert_eq!(
            cut,
            [
                piece(0, 0, 500_000, 500),
                piece(1, 500_000, 3_600_000_000, 3_600_000),
                piece(2, 3_600_500_000, 3_600_000_000, 3_600_000),
                piece(3, 7_200_500_000, 500_000, 500),
            ]
        );
        // From an hour on, and up to an hour.
        assert_eq!(pieces(wall_us, 500_000, 3_600_500_000).collect::<Vec<_>>(), cut[1..2]);
        assert_eq!(pieces(wall_us, 500_000, 500_000).count(), 0);
        // Before 1970 too.
        let before: Vec<_> = pieces(-1, 0, 2).map(|piece| (piece.hour, piece.us, piece.ms)).collect();
        assert_eq!(before, [(-1, 1, 1), (0, 1, 0)]);
    }

    #[test]
    fn milliseconds_add_up_however_often_the_time_is_cut() {
        // A reading every 1.0003 s for an hour: the parts of a millisecond are not lost.
        let step = 1_000_300;
        let total: u64 = (0..HOUR_US)
            .step_by(usize::try_from(step).unwrap())
            .flat_map(|from| pieces(0, from, (from + step).min(HOUR_US)))
            .map(|piece| piece.ms)
            .sum();
        assert_eq!(total, 3_600_000);
    }

    #[test]
    fn the_largest_remainders_get_what_is_missing() {
        // 10 by 1:1:1 is 3⅓ each: the first of equals gets the one that is missing.
        assert_eq!(in_proportion(10, &[1, 1, 1]), [4, 3, 3]);
        // 7 by 1:2:3 is 1.17, 2.33, 3.5.
        assert_eq!(in_proportion(7, &[1, 2, 3]), [1, 2, 4]);
        assert_eq!(in_proportion(5, &[0, 5]), [0, 5]);
        assert_eq!(in_proportion(5, &[0, 0]), [0, 0]);
        assert_eq!(in_proportion(u64::MAX, &[u64::MAX, u64::MAX]), [1 << 63, (1 << 63) - 1]);
    }

    proptest! {
        #[test]
        fn parts_equal_the_whole_and_none_is_off_by_one(whole: u64, weights in prop::collection::vec(1..u64::MAX, 1..30)) {
            let parts = in_proportion(whole, &weights);
            prop_assert_eq!(parts.iter().sum::<u64>(), whole);
            let sum: u128 = weights.iter().copied().map(u128::from).sum();
            for (part, weight) in parts.iter().zip(&weights) {
                let exact = u128::from(whole).checked_mul(u128::from(*weight)).unwrap();
                prop_assert!(u128::from(*part) >= exact / sum && u128::from(*part) <= exact / sum + 1);
            }
        }
    }
}
