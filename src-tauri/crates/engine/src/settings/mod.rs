//! What the owner chose, by section, with defaults that serve a rig nobody has set up.
//!
//! In `state.db` each section is one row of JSON with its own version, so that a section can be reset, or found damaged, alone.

mod check;
mod power;

pub use check::BadSetting;
pub use power::{MeterReading, PowerSettings};

use fanfare_units::TariffPlan;
use serde::{Deserialize, Serialize};

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Settings {
    /// What the window looks like.
    pub appearance: Appearance,
    /// How the rig is read.
    pub reading: ReadingSettings,
    /// Money's currency and the day it is counted by.
    pub money: MoneySettings,
    /// How long the history is kept.
    pub history: HistorySettings,
    /// What the rig itself draws.
    pub power: PowerSettings,
}

/// A change of settings: the sections that change, whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./", optional_fields))]
pub struct SettingsPatch {
    /// What the window looks like.
    pub appearance: Option<Appearance>,
    /// How the rig is read.
    pub reading: Option<ReadingSettings>,
    /// Money's currency and the day it is counted by.
    pub money: Option<MoneySettings>,
    /// How long the history is kept.
    pub history: Option<HistorySettings>,
    /// What the rig itself draws.
    pub power: Option<PowerSettings>,
}

/// A section, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// [`Settings::appearance`].
    Appearance,
    /// [`Settings::reading`].
    Reading,
    /// [`Settings::money`].
    Money,
    /// [`Settings::history`].
    History,
    /// [`Settings::power`].
    Power,
}

impl Section {
    /// Its name, in `state.db` and on the bridge.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Appearance => "appearance",
            Self::Reading => "reading",
            Self::Money => "money",
            Self::History => "history",
            Self::Power => "power",
        }
    }
}

/// What the window looks like.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(default)]
pub struct Appearance {
    /// The language of the screen.
    pub language: Language,
    /// Dark or light.
    pub theme: Theme,
    /// Whether the window draws without the graphics card, for drivers on which it would freeze. Counts from the next start.
    pub safe_rendering: bool,
}

/// The language of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// That of the system, English where it is none of these.
    #[default]
    System,
    /// English.
    En,
    /// Simplified Chinese.
    ZhCn,
}

/// Dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// How the rig is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(default)]
pub struct ReadingSettings {
    /// A driver library in place of the system's; counts from the next start of the engine.
    pub nvml_library: Option<String>,
}

/// Money's currency, the day it is counted by, and what power costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(default)]
pub struct MoneySettings {
    /// ISO 4217 code.
    pub currency: String,
    /// IANA zone by which a day is cut, such as `Asia/Shanghai`.
    pub zone: String,
    /// The hour of that zone at which a day begins, 0 to 23.
    pub day_begins: u8,
    /// What electricity costs now; none until the owner says it. What it cost before stands with the money that was counted by it.
    pub tariff: Option<Box<TariffPlan>>,
}

impl Default for MoneySettings {
    /// What platforms pay in, and the day they count by.
    fn default() -> Self {
        Self { currency: "USD".into(), zone: "UTC".into(), day_begins: 0, tariff: None }
    }
}

/// How long the history is kept. Hours are kept for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(default)]
pub struct HistorySettings {
    /// Every sample, in days, 1 to 60.
    pub raw_days: u16,
    /// Least, mean and greatest of each minute, in days, 30 to 3,660.
    pub minute_days: u16,
}

impl Default for HistorySettings {
    /// A week and a day of samples, a year and a month of minutes.
    fn default() -> Self {
        Self { raw_days: 8, minute_days: 400 }
    }
}
