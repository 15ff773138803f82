//! Which places of a row are taken, as runs: `count: u16`, then for each its first place and its length, `u32` each. A full row is
//! one run of eight bytes; a card that comes and goes costs eight bytes each time.

use super::{
    BlockError,
    bytes::{Bytes, count},
};

/// Runs of taken places, in order, apart from each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Runs(Vec<(u32, u32)>);

impl Runs {
    /// The runs of places that rise.
    pub(super) fn of(places: impl IntoIterator<Item = u32>) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for place in places {
            match runs.last_mut() {
                Some((first, length)) if first.saturating_add(*length) == place => *length += 1,
                _ => runs.push((place, 1)),
            }
        }
        Self(runs)
    }

    /// How many places are taken.
    pub(super) fn taken(&self) -> usize {
        self.0.iter().map(|(_, length)| *length as usize).sum()
    }

    /// The places.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|(first, length)| *first..*first + *length)
    }

    pub(super) fn write(&self, block: &mut Vec<u8>) -> Result<(), BlockError> {
        let runs = u16::try_from(self.0.len()).map_err(|_| BlockError::Nonsense("too many runs"))?;
        block.extend(runs.to_le_bytes());
        for (first, length) in &self.0 {
            block.extend(first.to_le_bytes());
            block.extend(length.to_le_bytes());
        }
        Ok(())
    }

    /// Runs of a row with so many places.
    pub(super) fn read(bytes: &mut Bytes<'_>, places: usize) -> Result<Self, BlockError> {
        let places = count(places)?;
        let mut runs = Vec::new();
        let mut free_from = 0_u32;
        for _ in 0..bytes.u16()? {
            let (first, length) = (bytes.u32()?, bytes.u32()?);
            let end = first.checked_add(length).filter(|end| *end <= places);
            let Some(end) = end.filter(|_| length > 0 && first >= free_from) else {
                return Err(BlockError::Nonsense("runs that overlap or leave their row"));
            };
            free_from = end;
            runs.push((first, length));
        }
        Ok(Self(runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(runs: &Runs) -> Vec<u8> {
        let mut block = vec![1];
        runs.write(&mut block).unwrap();
        block
    }

    fn read(block: &[u8], places: usize) -> Result<Runs, BlockError> {
        Runs::read(&mut Bytes::of_format(block, 1).unwrap(), places)
    }

    #[test]
    fn places_become_runs_and_come_back() {
        for (places, runs) in [
            (vec![], vec![]),
            (vec![0, 1, 2], vec![(0, 3)]),
            (vec![4], vec![(4, 1)]),
            (vec![0, 1, 5, 6, 9], vec![(0, 2), (5, 2), (9, 1)]),
        ] {
            let made = Runs::of(places.iter().copied());
            assert_eq!(made, Runs(runs));
            assert_eq!(made.taken(), places.len());
            let back = read(&written(&made), 10).unwrap();
            assert_eq!(back.places().collect::<Vec<_>>(), places);
        }
    }

    #[test]
    fn runs_that_cannot_be_are_refused() {
        for bad in [vec![(0, 11)], vec![(9, 2)], vec![(0, 0)], vec![(3, 2), (4, 1)], vec![(u32::MAX, 2)]] {
            assert!(read(&written(&Runs(bad.clone())), 10).is_err(), "{bad:?}");
        }
        // Two that touch are no trouble: others may write them so.
        assert_eq!(read(&written(&Runs(vec![(3, 2), (5, 1)])), 10).unwrap().taken(), 3);
    }
}
