//! A card's answer to one sweep, or that there was none.

use fanfare_units::Stamp;
use serde::{Deserialize, Serialize};

use crate::sample::Sample;

/// A card's answer to one sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It answered within the deadline.
    Sample(Box<Sample>),
    /// It did not; the read that is still out began at `since`.
    Silent {
        /// When that read began.
        since: Stamp,
    },
}
