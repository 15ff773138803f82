//! The sealed hour of a segment: the times that all its series share, and the values of each.
//!
//! Times are microseconds since boot. A series' chunk says by runs which of the hour's sweeps it has a value of.

use super::{
    BlockError,
    bytes::{Bytes, count},
    column,
    runs::Runs,
};

const TIMES: u8 = 1;
const VALUES: u8 = 1;

/// The times of sweeps, which rise.
pub(crate) fn times_block(times: &[i64]) -> Result<Vec<u8>, BlockError> {
    let mut block = vec![TIMES];
    block.extend(count(times.len())?.to_le_bytes());
    column::write(times, &mut block)?;
    Ok(block)
}

/// The times of a block, which rise.
pub(crate) fn times(block: &[u8]) -> Result<Vec<i64>, BlockError> {
    let mut bytes = Bytes::of_format(block, TIMES)?;
    let how_many = bytes.u32()? as usize;
    let times = column::read(&mut bytes, how_many)?;
    bytes.end()?;
    if times.is_sorted_by(|earlier, later| earlier < later) {
        Ok(times)
    } else {
        Err(BlockError::Nonsense("times that do not rise"))
    }
}

/// The values of one series by the place of their sweep, which rises.
pub(crate) fn values_block(values: &[(u32, i64)]) -> Result<Vec<u8>, BlockError> {
    let mut block = vec![VALUES];
    Runs::of(values.iter().map(|(place, _)| *place)).write(&mut block)?;
    let numbers: Vec<i64> = values.iter().map(|(_, value)| *value).collect();
    column::write(&numbers, &mut block)?;
    Ok(block)
}

/// The values of a chunk over an hour of so many sweeps, by the place of their sweep.
pub(crate) fn values(block: &[u8], sweeps: usize) -> Result<Vec<(u32, i64)>, BlockError> {
    let mut bytes = Bytes::of_format(block, VALUES)?;
    let runs = Runs::read(&mut bytes, sweeps)?;
    let numbers = column::read(&mut bytes, runs.taken())?;
    bytes.end()?;
    Ok(runs.places().zip(numbers).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_comes_back_with_its_gaps() {
        let steady: Vec<i64> = (0..3_600).map(|second| 7_000_000 + second * 1_000_000).collect();
        assert_eq!(times(&times_block(&steady).unwrap()).unwrap(), steady);
        let full: Vec<(u32, i64)> = (0..3_600).map(|place| (place, 40 + i64::from(place) % 7)).collect();
        let gaps: Vec<(u32, i64)> =
            full.iter().copied().filter(|(place, _)| !(100..160).contains(place)).collect();
        for kept in [full, gaps, vec![(3_599, -4)], vec![]] {
            assert_eq!(values(&values_block(&kept).unwrap(), 3_600).unwrap(), kept);
        }
    }

    #[test]
    fn times_that_do_not_rise_are_refused() {
        for times_of in [vec![1, 1], vec![2, 1]] {
            assert!(times(&times_block(&times_of).unwrap()).is_err(), "{times_of:?}");
        }
    }

    #[test]
    fn values_beyond_the_hours_sweeps_are_refused() {
        let block = values_block(&[(0, 1), (9, 2)]).unwrap();
        assert!(values(&block, 10).is_ok());
        assert!(values(&block, 9).is_err());
    }
}
