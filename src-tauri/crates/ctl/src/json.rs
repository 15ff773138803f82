//! The rig as JSON: one object, the same for one look and for each line of a live watch.
//!
//! `v` is the version of this shape; within a version fields may be added. Units stand in the fields' names; a missing value is
//! `{"missing": reason}`, never 0 and never absent.

use std::{collections::BTreeMap, io::Write};

use fanfare_engine::{Disk, Occupancy, profile::Profile};
use fanfare_rig::{CardEvent, CardUuid, Change, Driver, Roster, Seat, Trouble, Unreachable};
use fanfare_units::Stamp;
use serde::Serialize;

use crate::{
    failure::Failure,
    view::{RigView, is_simulated},
};

#[derive(Serialize)]
struct Document<'a> {
    v: u32,
    profile: Profile,
    simulated: bool,
    /// Why there is no sweep; then its number is none, and the seats are those of the remembered cards.
    trouble: Option<&'a Trouble>,
    sweep: Option<u64>,
    at: Stamp,
    driver: Option<&'a Driver>,
    roster: Roster,
    seats: &'a [Seat],
    occupancy: &'a BTreeMap<CardUuid, Occupancy>,
    unreachable: &'a [Unreachable],
    events: &'a [CardEvent],
    events_dropped: u64,
    changes: &'a [Change],
    disk: &'a Disk,
}

/// Writes one look as one line.
pub(crate) fn write(view: &RigView, profile: Profile, mut to: impl Write) -> Result<(), Failure> {
    let snapshot = &view.snapshot;
    let document = Document {
        v: 1,
        profile,
        simulated: is_simulated(profile, view),
        trouble: view.trouble.as_ref(),
        sweep: view.trouble.is_none().then_some(snapshot.sweep),
        at: snapshot.at,
        driver: snapshot.driver.as_ref(),
        roster: snapshot.roster,
        seats: &view.seats,
        occupancy: &view.occupancy,
        unreachable: &snapshot.unreachable,
        events: &snapshot.events,
        events_dropped: snapshot.events_dropped,
        changes: &view.changes,
        disk: &view.disk,
    };
    let mut line = serde_json::to_vec(&document)?;
    line.push(b'\n');
    to.write_all(&line)?;
    Ok(to.flush()?)
}
