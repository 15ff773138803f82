//! The coarser levels: minutes and hours of the wall, each with the least, the greatest and the sum of what fell into it.
//!
//! Folding is associative and knows no order, so a minute that two segments share, or that is added to after a step of the clock,
//! is the same as if all had come at once; and an hour made of minutes is the hour made of samples.

use crate::{
    quantity::Folding,
    time::{HOUR_US, HOURS_A_DAY, MINUTE_US},
};

/// How finely time is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Each sweep.
    Raw,
    /// One cell a minute.
    Minute,
    /// One cell an hour.
    Hour,
}

impl Level {
    /// From fine to coarse.
    pub const ALL: [Self; 3] = [Self::Raw, Self::Minute, Self::Hour];

    /// The coarsest level whose cells are no longer than `step_us`.
    pub(crate) const fn serving(step_us: i64) -> Self {
        if step_us >= HOUR_US {
            Self::Hour
        } else if step_us >= MINUTE_US {
            Self::Minute
        } else {
            Self::Raw
        }
    }
}

/// A level that is packed by spans: minutes by the day, hours by thirty days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packed {
    Minutes,
    Hours,
}

impl Packed {
    /// Its number in the file.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Minutes => 1,
            Self::Hours => 2,
        }
    }

    /// Length of a cell in microseconds.
    pub(crate) const fn cell_us(self) -> i64 {
        match self {
            Self::Minutes => MINUTE_US,
            Self::Hours => HOUR_US,
        }
    }

    /// Days in a span.
    pub(crate) const fn days(self) -> i64 {
        match self {
            Self::Minutes => 1,
            Self::Hours => 30,
        }
    }

    /// Cells in a span.
    pub(crate) const fn cells(self) -> i64 {
        self.days() * HOURS_A_DAY * (HOUR_US / self.cell_us())
    }

    /// The span that a cell lies in.
    pub(crate) const fn span_of(self, cell: i64) -> i64 {
        cell.div_euclid(self.cells())
    }

    /// The cell of a moment.
    pub(crate) const fn cell_of(self, wall_us: i64) -> i64 {
        wall_us.div_euclid(self.cell_us())
    }
}

/// What values of one stretch of time come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// The least; of bits those that all have.
    pub min: i64,
    /// The greatest; of bits those that any has.
    pub max: i64,
    /// The sum; of bits 0.
    pub sum: i128,
    /// How many.
    pub count: u32,
}

impl Fold {
    /// One value.
    pub(crate) fn of(value: i64, folding: Folding) -> Self {
        let sum = match folding {
            Folding::Extremes => i128::from(value),
            Folding::Bits => 0,
        };
        Self { min: value, max: value, sum, count: 1 }
    }

    /// Both.
    pub(crate) fn with(self, other: Self, folding: Folding) -> Self {
        let (min, max) = match folding {
            Folding::Extremes => (self.min.min(other.min), self.max.max(other.max)),
            Folding::Bits => (self.min & other.min, self.max | other.max),
        };
        Self { min, max, sum: self.sum + other.sum, count: self.count.saturating_add(other.count) }
    }

    /// The mean.
    #[expect(clippy::cast_precision_loss, reason = "what is shown has fewer digits than 2^53")]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / f64::from(self.count.max(1))
    }
}

/// A cell of a level: a minute or an hour, by its number since 1970, and what fell into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) number: i64,
    pub(crate) fold: Fold,
}

/// Cells in the order of their numbers, each number once.
pub(crate) fn folded(mut cells: Vec<Cell>, folding: Folding) -> Vec<Cell> {
    cells.sort_by_key(|cell| cell.number);
    let mut folded: Vec<Cell> = Vec::with_capacity(cells.len());
    for cell in cells {
        match folded.last_mut() {
            Some(last) if last.number == cell.number => last.fold = last.fold.with(cell.fold, folding),
            _ => folded.push(cell),
        }
    }
    folded
}

/// Samples, by the wall, as cells.
pub(crate) fn of_samples(
    samples: impl IntoIterator<Item = (i64, i64)>,
    level: Packed,
    folding: Folding,
) -> Vec<Cell> {
    let cells = samples
        .into_iter()
        .map(|(wall_us, value)| Cell { number: level.cell_of(wall_us), fold: Fold::of(value, folding) });
    // Samples of a segment come in order: nothing is sorted that is sorted, and memory stays that of the cells.
    let mut of_samples: Vec<Cell> = Vec::new();
    for cell in cells {
        match of_samples.last_mut() {
            Some(last) if last.number == cell.number => last.fold = last.fold.with(cell.fold, folding),
            _ => of_samples.push(cell),
        }
    }
    folded(of_samples, folding)
}

/// Minutes as hours.
pub(crate) fn hours_of(minutes: &[Cell], folding: Folding) -> Vec<Cell> {
    let minutes_an_hour = HOUR_US / MINUTE_US;
    let hours = minutes.iter().map(|cell| Cell { number: cell.number.div_euclid(minutes_an_hour), ..*cell });
    folded(hours.collect(), folding)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fold(min: i64, max: i64, sum: i128, count: u32) -> Fold {
        Fold { min, max, sum, count }
    }

    #[test]
    fn the_coarsest_level_serves_whose_cells_fit_a_step() {
        for (step_us, level) in [
            (1, Level::Raw),
            (59_999_999, Level::Raw),
            (60_000_000, Level::Minute),
            (3_599_999_999, Level::Minute),
            (3_600_000_000, Level::Hour),
            (i64::MAX, Level::Hour),
        ] {
            assert_eq!(Level::serving(step_us), level, "{step_us}");
        }
    }

    #[test]
    fn samples_fall_into_the_minute_of_their_moment() {
        let samples = [(59_999_999, 5), (60_000_000, 1), (119_999_999, 9), (180_000_000, -7), (-1, 3)];
        let minutes = of_samples(samples, Packed::Minutes, Folding::Extremes);
        assert_eq!(
            minutes,
            [
                Cell { number: -1, fold: fold(3, 3, 3, 1) },
                Cell { number: 0, fold: fold(5, 5, 5, 1) },
                Cell { number: 1, fold: fold(1, 9, 10, 2) },
                Cell { number: 3, fold: fold(-7, -7, -7, 1) },
            ]
        );
        let hours = hours_of(&minutes, Folding::Extremes);
        assert_eq!(
            hours,
            [Cell { number: -1, fold: fold(3, 3, 3, 1) }, Cell { number: 0, fold: fold(-7, 9, 8, 4) }]
        );
    }

    #[test]
    fn of_bits_the_common_and_the_occurring_are_kept() {
        // Power cap (4) all the time, hardware slowdown (8) and software thermal (0x20) now and then.
        let samples = [(0, 0x4), (1, 0xc), (2, 0x24)];
        let minutes = of_samples(samples, Packed::Minutes, Folding::Bits);
        assert_eq!(minutes, [Cell { number: 0, fold: fold(0x4, 0x2c, 0, 3) }]);
    }

    #[test]
    fn a_mean_is_the_sum_by_the_count() {
        assert!((fold(1, 9, 10, 4).mean() - 2.5).abs() < f64::EPSILON);
    }

    #[test]
    fn spans_are_a_day_of_minutes_and_thirty_days_of_hours() {
        assert_eq!((Packed::Minutes.cells(), Packed::Hours.cells()), (1_440, 720));
        assert_eq!((Packed::Minutes.span_of(1_439), Packed::Minutes.span_of(1_440)), (0, 1));
        assert_eq!((Packed::Hours.span_of(719), Packed::Hours.span_of(720)), (0, 1));
        assert_eq!(Packed::Minutes.span_of(-1), -1);
    }

    proptest! {
        #[test]
        fn hours_are_the_same_from_minutes_and_from_samples_in_any_order(
            mut samples in prop::collection::vec((0_i64..20_000_000_000, 0_i64..1_000), 0..200),
            bits in any::<bool>(),
        ) {
            let folding = if bits { Folding::Bits } else { Folding::Extremes };
            let minutes = of_samples(samples.clone(), Packed::Minutes, folding);
            let straight = of_samples(samples.clone(), Packed::Hours, folding);
            prop_assert_eq!(hours_of(&minutes, folding), straight);
            samples.reverse();
            prop_assert_eq!(of_samples(samples, Packed::Minutes, folding), minutes);
        }
    }
}
