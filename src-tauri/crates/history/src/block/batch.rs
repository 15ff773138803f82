//! Sweeps of the whole rig that are not sealed yet: one block for all series, so that a commit writes one row.
//!
//! `format: u8`, `sweeps: u32`, `series: u32`, the times as a column, for each series its number (`u32`) and its runs, then two
//! columns over all series: the first value of each, and the differences from value to value. One column for all spares each
//! series the fixed cost of one of its own, which would be more than its fifty values.

use std::collections::BTreeMap;

use super::{
    BlockError, MOST_VALUES,
    bytes::{Bytes, count},
    column,
    runs::Runs,
};

const FORMAT: u8 = 1;

/// Sweeps that share a segment and an hour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    /// When, in microseconds since boot; rising.
    pub(crate) times: Vec<i64>,
    /// By series, its values by the place of their sweep.
    pub(crate) values: BTreeMap<u32, Vec<(u32, i64)>>,
}

impl Batch {
    /// Adds the sweeps of a later batch.
    pub(crate) fn append(&mut self, later: Self) -> Result<(), BlockError> {
        let offset = count(self.times.len())?;
        self.times.extend(later.times);
        for (series, values) in later.values {
            let moved = values.into_iter().map(|(place, value)| (place + offset, value));
            self.values.entry(series).or_default().extend(moved);
        }
        Ok(())
    }

    /// As a block.
    pub(crate) fn block(&self) -> Result<Vec<u8>, BlockError> {
        let mut block = vec![FORMAT];
        block.extend(count(self.times.len())?.to_le_bytes());
        block.extend(count(self.values.len())?.to_le_bytes());
        column::write(&self.times, &mut block)?;
        let (mut firsts, mut steps) = (Vec::new(), Vec::new());
        for (series, values) in &self.values {
            block.extend(series.to_le_bytes());
            Runs::of(values.iter().map(|(place, _)| *place)).write(&mut block)?;
            firsts.extend(values.first().map(|(_, value)| *value));
            steps.extend(values.windows(2).filter_map(|pair| match pair {
                [(_, from), (_, to)] => Some(to.wrapping_sub(*from)),
                _ => None,
            }));
        }
        column::write(&firsts, &mut block)?;
        column::write(&steps, &mut block)?;
        Ok(block)
    }

    /// The sweeps of a block.
    pub(crate) fn of(block: &[u8]) -> Result<Self, BlockError> {
        Self::of_some(block, |_| true)
    }

    /// The sweeps of a block, with those series alone that are wanted: an answer wants one of a hundred.
    pub(crate) fn of_some(block: &[u8], wanted: impl Fn(u32) -> bool) -> Result<Self, BlockError> {
        let mut bytes = Bytes::of_format(block, FORMAT)?;
        let (sweeps, series) = (bytes.u32()? as usize, bytes.u32()? as usize);
        let times = column::read(&mut bytes, sweeps)?;
        if !times.is_sorted_by(|earlier, later| earlier < later) {
            return Err(BlockError::Nonsense("times that do not rise"));
        }
        let mut rows = Vec::new();
        for _ in 0..series {
            rows.push((bytes.u32()?, Runs::read(&mut bytes, sweeps)?));
        }
        if !rows.is_sorted_by(|(before, _), (after, _)| before < after) {
            return Err(BlockError::Nonsense("series that do not rise"));
        }
        let taken: usize = rows.iter().map(|(_, runs)| runs.taken()).sum();
        if taken > MOST_VALUES {
            return Err(BlockError::Nonsense("more numbers than can be meant"));
        }
        let begun = rows.iter().filter(|(_, runs)| runs.taken() > 0).count();
        let firsts = column::read(&mut bytes, begun)?;
        let steps = column::read(&mut bytes, taken - begun)?;
        bytes.end()?;
        let (mut firsts, mut steps) = (firsts.iter(), steps.as_slice());
        let mut values = BTreeMap::new();
        for (number, runs) in rows {
            // As many as were counted above.
            let first = if runs.taken() > 0 { firsts.next() } else { None };
            let (own, rest) =
                steps.split_at_checked(runs.taken().saturating_sub(1)).ok_or(BlockError::Short)?;
            steps = rest;
            if wanted(number) {
                values.insert(number, rejoined(&runs, first.copied(), own));
            }
        }
        Ok(Self { times, values })
    }
}

/// The values from the first and the steps from each to the next.
fn rejoined(runs: &Runs, first: Option<i64>, steps: &[i64]) -> Vec<(u32, i64)> {
    let values = steps.iter().scan(first.unwrap_or_default(), |value, step| {
        *value = value.wrapping_add(*step);
        Some(*value)
    });
    runs.places().zip(first.into_iter().chain(values)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch {
        Batch {
            times: vec![5_000_000, 6_000_100, 7_000_050],
            values: BTreeMap::from([
                (1, vec![(0, 41), (1, 42), (2, 40)]),
                (2, vec![(1, i64::MIN), (2, i64::MAX)]),
                (7, vec![]),
                (9, vec![(0, 115_000), (2, 114_213)]),
            ]),
        }
    }

    #[test]
    fn sweeps_come_back_with_what_they_lack() {
        for kept in [batch(), Batch::default(), Batch { values: BTreeMap::new(), ..batch() }] {
            assert_eq!(Batch::of(&kept.block().unwrap()).unwrap(), kept);
        }
    }

    #[test]
    fn of_some_series_the_others_are_left_out() {
        let block = batch().block().unwrap();
        for wanted in [1, 2, 7, 9] {
            let some = Batch::of_some(&block, |series| series == wanted).unwrap();
            let own = BTreeMap::from([(wanted, batch().values[&wanted].clone())]);
            assert_eq!(some, Batch { values: own, ..batch() });
        }
    }

    #[test]
    fn a_later_batch_follows() {
        let mut all = batch();
        all.append(Batch {
            times: vec![8_000_000, 9_000_000],
            values: BTreeMap::from([(1, vec![(1, 39)]), (3, vec![(0, 7)])]),
        })
        .unwrap();
        assert_eq!(all.times, [5_000_000, 6_000_100, 7_000_050, 8_000_000, 9_000_000]);
        assert_eq!(all.values[&1], [(0, 41), (1, 42), (2, 40), (4, 39)]);
        assert_eq!(all.values[&3], [(3, 7)]);
    }

    #[test]
    fn a_block_cut_short_or_garbled_is_no_panic() {
        let block = batch().block().unwrap();
        for end in 0..block.len() {
            assert!(Batch::of(&block[..end]).is_err(), "cut at {end}");
        }
        for place in 0..block.len() {
            for byte in [0, 1, 0x55, 0xff] {
                let mut garbled = block.clone();
                garbled[place] = byte;
                let _ = Batch::of(&garbled);
            }
        }
    }
}
