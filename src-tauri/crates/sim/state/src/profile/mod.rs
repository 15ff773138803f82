//! What a card of a certain kind answers and how it behaves.
//!
//! A profile is constant data. Whatever no public source states for the card is marked as an assumption at
//! its line.

mod rtx4060;
mod rtx4080s;

pub use rtx4060::RTX4060X8;
pub use rtx4080s::RTX4080S;

use crate::error::StateError;

/// All profiles; the index is the number that stands in the state file.
pub const ALL: [&Profile; 2] = [&RTX4060X8, &RTX4080S];

/// A kind of card and of rig.
#[derive(Debug)]
pub struct Profile {
    /// Name on the command line.
    pub name: &'static str,
    /// Cards of the rig unless told otherwise.
    pub cards: usize,
    /// Product name as NVML gives it.
    pub card_name: &'static str,
    /// Driver release.
    pub driver: &'static str,
    /// NVML release.
    pub nvml: &'static str,
    /// CUDA version as NVML gives it: major × 1000 + minor × 10.
    pub cuda: i32,
    /// Compute capability.
    pub compute: (i32, i32),
    /// CUDA cores.
    pub cores: u32,
    /// PCI device id, device in the high half.
    pub device_id: u32,
    /// PCI subsystem id.
    pub subsystem_id: u32,
    /// VBIOS version.
    pub vbios: &'static str,
    /// Fans; at most [`crate::layout::MAX_FANS`].
    pub fans: u32,
    /// Frame buffer.
    pub memory: Memory,
    /// Board power.
    pub power: Power,
    /// Temperature thresholds, in degrees Celsius.
    pub thresholds: Thresholds,
    /// Clocks in the three states that matter.
    pub clocks: Clocks,
    /// The link.
    pub pcie: Pcie,
    /// Cooling.
    pub cooling: Cooling,
}

/// Frame buffer sizes, in MiB unless said otherwise.
#[derive(Debug)]
pub struct Memory {
    /// Whole frame buffer.
    pub total: u64,
    /// Held by driver and firmware.
    pub reserved: u64,
    /// In use with no renter on the card (a desktop's share).
    pub idle_used: u64,
    /// BAR1 aperture.
    pub bar1: u64,
    /// Bus width in bits.
    pub bus_width: u32,
    /// Share of the time in which memory is busy at idle, in percent.
    pub idle_busy: u32,
}

/// Board power, limits in milliwatts, model in watts.
#[derive(Debug)]
pub struct Power {
    /// Smallest settable limit.
    pub min_mw: u32,
    /// Limit at load of the driver.
    pub default_mw: u32,
    /// Largest settable limit.
    pub max_mw: u32,
    /// Draw in P8.
    pub idle_w: f64,
    /// Draw in P2 with next to no work.
    pub active_w: f64,
    /// Draw at full work if nothing capped it.
    pub peak_w: f64,
}

/// Thresholds of the core temperature.
#[derive(Debug)]
pub struct Thresholds {
    /// The card switches itself off.
    pub shutdown: u32,
    /// Hardware slowdown.
    pub slowdown: u32,
    /// Greatest permitted for work.
    pub max_operating: u32,
    /// What the driver regulates to (software slowdown).
    pub target: u32,
}

/// One set of clocks, in MHz.
#[derive(Debug, Clone, Copy)]
pub struct ClockSet {
    /// Graphics and SM.
    pub graphics: u32,
    /// Memory.
    pub memory: u32,
    /// Video engines.
    pub video: u32,
}

/// Clocks in P8, in P2 uncapped, and the greatest.
#[derive(Debug)]
pub struct Clocks {
    /// P8.
    pub idle: ClockSet,
    /// P2, uncapped.
    pub load: ClockSet,
    /// Greatest.
    pub max: ClockSet,
}

/// The PCI Express link.
#[derive(Debug)]
pub struct Pcie {
    /// Greatest generation of the card.
    pub gpu_gen: u32,
    /// Greatest generation of the host.
    pub host_gen: u32,
    /// Lanes.
    pub width: u32,
}

/// How the card sheds heat and drives its fans.
#[derive(Debug)]
pub struct Cooling {
    /// Heat capacity of heatsink and board, J/K.
    pub capacity: f64,
    /// Core above heatsink, K/W.
    pub die: f64,
    /// Conductance with fans at rest, W/K.
    pub still: f64,
    /// Further conductance at full air flow, W/K.
    pub flow: f64,
    /// Automatic fans start to turn at this temperature.
    pub start_c: f64,
    /// Automatic fans stop below this temperature.
    pub stop_c: f64,
    /// Automatic fans reach 100 % at this temperature.
    pub full_c: f64,
    /// Least speed of a turning fan and least settable, in percent.
    pub min_percent: u32,
    /// Speed at 100 %, in rpm.
    pub max_rpm: u32,
}

/// The profile of that name.
///
/// # Errors
/// [`StateError::UnknownProfile`], naming the ones that exist.
pub fn by_name(name: &str) -> Result<&'static Profile, StateError> {
    ALL.into_iter().find(|profile| profile.name == name).ok_or_else(|| StateError::UnknownProfile {
        name: name.to_owned(),
        known: ALL.map(|profile| profile.name).join(", "),
    })
}

/// The profile with that number; a number out of a damaged file gives the first.
#[must_use]
pub fn by_number(number: u32) -> &'static Profile {
    usize::try_from(number).ok().and_then(|index| ALL.get(index).copied()).unwrap_or(&RTX4060X8)
}

/// The number of a profile.
#[must_use]
pub fn number_of(profile: &Profile) -> u32 {
    crate::quantise::small(ALL.iter().position(|known| known.name == profile.name).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_found_by_name_and_number() {
        assert_eq!(by_name("rtx4080s").map(|p| p.card_name).ok(), Some("NVIDIA GeForce RTX 4080 SUPER"));
        for profile in ALL {
            assert_eq!(by_number(number_of(profile)).name, profile.name);
        }
        let error = by_name("rtx5090").map(|p| p.name).unwrap_err();
        assert_eq!(error.to_string(), "no profile `rtx5090` (there are: rtx4060x8, rtx4080s)");
    }

    #[test]
    fn every_profile_fits_the_layout_and_its_own_limits() {
        for p in ALL {
            assert!(p.fans as usize <= crate::layout::MAX_FANS);
            assert!(p.power.min_mw <= p.power.default_mw && p.power.default_mw <= p.power.max_mw);
            assert!(p.power.idle_w < p.power.active_w && p.power.active_w < p.power.peak_w);
            assert!(p.cooling.stop_c < p.cooling.start_c && p.cooling.start_c < p.cooling.full_c);
            assert!(p.memory.reserved + p.memory.idle_used < p.memory.total);
        }
    }
}
