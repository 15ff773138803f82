//! What one sweep reads of one card.
//!
//! These are the quantities worth a driver call each second. What changes by the minute or never stands in
//! [`Details`](crate::Details).

use std::sync::Arc;

use fanfare_units::{Bytes, Celsius, Duty, Energy, Megahertz, Percent, Stamp, Watts};
use serde::{Deserialize, Serialize};

use crate::{
    quantity::Quantity,
    reading::{Reading, Reason},
    throttle::ThrottleReasons,
};

/// One sweep's readings of one card. Each is measured, or missing with its own reason: one failed call spoils no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When the first read began.
    pub at: Stamp,
    /// The core's temperature.
    #[serde(rename = "temperature_c")]
    pub temperature: Reading<Celsius>,
    /// Board power; on Ampere and later the mean of the last second (`nvml.h`, `nvmlDeviceGetPowerUsage`), true to about 5 W.
    #[serde(rename = "power_mw")]
    pub power: Reading<Watts>,
    /// The hardware's energy counter since the driver was loaded; a fall is a reset of the driver or the card.
    #[serde(rename = "energy_mj")]
    pub energy: Reading<Energy>,
    /// How busy core and memory were over the driver's last sample period (1 s to 1/6 s).
    pub utilisation: Reading<Utilisation>,
    /// Video memory.
    pub memory: Reading<Memory>,
    /// The graphics clock.
    #[serde(rename = "clock_graphics_mhz")]
    pub clock_graphics: Reading<Megahertz>,
    /// The memory clock.
    #[serde(rename = "clock_memory_mhz")]
    pub clock_memory: Reading<Megahertz>,
    /// Performance state, 0 (fastest) to 15.
    pub pstate: Reading<u32>,
    /// Why the clocks are not higher.
    pub throttle: Reading<ThrottleReasons>,
    /// The duty the driver intends for each fan, in the driver's order; missing as a whole if the number of fans is unknown.
    #[serde(rename = "fans_duty_percent")]
    pub fans: Reading<Vec<Reading<Duty>>>,
    /// The PCIe link as it runs now. It shrinks at idle: judge it under load only.
    pub link: Link,
    /// Processes that compute on the card, by process id.
    pub processes: Reading<Vec<Process>>,
    /// PCIe packets sent again since the driver was loaded.
    pub pcie_replays: Reading<u64>,
    /// What the driver says must be done to bring the card back.
    pub recovery: Reading<RecoveryAction>,
}

impl Sample {
    /// A sample in which every quantity is missing for one reason: a card that could not even be asked.
    pub fn missing(at: Stamp, reason: Reason) -> Self {
        Self {
            at,
            temperature: Reading::missing(reason),
            power: Reading::missing(reason),
            energy: Reading::missing(reason),
            utilisation: Reading::missing(reason),
            memory: Reading::missing(reason),
            clock_graphics: Reading::missing(reason),
            clock_memory: Reading::missing(reason),
            pstate: Reading::missing(reason),
            throttle: Reading::missing(reason),
            fans: Reading::missing(reason),
            link: Link { generation: Reading::missing(reason), width: Reading::missing(reason) },
            processes: Reading::missing(reason),
            pcie_replays: Reading::missing(reason),
            recovery: Reading::missing(reason),
        }
    }

    /// Every quantity with the reason it is missing for, `None` where it was measured.
    pub fn reasons(&self) -> [(Quantity, Option<Reason>); Quantity::COUNT] {
        [
            (Quantity::Temperature, self.temperature.reason()),
            (Quantity::Power, self.power.reason()),
            (Quantity::Energy, self.energy.reason()),
            (Quantity::Utilisation, self.utilisation.reason()),
            (Quantity::Memory, self.memory.reason()),
            (Quantity::ClockGraphics, self.clock_graphics.reason()),
            (Quantity::ClockMemory, self.clock_memory.reason()),
            (Quantity::Pstate, self.pstate.reason()),
            (Quantity::Throttle, self.throttle.reason()),
            (Quantity::Fans, self.fans_reason()),
            (Quantity::LinkGeneration, self.link.generation.reason()),
            (Quantity::LinkWidth, self.link.width.reason()),
            (Quantity::Processes, self.processes.reason()),
            (Quantity::PcieReplays, self.pcie_replays.reason()),
            (Quantity::Recovery, self.recovery.reason()),
        ]
    }
}

impl Sample {
    /// Why no fan's duty is known; `None` if one is, or if the card has no fan.
    fn fans_reason(&self) -> Option<Reason> {
        match &self.fans {
            Reading::Missing { missing } => Some(*missing),
            Reading::Measured(fans) if fans.iter().any(|fan| fan.reason().is_none()) => None,
            Reading::Measured(fans) => fans.first().and_then(Reading::reason),
        }
    }
}

/// Shares of time in the driver's last sample period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Utilisation {
    /// Time in which a kernel ran.
    #[serde(rename = "gpu_percent")]
    pub gpu: Percent,
    /// Time in which memory was read or written. It says nothing of how full the memory is.
    #[serde(rename = "memory_percent")]
    pub memory: Percent,
}

/// Video memory by the v2 figure: `reserved` (the driver's own) is apart from `used`, and total = reserved + used + free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// All of it.
    #[serde(rename = "total_bytes")]
    pub total: Bytes,
    /// Allocated by programs.
    #[serde(rename = "used_bytes")]
    pub used: Bytes,
    /// Kept by the driver.
    #[serde(rename = "reserved_bytes")]
    pub reserved: Bytes,
    /// Left.
    #[serde(rename = "free_bytes")]
    pub free: Bytes,
}

impl Memory {
    /// What programs can have of it: all of it less the driver's own. The figure that every list of cards shows, and that `used` is
    /// a share of.
    pub const fn usable(&self) -> Bytes {
        Bytes(self.total.0.saturating_sub(self.reserved.0))
    }
}

/// The PCIe link as it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Generation, 1 to 6.
    pub generation: Reading<u32>,
    /// Lanes.
    pub width: Reading<u32>,
}

/// A process that computes on a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id, in the driver's process namespace.
    pub pid: u32,
    /// Name of its program, up to 64 letters; never its arguments. None if the driver does not tell, or was not asked yet.
    #[serde(default)]
    pub name: Option<Arc<str>>,
    /// All video memory it holds.
    #[serde(rename = "memory_bytes")]
    pub memory: Reading<Bytes>,
}

/// What the driver says must be done to bring a card back (field 230, driver 570 or later).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryAction {
    /// Nothing.
    None,
    /// Reset the card.
    Reset,
    /// Restart the rig.
    Reboot,
    /// Stop the peer-to-peer traffic.
    DrainPeers,
    /// Stop the peer-to-peer traffic, then reset.
    DrainAndReset,
    /// A number newer than this table.
    Other(u32),
}

impl From<u32> for RecoveryAction {
    fn from(number: u32) -> Self {
        match number {
            0 => Self::None,
            1 => Self::Reset,
            2 => Self::Reboot,
            3 => Self::DrainPeers,
            4 => Self::DrainAndReset,
            other => Self::Other(other),
        }
    }
}
