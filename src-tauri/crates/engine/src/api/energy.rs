//! What is asked of the energy account: totals of a stretch of time, and the hours of the week.
//!
//! Energy is in millijoules (3.6 × 10⁹ are a kilowatt-hour) and time in milliseconds, both whole, so that parts equal their sum; both
//! are within JavaScript's exact integers. What is not known is not in any energy: its time is `unknown_ms`.

use fanfare_rig::CardUuid;
use serde::{Deserialize, Serialize};

/// The energy of each card between two moments, in whole hours of UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct EnergyReport {
    /// Each card of which anything is known then, in slot order.
    pub cards: Vec<CardEnergy>,
}

/// A card's energy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct CardEnergy {
    /// The card.
    #[cfg_attr(test, ts(type = "string"))]
    pub uuid: CardUuid,
    /// By the card's own counter.
    pub counted: Share,
    /// By samples of its power.
    pub measured: Share,
    /// By its load and power limit, where it tells neither: a guess.
    pub estimated: Share,
    /// Time of which nothing is known.
    #[cfg_attr(test, ts(type = "number"))]
    pub unknown_ms: u64,
    /// While it did nothing.
    pub idle: Share,
    /// While it worked.
    pub load: Share,
    /// While it was rented.
    pub rented: Share,
    /// While it was known not to be rented.
    pub free: Share,
    /// While it did nothing and was known not to be rented.
    pub vacant: Share,
    /// What it took at the wall, its share of the rig's own power included; none if nothing is known of any hour.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub wall_mj: Option<u64>,
    /// Whether the rig's own power or the power supply's efficiency in that are guesses.
    pub wall_is_guess: bool,
    /// Whether some of it lies in hours that are not closed yet and may still change.
    pub is_open: bool,
}

/// Some time, and the energy in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Share {
    /// Milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub ms: u64,
    /// Millijoules.
    #[cfg_attr(test, ts(type = "number"))]
    pub mj: u64,
}

/// What cards did by the hour of the week, in the owner's zone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct WeekReport {
    /// The zone whose hours these are.
    pub zone: String,
    /// Each card of which anything is known then, in slot order.
    pub cards: Vec<CardWeek>,
}

/// A card's week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct CardWeek {
    /// The card.
    #[cfg_attr(test, ts(type = "string"))]
    pub uuid: CardUuid,
    /// 168 hours, Monday 0:00 first.
    pub hours: Vec<WeekHour>,
}

/// One hour of the week, over all weeks that were asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct WeekHour {
    /// While it did nothing.
    pub idle: Share,
    /// While it worked.
    pub load: Share,
    /// While it was rented.
    pub rented: Share,
    /// While it was known not to be rented.
    pub free: Share,
}
