//! How values are written for people, in the units of the other tables; and how they are named in a file, in the units of the driver, so
//! that nothing is rounded.

use fanfare_history::{Folding, Quantity};

/// How the values of a quantity are shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// The unit that is shown, empty for a plain number.
    pub(super) unit: &'static str,
    /// How many of the driver's units that is.
    divisor: f64,
    /// Decimals of a value; a mean has at least one.
    decimals: usize,
    folding: Folding,
}

impl Scale {
    pub(super) const fn of(quantity: Quantity) -> Self {
        let (unit, divisor, decimals) = match quantity {
            Quantity::Power | Quantity::PowerLimit => ("W", 1e3, 1),
            // A kilowatt-hour is 3.6 million joules.
            Quantity::Energy => ("kWh", 3.6e9, 3),
            Quantity::MemoryUsed => ("GiB", (1_u64 << 30) as f64, 2),
            other => (other.unit(), 1.0, 0),
        };
        Self { unit, divisor, decimals, folding: quantity.folding() }
    }

    /// A value.
    #[expect(clippy::cast_precision_loss, reason = "values are within 2^53, by the range of every quantity")]
    pub(super) fn value(&self, value: i64) -> String {
        match self.folding {
            Folding::Bits => format!("{value:#x}"),
            Folding::Extremes => format!("{:.*}", self.decimals, value as f64 / self.divisor),
        }
    }

    /// A mean; bits have none.
    pub(super) fn mean(&self, mean: f64) -> String {
        match self.folding {
            Folding::Bits => "—".into(),
            Folding::Extremes => format!("{:.*}", self.decimals.max(1), mean / self.divisor),
        }
    }
}

/// A quantity's name, as the command line takes it.
pub(super) const fn name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Temperature => "temperature",
        Quantity::Power => "power",
        Quantity::PowerLimit => "power_limit",
        Quantity::Energy => "energy",
        Quantity::Utilisation => "utilisation",
        Quantity::MemoryUtilisation => "memory_utilisation",
        Quantity::MemoryUsed => "memory_used",
        Quantity::GraphicsClock => "graphics_clock",
        Quantity::MemoryClock => "memory_clock",
        Quantity::FanAsked => "fan_asked",
        Quantity::FanReported => "fan_reported",
        Quantity::FanSpeed => "fan_speed",
        Quantity::Throttle => "throttle",
        Quantity::PerformanceState => "performance_state",
        Quantity::LinkGeneration => "link_generation",
        Quantity::LinkWidth => "link_width",
        Quantity::PcieReplays => "pcie_replays",
        Quantity::Tenancy => "tenancy",
    }
}

/// The name of a column of its values: the quantity with the driver's unit.
pub(super) fn column(quantity: Quantity) -> String {
    let unit = match quantity.unit() {
        "°C" => "_c",
        "%" => "_percent",
        "B" => "_bytes",
        "mW" => "_mw",
        "mJ" => "_mj",
        "MHz" => "_mhz",
        "rpm" => "_rpm",
        "bits" => "_bits",
        _ => "",
    };
    format!("{}{unit}", name(quantity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_the_units_of_the_other_tables() {
        for (quantity, value, mean, shown) in [
            (Quantity::Temperature, 41, 41.25, ("41", "41.2", "°C")),
            (Quantity::Power, 114_960, 99_999.0, ("115.0", "100.0", "W")),
            (Quantity::Energy, 7_200_000_000, 1.8e9, ("2.000", "0.500", "kWh")),
            (Quantity::MemoryUsed, 8_227_127_296, 1_073_741_824.0, ("7.66", "1.00", "GiB")),
            (Quantity::Utilisation, 0, 0.0, ("0", "0.0", "%")),
            (Quantity::Throttle, 0x24, 0.0, ("0x24", "—", "bits")),
            (Quantity::PerformanceState, 8, 8.0, ("8", "8.0", "")),
        ] {
            let scale = Scale::of(quantity);
            let (value, mean) = (scale.value(value), scale.mean(mean));
            assert_eq!((value.as_str(), mean.as_str(), scale.unit), shown, "{quantity:?}");
        }
    }

    #[test]
    fn a_name_is_that_of_the_api_and_a_column_adds_the_unit() {
        for quantity in Quantity::ALL {
            assert_eq!(serde_json::to_value(quantity).unwrap(), name(quantity));
        }
        let columns = [Quantity::Temperature, Quantity::Power, Quantity::LinkWidth, Quantity::Tenancy];
        assert_eq!(columns.map(column), ["temperature_c", "power_mw", "link_width", "tenancy_bits"]);
        let units = Quantity::ALL.into_iter().filter(|quantity| !quantity.unit().is_empty());
        assert!(units.into_iter().all(|quantity| column(quantity) != name(quantity)), "each unit is named");
    }
}
