//! Cells of minutes or hours: of one series over a span, or of the whole rig over an hour.
//!
//! One series: `format: u8`, the runs of its cells in the span, then four columns: the least, how far the greatest lies above it, how
//! far the sum lies above count times the least, the count. Differences are small where values are large.
//!
//! The whole rig: `format: u8`, `series: u32`, for each its number and its runs, then the same four columns over all.
//!
//! A sum that lies more than 2^63 above count times the least is held at that: it would take an hour of values that swing by 2^50.

use std::collections::BTreeMap;

use super::{
    BlockError, MOST_VALUES,
    bytes::{Bytes, count},
    column,
    runs::Runs,
};
use crate::levels::{Cell, Fold};

const SPAN: u8 = 1;
const RIG: u8 = 2;

/// The cells of one series over a span that begins with the cell `first`; they rise.
pub(crate) fn span_block(cells: &[Cell], first: i64) -> Result<Vec<u8>, BlockError> {
    let mut block = vec![SPAN];
    runs_of(cells, first)?.write(&mut block)?;
    Columns::of(cells).write(&mut block)?;
    Ok(block)
}

/// The cells of a span of so many cells.
pub(crate) fn span(block: &[u8], first: i64, cells: i64) -> Result<Vec<Cell>, BlockError> {
    let mut bytes = Bytes::of_format(block, SPAN)?;
    let runs = Runs::read(&mut bytes, row_of(cells)?)?;
    let columns = Columns::read(&mut bytes, runs.taken())?;
    bytes.end()?;
    Ok(runs.places().zip(columns.folds()).map(|(place, fold)| cell(first, place, fold)).collect())
}

/// The cells of the whole rig, by series, over a stretch that begins with the cell `first`.
pub(crate) fn rig_block(by_series: &BTreeMap<u32, Vec<Cell>>, first: i64) -> Result<Vec<u8>, BlockError> {
    let mut block = vec![RIG];
    block.extend(count(by_series.len())?.to_le_bytes());
    for (series, cells) in by_series {
        block.extend(series.to_le_bytes());
        runs_of(cells, first)?.write(&mut block)?;
    }
    let all: Vec<Cell> = by_series.values().flatten().copied().collect();
    Columns::of(&all).write(&mut block)?;
    Ok(block)
}

/// The cells of the whole rig over a stretch of so many cells, of those series that are wanted.
pub(crate) fn rig(
    block: &[u8],
    first: i64,
    cells: i64,
    wanted: impl Fn(u32) -> bool,
) -> Result<BTreeMap<u32, Vec<Cell>>, BlockError> {
    let mut bytes = Bytes::of_format(block, RIG)?;
    let mut rows = Vec::new();
    for _ in 0..bytes.u32()? {
        rows.push((bytes.u32()?, Runs::read(&mut bytes, row_of(cells)?)?));
    }
    if !rows.is_sorted_by(|(before, _), (after, _)| before < after) {
        return Err(BlockError::Nonsense("series that do not rise"));
    }
    let columns = Columns::read(&mut bytes, rows.iter().map(|(_, runs)| runs.taken()).sum())?;
    bytes.end()?;
    let mut folds = columns.folds();
    let mut by_series = BTreeMap::new();
    for (series, runs) in rows {
        let own = folds.by_ref().take(runs.taken());
        if wanted(series) {
            by_series.insert(
                series,
                runs.places().zip(own).map(|(place, fold)| cell(first, place, fold)).collect(),
            );
        } else {
            own.for_each(drop);
        }
    }
    Ok(by_series)
}

const fn cell(first: i64, place: u32, fold: Fold) -> Cell {
    Cell { number: first.saturating_add(place as i64), fold }
}

fn row_of(cells: i64) -> Result<usize, BlockError> {
    usize::try_from(cells).map_err(|_| BlockError::Nonsense("a span of less than nothing"))
}

fn runs_of(cells: &[Cell], first: i64) -> Result<Runs, BlockError> {
    let place = |cell: &Cell| u32::try_from(cell.number.saturating_sub(first));
    let places: Result<Vec<u32>, _> = cells.iter().map(place).collect();
    places.map(Runs::of).map_err(|_| BlockError::Nonsense("a cell outside its span"))
}

/// The four columns.
struct Columns {
    least: Vec<i64>,
    swing: Vec<i64>,
    above: Vec<i64>,
    count: Vec<i64>,
}

impl Columns {
    fn of(cells: &[Cell]) -> Self {
        let folds = || cells.iter().map(|cell| cell.fold);
        Self {
            least: folds().map(|fold| fold.min).collect(),
            swing: folds().map(|fold| fold.max.wrapping_sub(fold.min)).collect(),
            above: folds()
                .map(|fold| held(fold.sum - i128::from(fold.min) * i128::from(fold.count)))
                .collect(),
            count: folds().map(|fold| i64::from(fold.count)).collect(),
        }
    }

    fn write(&self, block: &mut Vec<u8>) -> Result<(), BlockError> {
        for numbers in [&self.least, &self.swing, &self.above, &self.count] {
            column::write(numbers, block)?;
        }
        Ok(())
    }

    fn read(bytes: &mut Bytes<'_>, how_many: usize) -> Result<Self, BlockError> {
        if how_many > MOST_VALUES {
            return Err(BlockError::Nonsense("more numbers than can be meant"));
        }
        let mut next = || column::read(bytes, how_many);
        let columns = Self { least: next()?, swing: next()?, above: next()?, count: next()? };
        let counted = |count: &i64| u32::try_from(*count).is_ok_and(|count| count > 0);
        if columns.count.iter().all(counted) {
            Ok(columns)
        } else {
            Err(BlockError::Nonsense("a cell of nothing"))
        }
    }

    fn folds(self) -> impl Iterator<Item = Fold> {
        let pairs = self.least.into_iter().zip(self.swing);
        pairs.zip(self.above.into_iter().zip(self.count)).map(|((min, swing), (above, count))| Fold {
            min,
            max: min.wrapping_add(swing),
            sum: i128::from(min) * i128::from(count) + i128::from(above),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        })
    }
}

fn held(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_of(number: i64, min: i64, max: i64, sum: i128, count: u32) -> Cell {
        Cell { number, fold: Fold { min, max, sum, count } }
    }

    fn day() -> Vec<Cell> {
        // A day of minutes that lacks its third hour; a span begins with minute 2,880.
        let minutes = (2_880..4_320).filter(|minute| !(3_000..3_060).contains(minute));
        minutes.map(|n| cell_of(n, 40 + n % 9, 50 + n % 7, (45 * 60 + n % 5).into(), 60)).collect()
    }

    #[test]
    fn a_day_comes_back_with_its_hole() {
        for cells in [day(), vec![], vec![cell_of(2_880, -4, 1 << 53, 1 << 60, 3_600)]] {
            assert_eq!(span(&span_block(&cells, 2_880).unwrap(), 2_880, 1_440).unwrap(), cells);
        }
    }

    #[test]
    fn bits_come_back_though_they_have_no_sum() {
        // Sum 0 lies below count times the least: the difference is negative.
        let cells = [cell_of(1, 4, 44, 0, 60)];
        assert_eq!(span(&span_block(&cells, 0).unwrap(), 0, 60).unwrap(), cells);
    }

    #[test]
    fn an_hour_of_the_rig_comes_back() {
        let rig_of =
            BTreeMap::from([(1, day()[..60].to_vec()), (2, vec![]), (5, vec![cell_of(2_890, 1, 2, 3, 2)])]);
        assert_eq!(rig(&rig_block(&rig_of, 2_880).unwrap(), 2_880, 60, |_| true).unwrap(), rig_of);
        let fifth = rig(&rig_block(&rig_of, 2_880).unwrap(), 2_880, 60, |series| series == 5).unwrap();
        assert_eq!(fifth, BTreeMap::from([(5, rig_of[&5].clone())]));
    }

    #[test]
    fn a_cell_outside_its_span_or_of_nothing_is_refused() {
        assert!(span_block(&[cell_of(9, 1, 1, 1, 1)], 10).is_err());
        let block = span_block(&[cell_of(70, 1, 1, 1, 1)], 10).unwrap();
        assert!(span(&block, 10, 60).is_err());
        let empty = span_block(&[cell_of(10, 0, 0, 0, 0)], 10).unwrap();
        assert!(span(&empty, 10, 60).is_err());
    }

    #[test]
    fn a_block_cut_short_or_garbled_is_no_panic() {
        let rig_of = BTreeMap::from([(1, day()[..60].to_vec()), (5, vec![cell_of(2_890, 1, 2, 3, 2)])]);
        let block = rig_block(&rig_of, 2_880).unwrap();
        for end in 0..block.len() {
            assert!(rig(&block[..end], 2_880, 60, |_| true).is_err(), "cut at {end}");
        }
        for place in 0..block.len() {
            for byte in [0, 0x55, 0xff] {
                let mut garbled = block.clone();
                garbled[place] = byte;
                let _ = rig(&garbled, 2_880, 60, |_| true);
            }
        }
    }
}
