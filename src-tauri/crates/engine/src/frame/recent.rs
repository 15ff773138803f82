//! The last half hour in brief, for a line on each tile.

use serde::{Deserialize, Serialize};

/// The temperatures of the last half hour, for as long as this holder has read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Recent {
    /// Time between two values, in milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub step_ms: u64,
    /// One for each card that has answered, by UUID.
    pub cards: Vec<RecentCard>,
}

/// One card's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct RecentCard {
    /// The card.
    pub uuid: String,
    /// The highest of each step in degrees Celsius, 180 values, the oldest first; the last step is still running. `null` where
    /// nothing was read.
    pub temperatures_c: Vec<Option<i32>>,
}
