//! Why a card's clocks are not higher: NVML's bit mask with names.

use serde::{Deserialize, Serialize};

/// The reasons in force at once, as NVML's bit mask (`nvmlClocksEventReasons`). Bits without a name here are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ThrottleReasons(pub u64);

/// One reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThrottleReason {
    /// Nothing runs on the card.
    Idle,
    /// Somebody set lower application clocks.
    ApplicationClocks,
    /// The power limit is reached.
    PowerCap,
    /// Hardware slow-down: too hot, or the power supply asks for it.
    HardwareSlowdown,
    /// The clocks follow those of other cards.
    SyncBoost,
    /// Software thermal slow-down: the target temperature is reached.
    SoftwareThermal,
    /// Hardware thermal slow-down.
    HardwareThermal,
    /// The power supply or a cable asks for less.
    PowerBrake,
    /// The clocks follow the display.
    DisplayClocks,
}

impl ThrottleReason {
    /// Every reason with its bit in `nvml.h`.
    pub const ALL: [(Self, u64); 9] = [
        (Self::Idle, 0x1),
        (Self::ApplicationClocks, 0x2),
        (Self::PowerCap, 0x4),
        (Self::HardwareSlowdown, 0x8),
        (Self::SyncBoost, 0x10),
        (Self::SoftwareThermal, 0x20),
        (Self::HardwareThermal, 0x40),
        (Self::PowerBrake, 0x80),
        (Self::DisplayClocks, 0x100),
    ];
}

impl ThrottleReasons {
    /// Whether `reason` is in force.
    pub fn contains(self, reason: ThrottleReason) -> bool {
        self.iter().any(|in_force| in_force == reason)
    }

    /// The reasons in force that have a name.
    pub fn iter(self) -> impl Iterator<Item = ThrottleReason> {
        ThrottleReason::ALL.into_iter().filter(move |(_, bit)| self.0 & bit != 0).map(|(reason, _)| reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_names_its_reasons_and_keeps_the_rest() {
        // 0x4 power cap, 0x40 hardware thermal, bit 40 of a later driver.
        let mask = ThrottleReasons(0x4 | 0x40 | 1 << 40);
        assert_eq!(
            mask.iter().collect::<Vec<_>>(),
            [ThrottleReason::PowerCap, ThrottleReason::HardwareThermal]
        );
        assert!(!mask.contains(ThrottleReason::Idle));
        assert_eq!(serde_json::to_string(&mask).unwrap(), (0x44_u64 + (1 << 40)).to_string());
    }
}
