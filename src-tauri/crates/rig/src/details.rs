//! What is read of a card once a minute at most: names, limits, ranges, and what hardly ever moves.

use fanfare_units::{Celsius, Duty, Megahertz, Rpm, Stamp, Watts};
use serde::{Deserialize, Serialize};

use crate::{
    identity::BusId,
    reading::{Reading, Reason},
};

/// A card's slow facts, read together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// When the first read began.
    pub at: Stamp,
    /// Marketing name, such as `NVIDIA GeForce RTX 4060`.
    pub name: Reading<String>,
    /// The slot it sits in.
    pub bus_id: Reading<BusId>,
    /// Version of the card's firmware.
    pub vbios: Reading<String>,
    /// CUDA compute capability, such as `8.9`.
    pub compute_capability: Reading<String>,
    /// Whether the driver stays loaded while no program uses the card.
    pub persistence: Reading<bool>,
    /// Power limits.
    pub power: PowerLimits,
    /// Temperatures at which the card acts on its own.
    pub thresholds: Thresholds,
    /// Fans, in the driver's order.
    pub fans: Reading<Vec<FanDetails>>,
    /// The duties a fan may be set to.
    pub fan_range: Reading<Range<Duty>>,
    /// What the link could be.
    pub link: LinkLimits,
    /// The highest graphics clock.
    #[serde(rename = "clock_graphics_max_mhz")]
    pub clock_graphics_max: Reading<Megahertz>,
    /// The highest memory clock.
    #[serde(rename = "clock_memory_max_mhz")]
    pub clock_memory_max: Reading<Megahertz>,
    /// Whether memory errors are corrected; not supported on GeForce.
    pub ecc: Reading<bool>,
    /// Whether the card is split into instances; not supported on GeForce.
    pub mig: Reading<bool>,
}

/// A closed interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range<T> {
    /// The least.
    pub min: T,
    /// The greatest.
    pub max: T,
}

/// A card's power limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerLimits {
    /// The limit set now.
    #[serde(rename = "limit_mw")]
    pub limit: Reading<Watts>,
    /// The limit after a driver load.
    #[serde(rename = "default_mw")]
    pub default: Reading<Watts>,
    /// The limit in force: the least of all that are set, by whomever.
    #[serde(rename = "enforced_mw")]
    pub enforced: Reading<Watts>,
    /// What it may be set to.
    #[serde(rename = "range_mw")]
    pub range: Reading<Range<Watts>>,
}

/// Temperatures at which a card acts on its own. On Ada NVML calls this interface "no longer the preferred" one and may lose
/// some, so own limits stay needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thresholds {
    /// It switches itself off.
    #[serde(rename = "shutdown_c")]
    pub shutdown: Reading<Celsius>,
    /// It halves its clocks.
    #[serde(rename = "slowdown_c")]
    pub slowdown: Reading<Celsius>,
    /// The highest it should run at.
    #[serde(rename = "max_operating_c")]
    pub max_operating: Reading<Celsius>,
    /// What its own regulation aims below.
    #[serde(rename = "target_c")]
    pub target: Reading<Celsius>,
}

/// One fan's slow facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FanDetails {
    /// Whether somebody set the duty (true), or the driver's own curve does.
    pub manual: Reading<bool>,
    /// The duty that the fan is to reach: what was asked for where somebody set it, else what the driver's own curve wants.
    #[serde(rename = "target_percent", default = "not_told")]
    pub target: Reading<Duty>,
    /// The speed the driver intends.
    #[serde(rename = "speed_rpm")]
    pub speed: Reading<Rpm>,
}

/// What a line that lacks a reading says of it.
const fn not_told() -> Reading<Duty> {
    Reading::missing(Reason::NotSupported)
}

/// What a card's PCIe link could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkLimits {
    /// The highest generation of card and slot together.
    pub generation_max: Reading<u32>,
    /// The highest generation of the card alone.
    pub card_generation_max: Reading<u32>,
    /// The most lanes of card and slot together.
    pub width_max: Reading<u32>,
}
