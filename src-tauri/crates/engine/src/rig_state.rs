//! The rig as the engine knows it: the one thing that the holder publishes and every client gets, whole, once a sweep.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use fanfare_rig::{CardUuid, Change, Sample, Seat, Snapshot, Trouble};
use fanfare_units::Stamp;
use serde::{Deserialize, Serialize};

use crate::{occupancy::Occupancy, profile::Profile};

/// A rig is stale when its last sweep is older than this many intervals.
pub const STALE_AFTER: u32 = 3;

/// The rig at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RigState {
    /// Counts what this holder published, from 1.
    pub number: u64,
    /// Whose rig it is.
    pub profile: Profile,
    /// Time between two sweeps.
    pub interval: Duration,
    /// How the reading goes.
    pub probe: ProbeState,
    /// The last sweep, however old; `None` before the first.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The expected cards in slot order, as of the last sweep; while the driver cannot be read, every remembered card as missing.
    pub seats: Vec<Seat>,
    /// What the last sweep changed in the inventory.
    pub changes: Vec<Change>,
    /// The last answer of each card that has ever answered this holder, for a card that is silent now.
    pub last: BTreeMap<CardUuid, Arc<Sample>>,
    /// What each card is used for.
    pub occupancy: BTreeMap<CardUuid, Occupancy>,
    /// What could not be kept on disk, and why, in the words of the error.
    pub unstored: Option<String>,
}

impl RigState {
    /// The state of a rig of which nothing was heard yet.
    pub fn unread(profile: Profile, interval: Duration) -> Self {
        Self {
            number: 0,
            profile,
            interval,
            probe: ProbeState::Starting,
            snapshot: None,
            seats: Vec::new(),
            changes: Vec::new(),
            last: BTreeMap::new(),
            occupancy: BTreeMap::new(),
            unstored: None,
        }
    }
}

/// How the reading of the rig goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ProbeState {
    /// A probe was started and has not spoken yet.
    Starting,
    /// Sweeps come.
    Reading,
    /// The probe runs and has said nothing since.
    Silent {
        /// The last sweep, or the start of the probe.
        since: Stamp,
    },
    /// Every card has been stuck for so long that the probe is being ended; no other starts before it is gone.
    Stuck {
        /// When the first of the calls that do not return began.
        since: Stamp,
    },
    /// The driver cannot be read. A new probe is tried now and then: the owner may mend it while the program runs.
    Trouble {
        /// Why.
        trouble: Trouble,
    },
    /// The probe itself failed; another is started after a pause.
    Failed {
        /// How.
        failure: ProbeFailure,
        /// The error's own words, for a report.
        detail: String,
    },
}

/// How a probe failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeFailure {
    /// Its executable is not installed.
    Absent,
    /// It could not be started.
    Start,
    /// It ended by itself, or what it said could not be read.
    Crashed,
    /// It is of another version than this program.
    Version,
}
