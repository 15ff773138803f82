//! What a driver would report about one card at one instant: whole numbers in NVML's units.

use crate::conditions::CardConditions;
use crate::fans::intended_percent;
use crate::layout::{CardRecord, Config, MAX_FANS};
use crate::noise::{Use, unit};
use crate::physics::{energy_mj, mean, newest};
use crate::profile::Profile;
use crate::quantise::{float, floor64, whole};

const MIB: u64 = 1 << 20;

/// One card's readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Core temperature, degrees Celsius.
    pub temperature: i32,
    /// Power averaged over one second, mW; `None` without telemetry.
    pub power_mw: Option<u32>,
    /// Newest sample of the power, mW; `None` without telemetry.
    pub power_instant_mw: Option<u32>,
    /// Energy since the driver was loaded, mJ; `None` without telemetry.
    pub energy_mj: Option<u64>,
    /// Power limit in force, mW.
    pub power_limit_mw: u32,
    /// Share of the last second in which the core was busy, percent.
    pub utilization: u32,
    /// Share of time in which memory was busy, percent.
    pub memory_utilization: u32,
    /// Frame buffer, bytes.
    pub memory: MemoryReading,
    /// By fan; only the first [`Profile::fans`] count.
    pub fans: [FanReading; MAX_FANS],
    /// Performance state.
    pub pstate: u32,
    /// Graphics and SM clock, MHz.
    pub graphics_mhz: u32,
    /// Memory clock, MHz.
    pub memory_mhz: u32,
    /// Video clock, MHz.
    pub video_mhz: u32,
    /// NVML clocks event reasons.
    pub reasons: u32,
    /// Time under the software power cap, ns.
    pub capped_ns: u64,
    /// Time under a thermal slowdown, ns.
    pub thermal_ns: u64,
    /// Link generation now.
    pub pcie_gen: u32,
    /// Link width now.
    pub pcie_width: u32,
    /// Persistence mode.
    pub persistence: bool,
    /// The one process.
    pub process: Option<ProcessReading>,
    /// NVML recovery action.
    pub recovery: u32,
}

/// Frame buffer in bytes; total = reserved + used + free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct MemoryReading {
    /// Whole frame buffer.
    pub total: u64,
    /// Held by driver and firmware.
    pub reserved: u64,
    /// In use.
    pub used: u64,
    /// Free.
    pub free: u64,
}

/// One fan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FanReading {
    /// Intended speed, percent.
    pub percent: u32,
    /// Intended speed, rpm.
    pub rpm: u32,
    /// Under manual control.
    pub manual: bool,
}

/// The process that works on the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ProcessReading {
    /// Invented pid, stable for a rental.
    pub pid: u32,
    /// Its memory in bytes.
    pub memory: u64,
    /// Simulated instant at which it began, ns.
    pub since_ns: u64,
}

impl Reading {
    /// What the driver reports for `card` under `conditions`.
    #[must_use]
    pub fn of(card: &CardRecord, conditions: &CardConditions, profile: &Profile) -> Self {
        let telemetry = !conditions.no_power;
        let process = process(card, conditions);
        // A link at rest falls back to generation 1; its width stays.
        let common = profile.pcie.gpu_gen.min(profile.pcie.host_gen);
        let generation = if card.pstate == 8 { 1 } else { common };
        let most = conditions.link.unwrap_or((u32::MAX, u32::MAX));
        let temperature = conditions.pin.unwrap_or_else(|| rounded(card.die_c));
        Self {
            temperature,
            power_mw: telemetry.then(|| whole(mean(&card.power_window_mw))),
            power_instant_mw: telemetry.then(|| newest(&card.power_window_mw, card.step)),
            energy_mj: telemetry.then(|| energy_mj(card)),
            power_limit_mw: card.power_limit_mw,
            utilization: whole(mean(&card.busy_window)),
            memory_utilization: card.memory_busy,
            memory: memory(profile, process.map_or(0, |process| process.memory)),
            fans: std::array::from_fn(|fan| fan_reading(card, profile, fan)),
            pstate: card.pstate,
            graphics_mhz: card.graphics_mhz,
            memory_mhz: card.memory_mhz,
            video_mhz: card.video_mhz,
            reasons: card.reasons,
            capped_ns: card.capped_ns,
            thermal_ns: card.thermal_ns,
            pcie_gen: generation.min(most.0),
            pcie_width: profile.pcie.width.min(most.1),
            persistence: card.persistence == 1,
            process,
            recovery: conditions.recovery,
        }
    }
}

fn rounded(celsius: f64) -> i32 {
    // The model keeps temperatures above freezing but for a pinned one, which does not come here.
    i32::try_from(whole(celsius)).unwrap_or(i32::MAX)
}

fn process(card: &CardRecord, conditions: &CardConditions) -> Option<ProcessReading> {
    (card.pid != 0 && !conditions.lost).then_some(ProcessReading {
        pid: card.pid,
        memory: card.process_bytes,
        since_ns: card.process_since,
    })
}

fn memory(profile: &Profile, process: u64) -> MemoryReading {
    let total = profile.memory.total * MIB;
    let reserved = profile.memory.reserved * MIB;
    let used = profile.memory.idle_used * MIB + process;
    MemoryReading { total, reserved, used, free: total.saturating_sub(reserved + used) }
}

fn fan_reading(card: &CardRecord, profile: &Profile, fan: usize) -> FanReading {
    let percent = whole(intended_percent(card, fan));
    FanReading {
        percent,
        rpm: profile.cooling.max_rpm * percent / 100,
        manual: card.fan_manual.get(fan) == Some(&1),
    }
}

/// Data sent and received over the link, KB/s: a trickle at rest, up to 2.4 GB/s under load.
pub(crate) fn throughput(card: &CardRecord, seed: u64) -> (u32, u32) {
    let who = u64::from(card.board);
    let part = |way: u64| unit(seed, Use::Link, who, card.step * 2 + way);
    let load = mean(&card.busy_window) / 100.0;
    let kbps = |way: u64, full: f64| whole(400.0 + 200.0 * part(way) + load * full * (0.5 + part(way)));
    (kbps(0, 350_000.0), kbps(1, 1_600_000.0))
}

/// Wall time of a simulated instant, in microseconds since 1970.
#[must_use]
pub fn wall_us(config: &Config, at_ns: u64) -> u64 {
    config.wall_origin_us.saturating_add(floor64(float(at_ns) / 1000.0))
}
