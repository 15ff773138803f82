//! The sweeps that are not on the disk yet: a queue in memory, and when it is due.
//!
//! A power cut loses what is here: at most 50 s of sweeps while the disk takes them. While it does not (full, locked), they are kept
//! for an hour of sweeps a second, then the oldest is given up for each new one.

use std::collections::VecDeque;

use crate::{block::batch::Batch, mark::PastMark};

/// Sweeps are written when the oldest has waited for so long.
pub(crate) const WAIT_US: i64 = 50_000_000;

/// The most sweeps that are held: an hour at one a second, some 6 MB for a rig of eight cards.
pub(crate) const MOST_HELD: usize = 3_600;

/// A row takes no more sweeps once it has so many values; without trouble with the disk it has a few thousand.
const FULL_ROW: usize = 1 << 20;

/// What sweeps share that lie in one row: a segment, and an hour of the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) segment: u32,
    pub(crate) hour: i64,
}

/// A sweep that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) key: Key,
    /// Microseconds since boot.
    pub(crate) at_us: i64,
    /// Values by the number of their series.
    pub(crate) values: Vec<(u32, i64)>,
    pub(crate) marks: Vec<PastMark>,
}

/// The sweeps that wait, in their order.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    held: VecDeque<Held>,
}

impl Tail {
    /// Takes a sweep; whether the oldest was given up for it.
    pub(crate) fn push(&mut self, sweep: Held) -> bool {
        self.held.push_back(sweep);
        self.held.len() > MOST_HELD && self.held.pop_front().is_some()
    }

    /// Whether it is time to write: the oldest has waited long enough, or its segment or hour is over.
    pub(crate) fn is_due(&self, current: Key, now_us: i64) -> bool {
        let waited = |oldest: &Held| now_us.saturating_sub(oldest.at_us) >= WAIT_US;
        self.held.front().is_some_and(|oldest| oldest.key != current || waited(oldest))
    }

    /// The segment of the one that has waited longest.
    pub(crate) fn oldest_segment(&self) -> Option<u32> {
        self.held.front().map(|oldest| oldest.key.segment)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    /// All of them as batches, in order: one a key, or several where it would have too many values.
    pub(crate) fn batches(&self) -> Vec<(Key, Batch)> {
        let mut batches: Vec<(Key, Batch)> = Vec::new();
        let mut values = 0;
        for sweep in &self.held {
            match batches.last_mut() {
                Some((key, batch)) if *key == sweep.key && values < FULL_ROW => add(batch, sweep),
                _ => {
                    let mut batch = Batch::default();
                    add(&mut batch, sweep);
                    batches.push((sweep.key, batch));
                    values = 0;
                }
            }
            values += sweep.values.len();
        }
        batches
    }

    /// The marks of all of them, in order.
    pub(crate) fn marks(&self) -> impl Iterator<Item = &PastMark> {
        self.held.iter().flat_map(|sweep| &sweep.marks)
    }

    /// Forgets all of them: they are on the disk.
    pub(crate) fn clear(&mut self) {
        self.held.clear();
    }
}

fn add(batch: &mut Batch, sweep: &Held) {
    // No more than `MOST_HELD` of them.
    let place = u32::try_from(batch.times.len()).unwrap_or(u32::MAX);
    batch.times.push(sweep.at_us);
    for (series, value) in &sweep.values {
        batch.values.entry(*series).or_default().push((place, *value));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const KEY: Key = Key { segment: 1, hour: 7 };

    fn held(key: Key, second: i64, values: &[(u32, i64)]) -> Held {
        Held { key, at_us: second * 1_000_000, values: values.to_vec(), marks: Vec::new() }
    }

    #[test]
    fn sweeps_are_due_after_fifty_seconds_or_when_their_hour_is_over() {
        let mut tail = Tail::default();
        assert!(!tail.is_due(KEY, i64::MAX), "nothing is never due");
        tail.push(held(KEY, 100, &[(1, 41)]));
        tail.push(held(KEY, 140, &[(1, 42)]));
        for (current, second, due) in [
            (KEY, 140, false),
            (KEY, 149, false),
            (KEY, 150, true),
            (Key { hour: 8, ..KEY }, 141, true),
            (Key { segment: 2, ..KEY }, 141, true),
        ] {
            assert_eq!(tail.is_due(current, second * 1_000_000), due, "{current:?} {second}");
        }
    }

    #[test]
    fn sweeps_become_one_batch_a_segment_and_hour() {
        let next = Key { hour: 8, ..KEY };
        let mut tail = Tail::default();
        for sweep in [held(KEY, 1, &[(1, 41), (2, 9)]), held(KEY, 2, &[(2, 8)]), held(next, 3, &[(1, 43)])] {
            tail.push(sweep);
        }
        let first = Batch {
            times: vec![1_000_000, 2_000_000],
            values: BTreeMap::from([(1, vec![(0, 41)]), (2, vec![(0, 9), (1, 8)])]),
        };
        let second = Batch { times: vec![3_000_000], values: BTreeMap::from([(1, vec![(0, 43)])]) };
        assert_eq!(tail.batches(), [(KEY, first), (next, second)]);
        tail.clear();
        assert_eq!(tail.batches(), []);
    }

    #[test]
    fn a_row_that_would_have_too_many_values_is_two() {
        let mut tail = Tail::default();
        let many: Vec<(u32, i64)> = (0..4_096).map(|series| (series, 1)).collect();
        for second in 0..300 {
            tail.push(held(KEY, second, &many));
        }
        // 256 sweeps of 4,096 values are 2^20.
        let sweeps: Vec<(Key, usize)> =
            tail.batches().into_iter().map(|(key, batch)| (key, batch.times.len())).collect();
        assert_eq!(sweeps, [(KEY, 256), (KEY, 44)]);
    }

    #[test]
    fn when_the_disk_takes_nothing_the_oldest_go_first() {
        let mut tail = Tail::default();
        let given_up = (0..3_610).filter(|second| tail.push(held(KEY, *second, &[]))).count();
        assert_eq!((given_up, tail.len()), (10, 3_600));
        assert_eq!(tail.batches()[0].1.times[0], 10_000_000);
    }
}
