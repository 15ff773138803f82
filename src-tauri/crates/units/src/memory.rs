//! Amounts of memory.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An amount of memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The amount in MiB, rounded down, as `nvidia-smi` shows it.
    pub const fn mebibytes(self) -> u64 {
        self.0 >> 20
    }

    /// The amount in GiB, for showing.
    pub fn gibibytes(self) -> f64 {
        self.0 as f64 / f64::from(1_u32 << 30)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} GiB", self.gibibytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_rtx_4060_has_8188_mib() {
        let memory = Bytes(8188 << 20);
        assert_eq!(memory.mebibytes(), 8188);
        // 8188 / 1024 = 7.996.
        assert_eq!(memory.to_string(), "8.0 GiB");
    }
}
