//! What electricity costs: one price, or up to five named prices by season and time of day.
//!
//! Chinese industrial tariffs have up to five prices (尖 sharp, 峰 peak, 平 flat, 谷 valley, 深谷 deep valley) whose hours change with
//! the season and the province; others have one or two. No table of a supplier is built in: the owner types the one on the bill
//! ([`TariffPlan`]), and [`Tariff::new`] checks it.
//!
//! Seasons and segments have only a begin and hold until the next one begins, the last one on into the next year or day. So no table
//! can have a gap or an overlap, and a segment over midnight is nothing special. Which one holds is decided by the clock of the
//! tariff's own zone, wherever the owner is; an hour that occurs twice is priced twice, and one that is skipped costs nothing.

mod check;
mod price;

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::Currency;

pub use check::TariffError;
pub use price::{Price, Tariff};

/// A tariff as its owner types it; [`Tariff::new`] says whether it can serve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "./"))]
pub struct TariffPlan {
    /// In which it is paid: ISO 4217 code.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub currency: Currency,
    /// The zone by whose clock it goes: IANA name.
    pub zone: String,
    /// The first day on which it holds.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub valid_from: Date,
    /// The first day on which it holds no more; none where no end is known.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub valid_to: Option<Date>,
    /// What a kilowatt-hour costs.
    pub rate: Rate,
    /// What a landlord or a meter adds to every kilowatt-hour.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub surcharge_per_kwh: Decimal,
    /// What is paid each month whatever is drawn.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub monthly_fee: Decimal,
}

/// What a kilowatt-hour costs, surcharge apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Rate {
    /// The same at any time.
    Single {
        /// A kilowatt-hour's price.
        #[cfg_attr(feature = "typescript", ts(type = "string"))]
        per_kwh: Decimal,
    },
    /// By season and time of day.
    TimeOfUse {
        /// The named prices.
        prices: Prices,
        /// The seasons, 1 to 12, in any order.
        seasons: Vec<Season>,
    },
}

/// The price of a kilowatt-hour in each period that the tariff has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(default)]
pub struct Prices {
    /// 尖.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub sharp: Option<Decimal>,
    /// 峰.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub peak: Option<Decimal>,
    /// 平.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub flat: Option<Decimal>,
    /// 谷.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub valley: Option<Decimal>,
    /// 深谷.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub deep_valley: Option<Decimal>,
}

/// A named price, dearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// 尖.
    Sharp,
    /// 峰.
    Peak,
    /// 平.
    Flat,
    /// 谷.
    Valley,
    /// 深谷.
    DeepValley,
}

impl Period {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sharp, Self::Peak, Self::Flat, Self::Valley, Self::DeepValley];
}

impl Prices {
    /// The price of a period, where the tariff has it.
    pub const fn of(&self, period: Period) -> Option<Decimal> {
        match period {
            Period::Sharp => self.sharp,
            Period::Peak => self.peak,
            Period::Flat => self.flat,
            Period::Valley => self.valley,
            Period::DeepValley => self.deep_valley,
        }
    }
}

/// A part of the year; it holds until the next season begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Season {
    /// The month in which it begins, 1 to 12.
    pub month: u8,
    /// The day of that month on which it begins. The 29th of February begins on the 1st of March in other years.
    pub day: u8,
    /// The segments of each of its days, 1 to 48, in any order.
    pub segments: Vec<Segment>,
}

/// A part of the day; it holds until the next segment begins, the last one over midnight until the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Segment {
    /// The hour at which it begins, 0 to 23.
    pub hour: u8,
    /// The minute of that hour.
    pub minute: u8,
    /// Its price.
    pub period: Period,
}

#[cfg(test)]
mod tests;
