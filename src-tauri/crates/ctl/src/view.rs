//! One look at the rig, as the table, the JSON and the report show it.

use std::{collections::BTreeMap, sync::Arc};

use fanfare_engine::{Disk, Occupancy, ProbeState, RigState, profile::Profile};
use fanfare_rig::{CardUuid, Change, Roster, Seat, Snapshot, Trouble};
use fanfare_units::Stamp;

/// One look at the rig: a sweep, and the expected cards by it; or the remembered cards of a rig that cannot be read.
#[derive(Debug, Clone)]
pub(crate) struct RigView {
    /// What was read; empty, and numbered 0, where nothing could be.
    pub(crate) snapshot: Arc<Snapshot>,
    /// Why nothing could be read.
    pub(crate) trouble: Option<Trouble>,
    /// The expected cards, present or missing, in slot order.
    pub(crate) seats: Vec<Seat>,
    /// What each card is used for, and who says so.
    pub(crate) occupancy: BTreeMap<CardUuid, Occupancy>,
    /// What this sweep changed in the inventory.
    pub(crate) changes: Vec<Change>,
    /// How what must be remembered fares on disk. Readings go on in any case.
    pub(crate) disk: Disk,
}

impl RigView {
    /// The look that a state holds; `None` before the first sweep.
    pub(crate) fn of(state: &RigState) -> Option<Self> {
        Some(Self::over(Arc::clone(state.snapshot.as_ref()?), None, state))
    }

    /// The remembered cards of a rig whose driver cannot be read, as of `now`; `None` where it is read, or no card is remembered.
    pub(crate) fn remembered(state: &RigState, now: Stamp) -> Option<Self> {
        let ProbeState::Trouble { trouble } = &state.probe else { return None };
        let nothing = Snapshot {
            sweep: 0,
            at: now,
            driver: None,
            roster: Roster::Starting,
            cards: Vec::new(),
            unreachable: Vec::new(),
            events: Vec::new(),
            events_dropped: 0,
        };
        let view = Self::over(Arc::new(nothing), Some(trouble.clone()), state);
        (!view.seats.is_empty()).then_some(view)
    }

    fn over(snapshot: Arc<Snapshot>, trouble: Option<Trouble>, state: &RigState) -> Self {
        Self {
            snapshot,
            trouble,
            seats: state.seats.clone(),
            occupancy: state.occupancy.clone(),
            changes: state.changes.clone(),
            disk: state.disk.clone(),
        }
    }
}

/// Whether a look is simulated: the demo's always, and any other that the simulated driver answered.
pub(crate) fn is_simulated(profile: Profile, view: &RigView) -> bool {
    profile == Profile::Demo || view.snapshot.driver.as_ref().is_some_and(|driver| driver.simulated)
}
