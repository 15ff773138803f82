//! Power and energy, as the driver counts them: milliwatts and millijoules.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Electric power, kept in milliwatts (NVML's own unit); serialises as that integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Watts {
    milliwatts: u32,
}

impl Watts {
    /// A power given in milliwatts.
    pub const fn from_milliwatts(milliwatts: u32) -> Self {
        Self { milliwatts }
    }

    /// The power in milliwatts.
    pub const fn milliwatts(self) -> u32 {
        self.milliwatts
    }

    /// The power in watts, for showing.
    pub fn watts(self) -> f64 {
        f64::from(self.milliwatts) / 1_000.0
    }
}

impl fmt::Display for Watts {
    /// Whole watts: the board sensor is true to about 5 W, so a decimal would claim more than it knows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} W", self.watts())
    }
}

/// Electric energy, kept in millijoules (the unit of NVML's counter); serialises as that integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Energy {
    millijoules: u64,
}

impl Energy {
    /// An energy given in millijoules.
    pub const fn from_millijoules(millijoules: u64) -> Self {
        Self { millijoules }
    }

    /// The energy in millijoules.
    pub const fn millijoules(self) -> u64 {
        self.millijoules
    }

    /// The energy in kilowatt-hours, for showing: 1 kWh is 3.6 × 10⁹ mJ.
    pub fn kilowatt_hours(self) -> f64 {
        // A counter of 2^53 mJ is 2,500 MWh; below that the conversion to f64 is exact.
        self.millijoules as f64 / 3.6e9
    }
}

impl fmt::Display for Energy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} kWh", self.kilowatt_hours())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_cards_at_115_w_for_a_day_are_22_08_kwh() {
        // 8 × 115,000 mW × 86,400 s = 79,488,000,000 mJ; divided by 3.6e9 that is 22.08.
        let day = Energy::from_millijoules(8 * 115_000 * 86_400);
        assert_eq!(day.kilowatt_hours(), 22.08);
        assert_eq!(day.to_string(), "22.08 kWh");
    }

    #[test]
    fn a_power_is_shown_in_whole_watts() {
        for (milliwatts, shown) in [(0, "0 W"), (499, "0 W"), (115_000, "115 W"), (114_700, "115 W")] {
            assert_eq!(Watts::from_milliwatts(milliwatts).to_string(), shown);
        }
    }
}
