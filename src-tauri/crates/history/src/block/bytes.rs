//! Fixed-width little-endian numbers.

use super::BlockError;

/// Reads a block from its front.
#[derive(Debug)]
pub(super) struct Bytes<'block> {
    rest: &'block [u8],
}

impl<'block> Bytes<'block> {
    /// A block whose first byte must be `format`.
    pub(super) fn of_format(block: &'block [u8], format: u8) -> Result<Self, BlockError> {
        let mut bytes = Self { rest: block };
        match bytes.u8()? {
            found if found == format => Ok(bytes),
            found => Err(BlockError::Format(found)),
        }
    }

    /// The next so many bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'block [u8], BlockError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(BlockError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BlockError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(BlockError::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, BlockError> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, BlockError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, BlockError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, BlockError> {
        self.array().map(i64::from_le_bytes)
    }

    /// Makes sure that nothing is left.
    pub(super) fn end(self) -> Result<(), BlockError> {
        if self.rest.is_empty() { Ok(()) } else { Err(BlockError::Long) }
    }
}

/// A count as it stands in a block.
pub(super) fn count(of: usize) -> Result<u32, BlockError> {
    u32::try_from(of).map_err(|_| BlockError::Nonsense("a count beyond 32 bits"))
}
