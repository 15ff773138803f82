//! The rig as a person or a test sees it: identities and readings in one place, ready for JSON.

use serde::Serialize;

use crate::clock::Clock;
use crate::conditions::CardConditions;
use crate::error::StateError;
use crate::identity::{bus_id, uuid};
use crate::layout::MAX_CARDS;
use crate::reading::{FanReading, MemoryReading, ProcessReading, Reading};
use crate::world::World;

/// One card with everything the library would tell of it now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CardView {
    /// Slot, from 0.
    pub slot: usize,
    /// Place in the driver's enumeration.
    pub index: usize,
    /// Number of the board, from 0; a swapped-in one gets a new number.
    pub board: u32,
    /// UUID as NVML gives it.
    pub uuid: String,
    /// Bus address as NVML gives it.
    pub bus_id: String,
    /// Product name.
    pub name: &'static str,
    /// Fallen off the bus: every call about it fails with GPU_IS_LOST.
    pub lost: bool,
    /// Core temperature, degrees Celsius.
    pub temperature: i32,
    /// Power averaged over one second, mW; null without telemetry.
    pub power_mw: Option<u32>,
    /// Newest power sample, mW; null without telemetry.
    pub power_instant_mw: Option<u32>,
    /// Power limit, mW.
    pub power_limit_mw: u32,
    /// Energy since the driver was loaded, mJ; null without telemetry.
    pub energy_mj: Option<u64>,
    /// Core utilisation, percent.
    pub utilization: u32,
    /// Memory utilisation, percent.
    pub memory_utilization: u32,
    /// Frame buffer, bytes.
    pub memory: MemoryReading,
    /// Fans.
    pub fans: Vec<FanReading>,
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
    /// Link generation now.
    pub pcie_gen: u32,
    /// Link width now.
    pub pcie_width: u32,
    /// Persistence mode.
    pub persistence: bool,
    /// Compute processes.
    pub processes: Vec<ProcessReading>,
    /// NVML recovery action.
    pub recovery: u32,
}

/// The whole rig.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RigView {
    /// Profile.
    pub profile: &'static str,
    /// Driver release.
    pub driver: &'static str,
    /// Simulated time, ns.
    pub now_ns: u64,
    /// How the clock moves.
    pub clock: Clock,
    /// Speed of a real clock.
    pub speed: Option<f64>,
    /// Anyone may write.
    pub writes_anyone: bool,
    /// Library and kernel module differ.
    pub mismatch: bool,
    /// Room temperature, degrees Celsius.
    pub ambient_c: f64,
    /// CPU time per call, µs.
    pub call_cost_us: u32,
    /// Cards in the order of enumeration, lost ones included.
    pub cards: Vec<CardView>,
}

impl World {
    /// The card in `slot` as of now; `None` for an empty slot.
    ///
    /// # Errors
    /// The lock's errors.
    pub fn card(&self, slot: usize) -> Result<Option<CardView>, StateError> {
        if slot >= MAX_CARDS {
            return Ok(None);
        }
        let mut session = self.session_at(slot)?;
        let (Some(conditions), Some(reading)) = (session.card_conditions(slot), session.reading(slot)) else {
            return Ok(None);
        };
        let index = session.conditions().enumeration.iter().position(|s| *s == slot).unwrap_or(slot);
        Ok(Some(self.card_view(slot, index, &conditions, &reading)))
    }

    /// All cards in the order of enumeration, lost ones included.
    ///
    /// # Errors
    /// The lock's errors.
    pub fn cards(&self) -> Result<Vec<CardView>, StateError> {
        let slots = self.session()?.conditions().enumeration.clone();
        slots.into_iter().filter_map(|slot| self.card(slot).transpose()).collect()
    }

    /// The whole rig as of now.
    ///
    /// # Errors
    /// The lock's errors.
    pub fn view(&self) -> Result<RigView, StateError> {
        let cards = self.cards()?;
        let mut session = self.session()?;
        let now_ns = session.now();
        let conditions = session.conditions();
        Ok(RigView {
            profile: self.profile().name,
            driver: self.profile().driver,
            now_ns,
            clock: if self.speed().is_some() { Clock::Real } else { Clock::Manual },
            speed: self.speed(),
            writes_anyone: conditions.writes_anyone,
            mismatch: conditions.mismatch,
            ambient_c: conditions.ambient_c,
            call_cost_us: conditions.call_cost_us,
            cards,
        })
    }

    fn card_view(
        &self,
        slot: usize,
        index: usize,
        conditions: &CardConditions,
        reading: &Reading,
    ) -> CardView {
        let board = conditions.board.unwrap_or_default();
        CardView {
            slot,
            index,
            board,
            uuid: uuid(self.config().seed, board),
            bus_id: bus_id(slot),
            name: self.profile().card_name,
            lost: conditions.lost,
            temperature: reading.temperature,
            power_mw: reading.power_mw,
            power_instant_mw: reading.power_instant_mw,
            power_limit_mw: reading.power_limit_mw,
            energy_mj: reading.energy_mj,
            utilization: reading.utilization,
            memory_utilization: reading.memory_utilization,
            memory: reading.memory,
            fans: reading.fans.into_iter().take(self.profile().fans as usize).collect(),
            pstate: reading.pstate,
            graphics_mhz: reading.graphics_mhz,
            memory_mhz: reading.memory_mhz,
            video_mhz: reading.video_mhz,
            reasons: reading.reasons,
            pcie_gen: reading.pcie_gen,
            pcie_width: reading.pcie_width,
            persistence: reading.persistence,
            processes: reading.process.into_iter().collect(),
            recovery: reading.recovery,
        }
    }
}
