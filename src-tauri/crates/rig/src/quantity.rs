//! The names of what a sweep reads of a card.

use serde::{Deserialize, Serialize};

/// The quantities of a [`Sample`](crate::Sample).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Core temperature.
    Temperature,
    /// Board power.
    Power,
    /// Energy counter.
    Energy,
    /// Utilisation of core and memory.
    Utilisation,
    /// Video memory.
    Memory,
    /// Graphics clock.
    ClockGraphics,
    /// Memory clock.
    ClockMemory,
    /// Performance state.
    Pstate,
    /// Throttle reasons.
    Throttle,
    /// Fan duties.
    Fans,
    /// PCIe generation.
    LinkGeneration,
    /// PCIe lanes.
    LinkWidth,
    /// Compute processes.
    Processes,
    /// PCIe replay counter.
    PcieReplays,
    /// Recovery action.
    Recovery,
}

impl Quantity {
    /// How many there are.
    pub const COUNT: usize = 15;
}
