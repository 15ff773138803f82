//! What is recorded: a quantity of a subject, in whole units of its own.
//!
//! Values are integers in the unit that the driver answers in, so that nothing is rounded on the way to the disk, and none needs
//! more than JavaScript holds exactly. The list is closed and its numbers stand in the file: a number is never given twice.

use std::{fmt, ops::RangeInclusive, sync::Arc};

use serde::{Deserialize, Serialize};

/// Largest integer up to which JavaScript's numbers are exact: 2^53 − 1.
pub(crate) const LARGEST_EXACT: i64 = (1 << 53) - 1;

/// What a series counts, and in which unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Quantity {
    /// Core temperature, °C.
    Temperature = 1,
    /// Board power, mW.
    Power = 2,
    /// Power limit in force, mW.
    PowerLimit = 3,
    /// The hardware's energy counter, mJ; a fall is a reset.
    Energy = 4,
    /// Share of time in which the core was busy, %.
    Utilisation = 5,
    /// Share of time in which memory was busy, %.
    MemoryUtilisation = 6,
    /// Video memory that programs hold, bytes.
    MemoryUsed = 7,
    /// Graphics clock, MHz.
    GraphicsClock = 8,
    /// Memory clock, MHz.
    MemoryClock = 9,
    /// Fan duty that was asked for, %.
    FanAsked = 10,
    /// Fan duty that the driver reports, %; what it intends, not what the blade does.
    FanReported = 11,
    /// Fan speed that the driver reports, rpm.
    FanSpeed = 12,
    /// Why the clocks are not higher, NVML's bits.
    Throttle = 13,
    /// Performance state, 0 (fastest) to 15.
    PerformanceState = 14,
    /// Generation of the PCIe link.
    LinkGeneration = 15,
    /// Lanes of the PCIe link.
    LinkWidth = 16,
    /// PCIe packets sent again since the driver was loaded.
    PcieReplays = 17,
    /// Who has the card, one of four bits: 1 free and idle (nothing computes), 2 rented, 4 the owner's own job, 8 busy for somebody
    /// who is not known. Missing where nobody can say.
    Tenancy = 18,
}

/// How the values of a stretch of time become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    /// The least, the greatest and the mean.
    Extremes,
    /// A set of bits: those that all values have stand for the least, those that any value has for the greatest; a mean has no
    /// meaning.
    Bits,
}

impl Quantity {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 18] = [
        Self::Temperature,
        Self::Power,
        Self::PowerLimit,
        Self::Energy,
        Self::Utilisation,
        Self::MemoryUtilisation,
        Self::MemoryUsed,
        Self::GraphicsClock,
        Self::MemoryClock,
        Self::FanAsked,
        Self::FanReported,
        Self::FanSpeed,
        Self::Throttle,
        Self::PerformanceState,
        Self::LinkGeneration,
        Self::LinkWidth,
        Self::PcieReplays,
        Self::Tenancy,
    ];

    /// Its number in the file.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The quantity of a number in the file.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.number() == number)
    }

    /// The unit of its values, as people write it; empty for a plain number.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Temperature => "°C",
            Self::Power | Self::PowerLimit => "mW",
            Self::Energy => "mJ",
            Self::Utilisation | Self::MemoryUtilisation | Self::FanAsked | Self::FanReported => "%",
            Self::MemoryUsed => "B",
            Self::GraphicsClock | Self::MemoryClock => "MHz",
            Self::FanSpeed => "rpm",
            Self::Throttle | Self::Tenancy => "bits",
            Self::PerformanceState | Self::LinkGeneration | Self::LinkWidth | Self::PcieReplays => "",
        }
    }

    /// How its values are folded.
    pub const fn folding(self) -> Folding {
        match self {
            Self::Throttle | Self::Tenancy => Folding::Bits,
            _ => Folding::Extremes,
        }
    }

    /// The values that can be meant at all; any other is as good as missing. It is wide: what is plausible others judge.
    pub const fn range(self) -> RangeInclusive<i64> {
        match self {
            // Absolute zero.
            Self::Temperature => -273..=LARGEST_EXACT,
            _ => 0..=LARGEST_EXACT,
        }
    }
}

/// One quantity of one subject, such as a card by its UUID.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series {
    /// Whose it is.
    pub subject: Arc<str>,
    /// What it counts.
    pub quantity: Quantity,
}

impl Series {
    /// The series of `quantity` of `subject`.
    pub fn new(subject: impl Into<Arc<str>>, quantity: Quantity) -> Self {
        Self { subject: subject.into(), quantity }
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.subject, self.quantity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_the_file_means_one_quantity_for_ever() {
        let numbers: Vec<u8> = Quantity::ALL.iter().map(|quantity| quantity.number()).collect();
        assert_eq!(numbers, (1..=18).collect::<Vec<u8>>());
        for quantity in Quantity::ALL {
            assert_eq!(Quantity::of_number(quantity.number()), Some(quantity));
        }
        for unknown in [0, 19, 255] {
            assert_eq!(Quantity::of_number(unknown), None);
        }
    }

    #[test]
    fn what_cannot_be_meant_is_out_of_range() {
        for (quantity, value, can_be) in [
            (Quantity::Temperature, -40, true),
            (Quantity::Temperature, -274, false),
            (Quantity::Power, 0, true),
            (Quantity::Power, -1, false),
            (Quantity::FanReported, 104, true),
            (Quantity::MemoryUsed, 9_007_199_254_740_991, true),
            (Quantity::MemoryUsed, 9_007_199_254_740_992, false),
        ] {
            assert_eq!(quantity.range().contains(&value), can_be, "{quantity:?} {value}");
        }
    }
}
