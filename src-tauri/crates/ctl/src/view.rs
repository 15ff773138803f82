//! One look at the rig, as the table, the JSON and the report show it.

use std::{collections::BTreeMap, sync::Arc};

use fanfare_engine::{Disk, Occupancy, RigState, profile::Profile};
use fanfare_rig::{CardUuid, Change, Seat, Snapshot};

/// One look at the rig: a sweep, and the expected cards by it.
#[derive(Debug, Clone)]
pub(crate) struct RigView {
    /// What was read.
    pub(crate) snapshot: Arc<Snapshot>,
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
        Some(Self {
            snapshot: Arc::clone(state.snapshot.as_ref()?),
            seats: state.seats.clone(),
            occupancy: state.occupancy.clone(),
            changes: state.changes.clone(),
            disk: state.disk.clone(),
        })
    }
}

/// Whether a look is simulated: the demo's always, and any other that the simulated driver answered.
pub(crate) fn is_simulated(profile: Profile, view: &RigView) -> bool {
    profile == Profile::Demo || view.snapshot.driver.as_ref().is_some_and(|driver| driver.simulated)
}
