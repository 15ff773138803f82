//! The blocks of bytes in the file: little-endian, each with a format number first, each checked while it is read.
//!
//! - [`bytes`]: fixed-width numbers, read with bounds.
//! - [`column`]: whole numbers, packed by `pco` in the narrowest type that holds their span.
//! - [`runs`]: which places of a row of places are taken.
//! - [`chunk`]: an hour's values of one series; the times that all series of an hour share.
//! - [`batch`]: some sweeps of the whole rig, not sealed yet.
//! - [`bins`]: minutes or hours of one series, or of the whole rig.
//!
//! A block that says of itself that it is longer than what can be meant is refused before memory is taken for it: no damaged
//! length costs more than [`MOST_VALUES`] values.

pub(crate) mod batch;
pub(crate) mod bins;
mod bytes;
pub(crate) mod chunk;
mod column;
mod runs;

/// The most values that a column may hold: an hour of the whole rig's minutes, or a day of sweeps, with room to spare.
pub(crate) const MOST_VALUES: usize = 1 << 22;

/// A block that cannot be read, or numbers that cannot be packed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// It ends before it is complete.
    #[error("a block ends too early")]
    Short,
    /// There is more than it should hold.
    #[error("a block goes on after its end")]
    Long,
    /// Its format is none that this program writes.
    #[error("a block is of the unknown format {0}")]
    Format(u8),
    /// What it says contradicts itself.
    #[error("a block makes no sense: {0}")]
    Nonsense(&'static str),
    /// The packed numbers cannot be read or written.
    #[error("packed numbers: {0}")]
    Packed(String),
}

impl From<pco::errors::PcoError> for BlockError {
    fn from(error: pco::errors::PcoError) -> Self {
        Self::Packed(error.to_string())
    }
}
