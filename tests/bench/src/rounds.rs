//! Rounds of two sides, and what they come to.

use crate::failure::Failure;

/// Rounds of each bench.
pub(crate) const ROUNDS: usize = 15;

/// What a number of rounds came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    pub(crate) lower_quartile: f64,
    pub(crate) upper_quartile: f64,
}

impl Summary {
    /// Of at least one value; quartiles are those of the values at hand, the nearest rank.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let rank = |share: usize| {
            let last = values.len().saturating_sub(1);
            values.get((last * share + 50) / 100).copied().unwrap_or(f64::NAN)
        };
        Self { median: rank(50), lower_quartile: rank(25), upper_quartile: rank(75) }
    }
}

/// Both sides of each round, in turn: the one that begins changes from round to round.
pub(crate) fn alternate(
    mut ours: impl FnMut() -> Result<f64, Failure>,
    mut peers: impl FnMut() -> Result<f64, Failure>,
) -> Result<Vec<(f64, f64)>, Failure> {
    let mut rounds = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let pair = if round % 2 == 0 {
            let ours = ours()?;
            (ours, peers()?)
        } else {
            let peer = peers()?;
            (ours()?, peer)
        };
        rounds.push(pair);
    }
    Ok(rounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_values_have_their_quartiles_at_the_fourth_and_the_twelfth() {
        // Ranks 0 to 14: a quarter of 14 is 3.5, rounded to 4; a half is 7; three quarters are 10.5, rounded to 11.
        let summary = Summary::of((0..15_u32).rev().map(f64::from).collect());
        assert_eq!((summary.lower_quartile, summary.median, summary.upper_quartile), (4.0, 7.0, 11.0));
    }

    #[test]
    fn the_sides_take_turns_in_beginning() {
        let order = std::cell::RefCell::new(Vec::new());
        let side = |name| {
            order.borrow_mut().push(name);
            Ok(0.0)
        };
        alternate(|| side("ours"), || side("peer")).unwrap();
        assert_eq!(order.borrow()[..4], ["ours", "peer", "peer", "ours"]);
        assert_eq!(order.borrow().len(), 2 * ROUNDS);
    }
}
