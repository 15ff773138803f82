//! A card's page: every quantity that is read of it, each with its value or the reason that it is missing.

use serde::{Deserialize, Serialize};

use super::{Shown, Tile};

/// A card's page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct CardPage {
    /// What its tile shows.
    pub tile: Tile,
    /// The age of names, limits, ranges and fan speeds, which are read once a minute, when this page was made; none before.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub details_age_ms: Option<u64>,
    /// Every quantity, by group.
    pub groups: Vec<Group>,
    /// Processes that compute on it.
    pub processes: Shown<Vec<ProcessLine>>,
}

/// Quantities that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Group {
    /// Which.
    pub code: GroupCode,
    /// Its quantities.
    pub rows: Vec<Row>,
}

/// A group of quantities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum GroupCode {
    /// Temperature and its limits.
    Heat,
    /// Power, energy and limits.
    Power,
    /// Load, clocks and what holds them down.
    Work,
    /// Video memory.
    Memory,
    /// Fans.
    Fans,
    /// The PCIe link.
    Link,
    /// What it is.
    Identity,
}

/// One quantity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Row {
    /// Which.
    pub code: RowCode,
    /// Its value, or why there is none.
    pub value: Shown<Value>,
}

/// A quantity of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum RowCode {
    /// The core's temperature.
    Temperature,
    /// Its own regulation aims below this.
    TemperatureTarget,
    /// The highest it should run at.
    TemperatureMax,
    /// It halves its clocks here.
    TemperatureSlowdown,
    /// It switches itself off here.
    TemperatureShutdown,
    /// Board power.
    Power,
    /// The limit in force.
    PowerLimitEnforced,
    /// The limit set.
    PowerLimit,
    /// The limit after a driver load.
    PowerLimitDefault,
    /// What the limit may be set to.
    PowerLimitRange,
    /// Energy since the driver was loaded.
    Energy,
    /// Share of time in which a kernel ran.
    Utilisation,
    /// Share of time in which memory was read or written.
    MemoryActivity,
    /// Graphics clock.
    ClockGraphics,
    /// Its maximum.
    ClockGraphicsMax,
    /// Memory clock.
    ClockMemory,
    /// Its maximum.
    ClockMemoryMax,
    /// Performance state.
    Pstate,
    /// What holds the clocks down.
    Throttle,
    /// Allocated by programs.
    MemoryUsed,
    /// Kept by the driver.
    MemoryReserved,
    /// Left.
    MemoryFree,
    /// All of it.
    MemoryTotal,
    /// What the driver intends for each fan.
    FanDuty,
    /// The speed the driver intends for each fan.
    FanSpeed,
    /// Whether somebody set each fan's duty.
    FanManual,
    /// The duties a fan may be set to.
    FanRange,
    /// Generation the link runs at.
    LinkGeneration,
    /// The highest of card and slot.
    LinkGenerationMax,
    /// The highest of the card alone.
    CardGenerationMax,
    /// Lanes the link runs on.
    LinkWidth,
    /// The most of card and slot.
    LinkWidthMax,
    /// PCIe packets sent again.
    PcieReplays,
    /// What the driver says must be done to bring the card back.
    Recovery,
    /// Marketing name.
    Name,
    /// Name for life.
    Uuid,
    /// Slot.
    BusId,
    /// Firmware.
    Vbios,
    /// CUDA compute capability.
    ComputeCapability,
    /// Whether the driver stays loaded while no program uses the card.
    Persistence,
    /// Whether memory errors are corrected.
    Ecc,
    /// Whether the card is split into instances.
    Mig,
}

/// A value that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Value {
    /// A number.
    Number {
        /// The number.
        #[cfg_attr(test, ts(type = "number"))]
        number: i64,
        /// Its unit.
        unit: Unit,
    },
    /// From one number to another.
    Range {
        /// The least.
        #[cfg_attr(test, ts(type = "number"))]
        min: i64,
        /// The greatest.
        #[cfg_attr(test, ts(type = "number"))]
        max: i64,
        /// Their unit.
        unit: Unit,
    },
    /// One for each fan.
    Each {
        /// The values.
        values: Vec<Shown<Value>>,
    },
    /// Yes or no.
    Flag {
        /// Which.
        on: bool,
    },
    /// A name, as the driver writes it.
    Text {
        /// It.
        text: String,
    },
    /// Names out of a fixed list, which the page has words for.
    Codes {
        /// They.
        codes: Vec<String>,
    },
}

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// °C.
    Celsius,
    /// %.
    Percent,
    /// mW.
    Milliwatts,
    /// mJ.
    Millijoules,
    /// Bytes.
    Bytes,
    /// MHz.
    Megahertz,
    /// Revolutions a minute.
    Rpm,
    /// PCIe generation.
    Generation,
    /// PCIe lanes.
    Lanes,
    /// Performance state: P0 is the fastest.
    Pstate,
    /// A plain count.
    Count,
}

/// A process that computes on a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct ProcessLine {
    /// Process id.
    pub pid: u32,
    /// Name of its program alone, never its arguments; none if the driver does not tell.
    pub name: Option<String>,
    /// Video memory it holds, in bytes.
    #[cfg_attr(test, ts(as = "Shown<u32>"))]
    pub memory_bytes: Shown<u64>,
}
