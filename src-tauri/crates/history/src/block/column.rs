//! Whole numbers, packed: `kind: u8`, `base: i64`, and for all kinds but the first two `length: u32` and that many bytes of `pco`.
//!
//! The kinds: 0 there are none; 1 all are the base; 2, 4 and 8 each is the base plus a packed number of so many bytes. The base is
//! the least of them. A narrow type matters: what `pco` tells of a chunk beside its numbers grows with the type's width, and an
//! hour's chunk is small.
//!
//! How many numbers there are stands elsewhere (in the runs, or beside the block) and is given when reading.

use pco::{
    ChunkConfig,
    data_types::Number,
    standalone::{simple_compress, simple_decompress_into},
};

use super::{
    BlockError, MOST_VALUES,
    bytes::{Bytes, count},
};

const NONE: u8 = 0;
const EQUAL: u8 = 1;
const BYTES_2: u8 = 2;
const BYTES_4: u8 = 4;
const BYTES_8: u8 = 8;

/// Appends the packed `numbers` to a block.
pub(super) fn write(numbers: &[i64], block: &mut Vec<u8>) -> Result<(), BlockError> {
    if numbers.len() > MOST_VALUES {
        return Err(BlockError::Nonsense("more numbers than can be read again"));
    }
    let (least, greatest) = match (numbers.iter().min(), numbers.iter().max()) {
        (Some(least), Some(greatest)) => (*least, *greatest),
        _ => {
            block.push(NONE);
            return Ok(());
        }
    };
    let above = |number: i64| number.abs_diff(least);
    let span = above(greatest);
    if span == 0 {
        block.push(EQUAL);
        block.extend(least.to_le_bytes());
        return Ok(());
    }
    let (kind, packed) = if u16::try_from(span).is_ok() {
        (BYTES_2, packed(numbers.iter().map(|number| u16::try_from(above(*number)).unwrap_or(u16::MAX)))?)
    } else if u32::try_from(span).is_ok() {
        (BYTES_4, packed(numbers.iter().map(|number| u32::try_from(above(*number)).unwrap_or(u32::MAX)))?)
    } else {
        (BYTES_8, packed(numbers.iter().map(|number| above(*number)))?)
    };
    block.push(kind);
    block.extend(least.to_le_bytes());
    block.extend(count(packed.len())?.to_le_bytes());
    block.extend(packed);
    Ok(())
}

fn packed<T: Number>(numbers: impl Iterator<Item = T>) -> Result<Vec<u8>, BlockError> {
    Ok(simple_compress(&numbers.collect::<Vec<T>>(), &ChunkConfig::default())?)
}

/// The next `how_many` numbers of a block.
pub(super) fn read(bytes: &mut Bytes<'_>, how_many: usize) -> Result<Vec<i64>, BlockError> {
    if how_many > MOST_VALUES {
        return Err(BlockError::Nonsense("more numbers than can be meant"));
    }
    let kind = bytes.u8()?;
    if kind == NONE {
        return if how_many == 0 { Ok(Vec::new()) } else { Err(BlockError::Nonsense("an empty column")) };
    }
    let base = bytes.i64()?;
    if kind == EQUAL {
        return Ok(vec![base; how_many]);
    }
    let length = bytes.u32()? as usize;
    let packed = bytes.take(length)?;
    match kind {
        BYTES_2 => unpacked::<u16>(packed, base, how_many),
        BYTES_4 => unpacked::<u32>(packed, base, how_many),
        BYTES_8 => unpacked::<u64>(packed, base, how_many),
        other => Err(BlockError::Format(other)),
    }
}

fn unpacked<T: Number + Default + Into<u64>>(
    packed: &[u8],
    base: i64,
    how_many: usize,
) -> Result<Vec<i64>, BlockError> {
    let mut numbers = vec![T::default(); how_many];
    let progress = simple_decompress_into(packed, &mut numbers)?;
    if !progress.finished || progress.n_processed != how_many {
        return Err(BlockError::Nonsense("a column of another length"));
    }
    // Wrapping undoes the difference exactly, also for a span beyond 2^63.
    Ok(numbers.into_iter().map(|above| base.wrapping_add_unsigned(above.into())).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block_of(numbers: &[i64]) -> Vec<u8> {
        let mut block = vec![7];
        write(numbers, &mut block).unwrap();
        block
    }

    fn read_back(block: &[u8], how_many: usize) -> Result<Vec<i64>, BlockError> {
        let mut bytes = Bytes::of_format(block, 7)?;
        let numbers = read(&mut bytes, how_many)?;
        bytes.end()?;
        Ok(numbers)
    }

    #[test]
    fn each_kind_of_column_comes_back() {
        for (kind, numbers) in [
            (NONE, vec![]),
            (EQUAL, vec![-5; 3_600]),
            (BYTES_2, vec![41, 42, 41, 40]),
            (BYTES_2, vec![-32_768, 32_767]),
            (BYTES_4, vec![0, 65_536]),
            (BYTES_8, vec![0, 4_294_967_296]),
            (BYTES_8, vec![i64::MIN, i64::MAX, 0]),
        ] {
            let block = block_of(&numbers);
            assert_eq!(block[1], kind, "{numbers:?}");
            assert_eq!(read_back(&block, numbers.len()).unwrap(), numbers);
        }
    }

    #[test]
    fn a_steady_temperature_takes_less_than_half_a_byte_a_value() {
        // 60 or 61 °C by turns of a minute: far less than a bit of news a value.
        let numbers: Vec<i64> = (0..3_600).map(|second| 60 + second / 60 % 2).collect();
        let length = block_of(&numbers).len();
        assert!(length < 1_800, "{length}");
    }

    #[test]
    fn a_block_cut_short_or_of_another_length_is_refused() {
        let block = block_of(&[3, 1, 4, 1, 5, 9, 2, 6]);
        for end in 1..block.len() {
            assert!(read_back(&block[..end], 8).is_err(), "cut at {end}");
        }
        for other in [0, 7, 9, MOST_VALUES + 1] {
            assert!(read_back(&block, other).is_err(), "{other}");
        }
        assert!(read_back(&block_of(&[]), 1).is_err());
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(numbers in prop::collection::vec(any::<i64>(), 0..300)) {
            prop_assert_eq!(read_back(&block_of(&numbers), numbers.len()).unwrap(), numbers);
        }

        #[test]
        fn garbage_is_an_error_or_numbers_and_never_a_panic(
            numbers in prop::collection::vec(0_i64..100_000, 1..300),
            place in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut block = block_of(&numbers);
            let place = place.index(block.len());
            block[place] = byte;
            if let Ok(read) = read_back(&block, numbers.len()) {
                prop_assert_eq!(read.len(), numbers.len());
            }
        }
    }
}
