//! What a setting may be: checked where it comes in, so that whoever reads settings later meets none that cannot serve.

use std::{ops::RangeInclusive, path::Path};

use fanfare_units::{Currency, CurrencyError, DayCut, DayCutError, Tariff, TariffError};

use super::{HistorySettings, MoneySettings, PowerSettings, ReadingSettings, SettingsPatch};
use crate::api::{ApiError, ErrorCode};

/// Longest path that Linux takes (`PATH_MAX`).
const LONGEST_PATH: usize = 4_096;
/// For how many days samples may be kept: two months are some gigabyte of a rig of eight cards.
const RAW_DAYS: RangeInclusive<u16> = 1..=60;
/// For how many days minutes may be kept.
const MINUTE_DAYS: RangeInclusive<u16> = 30..=3_660;

/// A setting's value that cannot serve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// The currency.
    #[error(transparent)]
    Currency(#[from] CurrencyError),
    /// The zone, or the hour at which a day begins.
    #[error(transparent)]
    DayCut(#[from] DayCutError),
    /// What electricity costs.
    #[error(transparent)]
    Tariff(#[from] TariffError),
    /// The driver library: a relative path would mean another file in each program's folder.
    #[error("{0:?} is no absolute path of a file")]
    Library(String),
    /// How long samples are kept.
    #[error("samples are kept for 1 to 60 days, not {0}")]
    RawDays(u16),
    /// How long minutes are kept.
    #[error("minutes are kept for 30 to 3660 days, not {0}")]
    MinuteDays(u16),
    /// What the rig itself draws.
    #[error("the rig itself draws up to 2 kW, not {0} mW")]
    Base(u32),
    /// What the power supply gives.
    #[error("a power supply gives 50 to 100 % of what it takes, not {0} %")]
    Psu(u8),
    /// What the meter showed: less than the cards drew, or more than is left for a rig.
    #[error("a meter that shows {wall_mw} mW while the cards draw {cards_mw} mW leaves no likely base")]
    Meter {
        /// At the wall.
        wall_mw: u32,
        /// By the cards.
        cards_mw: u32,
    },
}

impl BadSetting {
    /// The setting, as `section.field`.
    pub const fn field(&self) -> &'static str {
        match self {
            Self::Currency(_) => "money.currency",
            Self::DayCut(DayCutError::Hour(_)) => "money.day_begins",
            Self::DayCut(DayCutError::Zone(_) | DayCutError::Unbounded(_)) => "money.zone",
            Self::Tariff(_) => "money.tariff",
            Self::Library(_) => "reading.nvml_library",
            Self::RawDays(_) => "history.raw_days",
            Self::MinuteDays(_) => "history.minute_days",
            Self::Base(_) => "power.base_mw",
            Self::Psu(_) => "power.psu_percent",
            Self::Meter { .. } => "power.meter",
        }
    }
}

impl From<BadSetting> for ApiError {
    fn from(bad: BadSetting) -> Self {
        Self {
            code: ErrorCode::BadSetting,
            message: format!("{}: {bad}", bad.field()),
            detail: Some(bad.field().to_owned()),
        }
    }
}

impl SettingsPatch {
    /// Whether every section of the patch can serve.
    ///
    /// # Errors
    /// The first setting that cannot.
    pub fn check(&self) -> Result<(), BadSetting> {
        self.reading.as_ref().map_or(Ok(()), ReadingSettings::check)?;
        self.money.as_ref().map_or(Ok(()), MoneySettings::check)?;
        self.history.as_ref().map_or(Ok(()), HistorySettings::check)?;
        self.power.as_ref().map_or(Ok(()), PowerSettings::check)
    }
}

impl ReadingSettings {
    pub(crate) fn check(&self) -> Result<(), BadSetting> {
        let Some(path) = &self.nvml_library else { return Ok(()) };
        let usable = Path::new(path).is_absolute()
            && Path::new(path).file_name().is_some()
            && path.len() < LONGEST_PATH
            && !path.contains('\0');
        if usable { Ok(()) } else { Err(BadSetting::Library(path.chars().take(256).collect())) }
    }
}

impl HistorySettings {
    /// The longest for which all of it can be kept.
    pub(crate) const LONGEST: Self = Self { raw_days: *RAW_DAYS.end(), minute_days: *MINUTE_DAYS.end() };

    pub(crate) fn check(&self) -> Result<(), BadSetting> {
        if !RAW_DAYS.contains(&self.raw_days) {
            return Err(BadSetting::RawDays(self.raw_days));
        }
        if !MINUTE_DAYS.contains(&self.minute_days) {
            return Err(BadSetting::MinuteDays(self.minute_days));
        }
        Ok(())
    }
}

impl MoneySettings {
    pub(crate) fn check(&self) -> Result<(), BadSetting> {
        self.currency()?;
        self.day_cut()?;
        self.tariff()?;
        Ok(())
    }

    /// The currency in which totals are shown.
    ///
    /// # Errors
    /// It is none that is known; never so for settings that came from the store.
    pub fn currency(&self) -> Result<Currency, CurrencyError> {
        self.currency.parse()
    }

    /// Where a day ends.
    ///
    /// # Errors
    /// There is no such zone or hour; never so for settings that came from the store.
    pub fn day_cut(&self) -> Result<DayCut, DayCutError> {
        DayCut::new(&self.zone, self.day_begins)
    }

    /// What electricity costs, where the owner said it.
    ///
    /// # Errors
    /// The tariff cannot serve; never so for settings that came from the store.
    pub fn tariff(&self) -> Result<Option<Tariff>, TariffError> {
        self.tariff.as_deref().cloned().map(Tariff::new).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(currency: &str, zone: &str, day_begins: u8) -> SettingsPatch {
        let money = MoneySettings { currency: currency.into(), zone: zone.into(), day_begins, tariff: None };
        SettingsPatch { money: Some(money), ..SettingsPatch::default() }
    }

    /// A single price, in yuan.
    fn tariff(per_kwh: &str) -> SettingsPatch {
        let plan = serde_json::json!({
            "currency": "CNY", "zone": "Asia/Shanghai", "valid_from": "2026-01-01", "valid_to": null,
            "rate": {"kind": "single", "per_kwh": per_kwh}, "surcharge_per_kwh": "0.16", "monthly_fee": "0",
        });
        let money =
            MoneySettings { tariff: serde_json::from_value(plan).unwrap(), ..MoneySettings::default() };
        SettingsPatch { money: Some(money), ..SettingsPatch::default() }
    }

    fn library(path: &str) -> SettingsPatch {
        let reading = ReadingSettings { nvml_library: Some(path.into()) };
        SettingsPatch { reading: Some(reading), ..SettingsPatch::default() }
    }

    #[test]
    fn a_value_out_of_its_range_is_refused_by_name() {
        let long = format!("/{}", "x".repeat(4_096));
        let table = [
            (SettingsPatch::default(), None),
            (money("CNY", "Asia/Shanghai", 23), None),
            (money("USD", "UTC", 0), None),
            (money("RMB", "Asia/Shanghai", 0), Some("money.currency")),
            (money("", "Asia/Shanghai", 0), Some("money.currency")),
            (money("CNY", "Asia/Nowhere", 0), Some("money.zone")),
            (money("CNY", "EST", 0), Some("money.zone")),
            (money("CNY", "Asia/Shanghai", 24), Some("money.day_begins")),
            (tariff("0.6359"), None),
            (tariff("-0.6359"), Some("money.tariff")),
            (library("/usr/lib/libnvidia-ml.so.1"), None),
            (library("libnvidia-ml.so.1"), Some("reading.nvml_library")),
            (library("~/libnvidia-ml.so.1"), Some("reading.nvml_library")),
            (library(""), Some("reading.nvml_library")),
            (library("/"), Some("reading.nvml_library")),
            (library("/lib\0nvidia"), Some("reading.nvml_library")),
            (library(&long), Some("reading.nvml_library")),
        ];
        for (patch, field) in table {
            let refused = patch.check().err().map(ApiError::from);
            assert_eq!(refused.as_ref().and_then(|error| error.detail.as_deref()), field, "{patch:?}");
            assert!(refused.is_none_or(|error| error.code == ErrorCode::BadSetting));
        }
    }
}
