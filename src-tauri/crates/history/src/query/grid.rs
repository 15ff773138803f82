//! Where points stand in time: in even steps, or at the moments themselves; and where a gap is shown.

use std::time::Duration;

use super::{Answer, Curve, scan::Entry};
use crate::{
    levels::{Fold, Level},
    quantity::{Folding, Series},
};

/// The places that points can stand at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Grid {
    /// So many steps.
    Even { from_us: i64, step_us: i64, slots: usize },
    /// These moments, rising.
    Exact(Vec<i64>),
}

impl Grid {
    /// The moments of these entries, if they and the gaps between them are no more than so many.
    pub(super) fn of_moments(entries: &[Entry], most: usize) -> Option<Self> {
        let mut stretches: Vec<(i64, i64)> =
            entries.iter().map(|entry| (entry.start_us, entry.until_us())).collect();
        stretches.sort_unstable();
        let (mut moments, mut gaps, mut until_us) = (Vec::new(), 0, i64::MAX);
        for (start_us, ends_us) in stretches {
            if moments.last() != Some(&start_us) {
                gaps += usize::from(start_us > until_us);
                moments.push(start_us);
            }
            until_us = if until_us == i64::MAX { ends_us } else { until_us.max(ends_us) };
        }
        (moments.len() + gaps <= most).then_some(Self::Exact(moments))
    }

    /// The slot of a moment; a cell that began before the range stands at its beginning.
    fn slot(&self, at_us: i64) -> Option<usize> {
        match self {
            Self::Even { from_us, step_us, slots } => {
                let slot = at_us.max(*from_us).saturating_sub(*from_us).div_euclid(*step_us);
                usize::try_from(slot).ok().filter(|slot| slot < slots)
            }
            Self::Exact(moments) => moments.binary_search(&at_us).ok(),
        }
    }

    fn slots(&self) -> usize {
        match self {
            Self::Even { slots, .. } => *slots,
            Self::Exact(moments) => moments.len(),
        }
    }

    fn time_us(&self, slot: usize) -> i64 {
        match self {
            Self::Even { from_us, step_us, .. } => {
                let steps = i64::try_from(slot).unwrap_or(i64::MAX);
                from_us.saturating_add(step_us.saturating_mul(steps))
            }
            Self::Exact(moments) => moments.get(slot).copied().unwrap_or(i64::MAX),
        }
    }

    /// Where a gap is shown that lies between two slots and begins at `until_us`; nowhere if there is no room between them.
    fn gap_us(&self, before: usize, after: usize, until_us: i64) -> Option<i64> {
        match self {
            Self::Even { .. } => (after > before + 1).then(|| self.time_us(before + 1)),
            Self::Exact(_) => Some(until_us),
        }
    }
}

/// What is known of a slot in time: when its first value was, and until when its values speak.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    first_us: i64,
    until_us: i64,
}

/// Points on a grid, while values come in.
#[derive(Debug)]
pub(super) struct Canvas<'a> {
    grid: Grid,
    foldings: &'a [Folding],
    stretches: Vec<Option<Stretch>>,
    curves: Vec<Vec<Option<Fold>>>,
}

impl<'a> Canvas<'a> {
    /// An empty one, with one curve a folding.
    pub(super) fn new(grid: Grid, foldings: &'a [Folding]) -> Self {
        let slots = grid.slots();
        let curves = vec![vec![None; slots]; foldings.len()];
        Self { grid, foldings, stretches: vec![None; slots], curves }
    }

    /// Adds a value to its slot; one of no slot or curve is none of ours.
    pub(super) fn put(&mut self, entry: &Entry) {
        let Some(slot) = self.grid.slot(entry.start_us) else { return };
        let curve = self.curves.get_mut(entry.curve).and_then(|curve| curve.get_mut(slot));
        let (Some(point), Some(folding)) = (curve, self.foldings.get(entry.curve)) else { return };
        *point = Some(point.map_or(entry.fold, |before| before.with(entry.fold, *folding)));
        if let Some(stretch) = self.stretches.get_mut(slot) {
            let (first_us, until_us) = (entry.start_us, entry.until_us());
            *stretch = Some(stretch.map_or(Stretch { first_us, until_us }, |before| Stretch {
                first_us: before.first_us.min(first_us),
                until_us: before.until_us.max(until_us),
            }));
        }
    }

    /// The answer: the slots that have something, and the gaps between them.
    pub(super) fn answer(self, level: Level, series: &[Series]) -> Answer {
        let places = self.places();
        let points = |curve: &Vec<Option<Fold>>| -> Vec<Option<Fold>> {
            places.iter().map(|(_, slot)| slot.and_then(|slot| curve.get(slot).copied().flatten())).collect()
        };
        let curves = series.iter().zip(&self.curves);
        let step = match self.grid {
            Grid::Even { step_us, .. } => u64::try_from(step_us).ok().map(Duration::from_micros),
            Grid::Exact(_) => None,
        };
        Answer {
            level,
            step,
            times_us: places.iter().map(|(time_us, _)| *time_us).collect(),
            curves: curves
                .map(|(series, curve)| Curve { series: series.clone(), points: points(curve) })
                .collect(),
        }
    }

    /// The times of the answer, with the slot that stands there; none for a gap.
    fn places(&self) -> Vec<(i64, Option<usize>)> {
        let mut places = Vec::new();
        let mut before: Option<(usize, i64)> = None;
        for (slot, stretch) in self.stretches.iter().enumerate() {
            let Some(stretch) = stretch else { continue };
            if let Some((last, until_us)) = before.filter(|(_, until_us)| stretch.first_us > *until_us) {
                places.extend(self.grid.gap_us(last, slot, until_us).map(|time_us| (time_us, None)));
            }
            places.push((self.grid.time_us(slot), Some(slot)));
            let until_us = before.map_or(stretch.until_us, |(_, until_us)| until_us.max(stretch.until_us));
            before = Some((slot, until_us));
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantity;

    fn entry(curve: usize, start_us: i64, covers_us: i64, value: i64) -> Entry {
        Entry { curve, start_us, covers_us, fold: Fold::of(value, Folding::Extremes) }
    }

    fn drawn(grid: Grid, curves: usize, entries: &[Entry]) -> Answer {
        let foldings = vec![Folding::Extremes; curves];
        let mut canvas = Canvas::new(grid, &foldings);
        entries.iter().for_each(|entry| canvas.put(entry));
        let series: Vec<Series> =
            (0..curves).map(|number| Series::new(number.to_string(), Quantity::Power)).collect();
        canvas.answer(Level::Raw, &series)
    }

    fn maxima(answer: &Answer, curve: usize) -> Vec<Option<i64>> {
        answer.curves[curve].points.iter().map(|point| point.map(|fold| fold.max)).collect()
    }

    const TEN_STEPS: Grid = Grid::Even { from_us: 100, step_us: 10, slots: 10 };

    #[test]
    fn values_of_one_step_are_one_point() {
        let answer = drawn(TEN_STEPS, 1, &[entry(0, 100, 20, 7), entry(0, 109, 20, 3), entry(0, 110, 20, 5)]);
        assert_eq!(
            (answer.times_us.as_slice(), answer.step),
            ([100, 110].as_slice(), Some(Duration::from_micros(10)))
        );
        let first = answer.curves[0].points[0].unwrap();
        assert_eq!((first.min, first.max, first.sum, first.count), (3, 7, 10, 2));
    }

    #[test]
    fn a_hole_longer_than_what_is_bridged_is_one_time_without_value() {
        // 120 speaks until 140; the next value is at 170.
        let answer = drawn(TEN_STEPS, 1, &[entry(0, 120, 20, 1), entry(0, 170, 20, 2), entry(0, 185, 20, 3)]);
        assert_eq!(answer.times_us, [120, 130, 170, 180]);
        assert_eq!(maxima(&answer, 0), [Some(1), None, Some(2), Some(3)]);
    }

    #[test]
    fn an_empty_step_that_is_bridged_is_no_gap() {
        // An hour of a coarser level speaks for the steps up to the next.
        let answer = drawn(TEN_STEPS, 1, &[entry(0, 100, 50, 1), entry(0, 150, 50, 2)]);
        assert_eq!(answer.times_us, [100, 150]);
    }

    #[test]
    fn a_series_that_lacks_a_value_has_its_own_gap() {
        let answer = drawn(TEN_STEPS, 2, &[entry(0, 100, 20, 1), entry(1, 100, 20, 8), entry(0, 110, 20, 2)]);
        assert_eq!(answer.times_us, [100, 110]);
        assert_eq!((maxima(&answer, 0), maxima(&answer, 1)), (vec![Some(1), Some(2)], vec![Some(8), None]));
    }

    #[test]
    fn few_moments_stand_as_they_are_with_their_gaps() {
        let entries = [entry(0, 7, 2, 1), entry(1, 7, 2, 9), entry(0, 8, 2, 2), entry(0, 30, 2, 3)];
        let grid = Grid::of_moments(&entries, 4).unwrap();
        assert_eq!(grid, Grid::Exact(vec![7, 8, 30]));
        let answer = drawn(grid, 2, &entries);
        assert_eq!((answer.times_us.as_slice(), answer.step), ([7, 8, 10, 30].as_slice(), None));
        assert_eq!(maxima(&answer, 0), [Some(1), Some(2), None, Some(3)]);
        // Three moments and a gap are four.
        assert_eq!(Grid::of_moments(&entries, 3), None);
    }

    #[test]
    fn what_lies_outside_is_left_out_and_a_cell_begun_before_is_the_first() {
        let answer = drawn(TEN_STEPS, 1, &[entry(0, 95, 60, 4), entry(0, 200, 1, 9), entry(7, 110, 1, 9)]);
        assert_eq!((answer.times_us.as_slice(), maxima(&answer, 0)), ([100].as_slice(), vec![Some(4)]));
    }
}
