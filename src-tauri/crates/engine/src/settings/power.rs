//! What the rig draws besides its cards, and what is lost in its power supply.
//!
//! Rig watts at the wall are (cards + base) / efficiency. Base and efficiency are guesses until the owner says better; 60 to 150 W and
//! 85 to 92 % are usual. A meter at the wall knows better than either setting: its reading, with what the cards drew at that
//! moment, gives the base.

use std::ops::RangeInclusive;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::BadSetting;

/// The most that the rig itself may draw, in mW.
const BASE_MOST_MW: u32 = 2_000_000;
/// What a power supply may give of what it takes, in %.
const PSU_PERCENT: RangeInclusive<u8> = 50..=100;
/// What the power supply is guessed to give of what it takes, in %.
const GUESSED_PSU_PERCENT: u8 = 90;
/// What the rig itself is guessed to draw, in mW.
const GUESSED_BASE_MW: u32 = 100_000;

/// What the rig draws besides its cards. What is not set is a guess, and figures made with it say so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(default)]
pub struct PowerSettings {
    /// Board, processor, fans and disks, in mW behind the power supply, up to 2 kW; none for a guess of 100 W.
    pub base_mw: Option<u32>,
    /// What the power supply gives of what it takes, in %, 50 to 100; none for a guess of 90 %.
    pub psu_percent: Option<u8>,
    /// A meter's reading, from which the base is taken in place of the setting.
    pub meter: Option<MeterReading>,
}

/// What a meter showed at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct MeterReading {
    /// When it was read.
    #[cfg_attr(test, ts(type = "string"))]
    pub at: Timestamp,
    /// The rig's power at the wall, in mW.
    pub wall_mw: u32,
    /// What all cards together drew then by their drivers, in mW.
    pub cards_mw: u32,
}

impl PowerSettings {
    pub(crate) fn check(&self) -> Result<(), BadSetting> {
        if let Some(base_mw) = self.base_mw.filter(|base_mw| *base_mw > BASE_MOST_MW) {
            return Err(BadSetting::Base(base_mw));
        }
        if let Some(percent) = self.psu_percent.filter(|percent| !PSU_PERCENT.contains(percent)) {
            return Err(BadSetting::Psu(percent));
        }
        match &self.meter {
            Some(meter) if self.metered_base_mw().is_none() => {
                Err(BadSetting::Meter { wall_mw: meter.wall_mw, cards_mw: meter.cards_mw })
            }
            _ => Ok(()),
        }
    }

    /// What the power supply gives of what it takes, in %.
    pub fn efficiency_percent(&self) -> u8 {
        self.psu_percent.unwrap_or(GUESSED_PSU_PERCENT)
    }

    /// What the rig itself draws by the meter, in mW: what the power supply gave, less what the cards took.
    fn metered_base_mw(&self) -> Option<u32> {
        let meter = self.meter.as_ref()?;
        let given_mw = u64::from(meter.wall_mw) * u64::from(self.efficiency_percent()) / 100;
        let base_mw = given_mw.checked_sub(meter.cards_mw.into())?;
        u32::try_from(base_mw).ok().filter(|base_mw| *base_mw <= BASE_MOST_MW)
    }

    /// What the rig itself draws, in mW, by the best that is known.
    pub fn base_mw(&self) -> u32 {
        self.metered_base_mw().or(self.base_mw).unwrap_or(GUESSED_BASE_MW)
    }

    /// Whether the base or the efficiency are guesses.
    pub fn is_guess(&self) -> bool {
        self.psu_percent.is_none() || (self.base_mw.is_none() && self.meter.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(wall_mw: u32, cards_mw: u32) -> Option<MeterReading> {
        Some(MeterReading { at: Timestamp::UNIX_EPOCH, wall_mw, cards_mw })
    }

    #[test]
    fn a_meter_outranks_the_setting_and_a_setting_the_guess() {
        let none = PowerSettings::default();
        assert_eq!((none.base_mw(), none.efficiency_percent(), none.is_guess()), (100_000, 90, true));
        let set = PowerSettings { base_mw: Some(80_000), psu_percent: Some(80), meter: None };
        assert_eq!((set.base_mw(), set.efficiency_percent(), set.is_guess()), (80_000, 80, false));
        // 1,200 W at the wall are 960 W behind a supply of 80 %; the cards draw 840 W of them.
        let metered = PowerSettings { meter: meter(1_200_000, 840_000), ..set };
        assert_eq!((metered.base_mw(), metered.is_guess(), metered.check()), (120_000, false, Ok(())));
        assert!(PowerSettings { psu_percent: None, ..metered }.is_guess(), "its efficiency is");
    }

    #[test]
    fn what_no_rig_can_draw_is_refused() {
        for (settings, bad) in [
            (
                PowerSettings { base_mw: Some(2_000_001), ..PowerSettings::default() },
                BadSetting::Base(2_000_001),
            ),
            (PowerSettings { psu_percent: Some(49), ..PowerSettings::default() }, BadSetting::Psu(49)),
            (PowerSettings { psu_percent: Some(101), ..PowerSettings::default() }, BadSetting::Psu(101)),
            // 900 W of 1,000 W come out of the supply; the cards cannot draw 901 W.
            (
                PowerSettings { meter: meter(1_000_000, 900_001), ..PowerSettings::default() },
                BadSetting::Meter { wall_mw: 1_000_000, cards_mw: 900_001 },
            ),
        ] {
            assert_eq!(settings.check(), Err(bad));
        }
        assert_eq!(PowerSettings { base_mw: Some(0), psu_percent: Some(100), meter: None }.check(), Ok(()));
    }
}
