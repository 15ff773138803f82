//! The rig as the engine knows it: the one thing that the holder publishes and every client gets, whole, once a sweep.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use fanfare_rig::{CardUuid, Change, Sample, Seat, Snapshot, Trouble};
use fanfare_units::Stamp;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::{api::Holder, occupancy::Occupancy, profile::Profile, settings::Section};

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
    /// How what must be remembered fares on disk.
    pub disk: Disk,
}

/// How what must be remembered fares on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Disk {
    /// Why it is not kept as it is here, if it is not.
    pub unstored: Option<Unstored>,
    /// The damaged file in whose place a new one was begun when this holder started, and what was wrong with it.
    pub set_aside: Option<String>,
    /// Sections of the settings that were found damaged when this holder started and have their defaults again.
    pub settings_reset: Vec<Section>,
    /// How the history fares, which may be lost.
    pub history: FileHealth,
    /// How the ledger fares, which may not.
    pub ledger: FileHealth,
}

/// How one more file of the data directory fares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct FileHealth {
    /// Why it is not written, if it is not.
    pub unstored: Option<Unstored>,
    /// The damaged file in whose place a new one was begun when this holder started, and what was wrong with it.
    pub set_aside: Option<String>,
}

/// Why what must be remembered is not kept, with the error's own words for a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "kind", content = "detail")]
pub enum Unstored {
    /// A newer program wrote the file. It is neither read nor changed.
    Newer(String),
    /// It cannot be written: its directory, its disk or another process is in the way.
    Refused(String),
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
            disk: Disk::default(),
        }
    }

    /// The same, of whose holder nothing was heard since then: values stay, and grow old.
    #[must_use]
    pub fn under_silent(&self, holder: &Holder, since: Timestamp) -> Self {
        Self { probe: ProbeState::HolderSilent { holder: holder.clone(), since }, ..self.clone() }
    }

    /// The same after its silent holder went: there is nobody any more to wait for or to end. `None` if its holder was not silent.
    pub(crate) fn after_silence(&self) -> Option<Self> {
        let was_silent = matches!(self.probe, ProbeState::HolderSilent { .. });
        was_silent.then(|| Self { probe: ProbeState::Starting, ..self.clone() })
    }

    /// Whether it is to be seen in place of `last`. Another holder begins without a reading; until its probe has spoken, what the
    /// last holder read stays and grows old.
    fn outdates(&self, last: &Self) -> bool {
        let is_beginning = self.snapshot.is_none() && self.probe == ProbeState::Starting;
        !is_beginning || last.snapshot.is_none()
    }

    /// Publishes it, unless it says less than what is published.
    pub(crate) fn publish(self: Arc<Self>, published: &watch::Sender<Arc<Self>>) {
        published.send_if_modified(|last| {
            let outdates = self.outdates(last);
            if outdates {
                *last = self;
            }
            outdates
        });
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
    /// The process that holds the data directory says nothing, so nobody knows how its probe does. Only a client finds this out.
    HolderSilent {
        /// That process.
        holder: Holder,
        /// When it was last heard.
        since: Timestamp,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::Kind,
        fixtures::{rig, snapshot, stamp},
    };

    #[test]
    fn a_silent_holder_changes_who_is_to_blame_alone_and_one_that_is_gone_is_to_blame_no_more() {
        let last = rig(snapshot(60_000, vec![]));
        let holder = Holder { pid: 7, kind: Kind::Serve, version: "0.1.0".into() };
        let silent = last.under_silent(&holder, stamp(61_000).wall);
        assert_eq!(silent.probe, ProbeState::HolderSilent { holder, since: stamp(61_000).wall });
        assert_eq!(RigState { probe: last.probe.clone(), ..silent.clone() }, last);
        assert_eq!(silent.after_silence(), Some(RigState { probe: ProbeState::Starting, ..last.clone() }));
        assert_eq!(last.after_silence(), None, "what it said last stays");
    }

    #[test]
    fn a_holder_that_has_not_read_yet_does_not_take_the_last_ones_reading_off_the_screen() {
        let unread = || RigState::unread(Profile::Real, Duration::from_secs(1));
        let read = || RigState { snapshot: Some(Arc::new(snapshot(60_000, vec![]))), ..unread() };
        let silent = || RigState { probe: ProbeState::Silent { since: stamp(0) }, ..unread() };
        let table = [
            (unread(), unread(), true),
            (unread(), read(), false),
            (silent(), read(), true),
            (read(), read(), true),
            (read(), unread(), true),
        ];
        for (state, last, outdates) in table {
            assert_eq!(state.outdates(&last), outdates, "{state:?} after {last:?}");
        }
    }
}
