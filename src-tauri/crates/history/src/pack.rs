//! An answer as one block of bytes for the page, which reads it with typed arrays in place and parses nothing.
//!
//! All numbers are little-endian; everything begins at a multiple of eight bytes. With `t` times and `c` curves:
//!
//! | from | what |
//! |---|---|
//! | 0 | `u32` 0x31_51_48_46 ("FHQ1"): the layout's name and version |
//! | 4 | `u32` the level that was read: 0 samples, 1 minutes, 2 hours |
//! | 8 | `u32` t |
//! | 12 | `u32` c |
//! | 16 | `f64` the step in seconds; 0 where each moment stands for itself |
//! | 24 | `f64` × t, the times in seconds since 1970, rising |
//! | then for each curve | `f64` × t the least, `f64` × t the greatest, `f64` × t the mean, `u8` × t 1 where there is a value, and 0 to the next multiple of eight |
//!
//! Where there is no value its numbers are 0 and its byte is 0, so that no NaN crosses. All values are whole and within 2^53, so they
//! are exact; of bits the mean is 0.

use crate::{levels::Fold, levels::Level, query::Answer, query::Curve};

/// The first four bytes, "FHQ1".
const NAME: u32 = u32::from_le_bytes(*b"FHQ1");

/// Numbers of this many bytes, and what begins at a multiple of it.
const WIDTH: usize = 8;

impl Answer {
    /// The answer as one block; the module says how it is laid out.
    pub fn packed(&self) -> Vec<u8> {
        let times = self.times_us.len();
        let curve = times * 3 * WIDTH + times.next_multiple_of(WIDTH);
        let mut block = Vec::with_capacity(3 * WIDTH + times * WIDTH + self.curves.len() * curve);
        // A question has a bound of both.
        for number in [NAME, self.level_number(), small(times), small(self.curves.len())] {
            block.extend(number.to_le_bytes());
        }
        push(&mut block, [self.step.map_or(0.0, |step| step.as_secs_f64())]);
        push(&mut block, self.times_us.iter().map(|time_us| seconds(*time_us)));
        for curve in &self.curves {
            push_curve(&mut block, curve);
        }
        block
    }

    const fn level_number(&self) -> u32 {
        match self.level {
            Level::Raw => 0,
            Level::Minute => 1,
            Level::Hour => 2,
        }
    }
}

fn push_curve(block: &mut Vec<u8>, curve: &Curve) {
    let column =
        |number: fn(&Fold) -> f64| curve.points.iter().map(move |point| point.as_ref().map_or(0.0, number));
    push(block, column(|fold| exact(fold.min)));
    push(block, column(|fold| exact(fold.max)));
    push(block, column(Fold::mean));
    block.extend(curve.points.iter().map(|point| u8::from(point.is_some())));
    block.resize(block.len().next_multiple_of(WIDTH), 0);
}

fn push(block: &mut Vec<u8>, numbers: impl IntoIterator<Item = f64>) {
    for number in numbers {
        block.extend(number.to_le_bytes());
    }
}

#[expect(clippy::cast_precision_loss, reason = "values are within 2^53, by the range of every quantity")]
const fn exact(value: i64) -> f64 {
    value as f64
}

#[expect(clippy::cast_precision_loss, reason = "microseconds since 1970 are within 2^53 until 2255")]
fn seconds(time_us: i64) -> f64 {
    time_us as f64 / 1e6
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Quantity, Series};

    fn f64_at(block: &[u8], at: usize) -> f64 {
        f64::from_le_bytes(block[at..at + 8].try_into().unwrap())
    }

    fn u32_at(block: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(block[at..at + 4].try_into().unwrap())
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn the_layout_is_as_it_is_written_down() {
        let fold = Fold { min: 40, max: 50, sum: 135, count: 3 };
        let largest = Fold { min: 1, max: (1 << 53) - 1, sum: 1 << 53, count: 2 };
        let curve = |name, points| Curve { series: Series::new(name, Quantity::Power), points };
        let answer = Answer {
            level: Level::Minute,
            step: Some(Duration::from_millis(43_200)),
            times_us: vec![1_000_000, 44_200_000, 87_400_000],
            curves: vec![
                curve("a", vec![Some(fold), None, Some(fold)]),
                curve("b", vec![None, None, Some(largest)]),
            ],
        };
        let block = answer.packed();
        assert_eq!(&block[..4], b"FHQ1");
        assert_eq!([4, 8, 12].map(|at| u32_at(&block, at)), [1, 3, 2]);
        assert_eq!(f64_at(&block, 16), 43.2);
        assert_eq!([24, 32, 40].map(|at| f64_at(&block, at)), [1.0, 44.2, 87.4]);
        // A curve is 3 × 3 numbers and 3 bytes, 80 bytes with the filling.
        assert_eq!(block.len(), 48 + 2 * 80);
        assert_eq!([48, 56, 64].map(|at| f64_at(&block, at)), [40.0, 0.0, 40.0]);
        assert_eq!([72, 80, 88].map(|at| f64_at(&block, at)), [50.0, 0.0, 50.0]);
        assert_eq!([96, 104, 112].map(|at| f64_at(&block, at)), [45.0, 0.0, 45.0]);
        assert_eq!(block[120..128], [1, 0, 1, 0, 0, 0, 0, 0]);
        assert_eq!(f64_at(&block, 128 + 24 + 16), 9_007_199_254_740_991.0);
        assert_eq!(block[200..208], [0, 0, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn an_answer_of_nothing_is_a_head() {
        let answer = Answer { level: Level::Raw, step: None, times_us: vec![], curves: vec![] };
        assert_eq!(answer.packed().len(), 24);
    }
}
