//! What is known of the rig between two words of the probe, and the [`RigState`] that comes of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use fanfare_rig::{
    Answer, CardUuid, Change, Condition, Driver, Inventory, Occupant, Reading, Reason, Sample, Seat, Seen,
    Snapshot,
    wire::{CallCost, SweepLine},
};
use fanfare_units::Stamp;
use jiff::Timestamp;

use super::{Rentals, recent::Temperatures};
use crate::{
    assemble::Assembler,
    frame::Recent,
    occupancy::{Evidence, Occupancy, Source},
    profile::Profile,
    rig_state::{Disk, ProbeFailure, ProbeState, RigState},
};

/// What a sweep asks of whoever keeps the inventory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keep {
    /// Whether cards came, went or moved.
    pub(super) changed: bool,
    /// The moment of the sweep.
    pub(super) at: Timestamp,
}

/// The rig as the owner knows it. Bounded by the inventory's cards.
#[derive(Debug)]
pub(super) struct Picture {
    profile: Profile,
    interval: Duration,
    pub(super) inventory: Inventory,
    assembler: Assembler,
    snapshot: Option<Arc<Snapshot>>,
    changes: Vec<Change>,
    last: BTreeMap<CardUuid, Arc<Sample>>,
    /// The cards that do own work, by the owner's word.
    pub(super) own: BTreeSet<CardUuid>,
    temperatures: Temperatures,
    number: u64,
}

impl Picture {
    pub(super) fn new(profile: Profile, interval: Duration) -> Self {
        Self {
            profile,
            interval,
            inventory: Inventory::default(),
            assembler: Assembler::default(),
            snapshot: None,
            changes: Vec::new(),
            last: BTreeMap::new(),
            own: BTreeSet::new(),
            temperatures: Temperatures::default(),
            number: 0,
        }
    }

    /// Takes over what is remembered, and into it the cards of the last sweep, if there was one already.
    pub(super) fn remember(&mut self, inventory: Inventory, own: BTreeSet<CardUuid>) {
        (self.inventory, self.own) = (inventory, own);
        if let Some(snapshot) = &self.snapshot {
            self.changes = self.inventory.observe(&seen(snapshot), snapshot.at.wall);
        }
    }

    /// Another probe begins: what the one before said of slow facts is its own.
    pub(super) fn another_probe(&mut self) {
        self.assembler = Assembler::default();
    }

    /// Takes a sweep in. `None` if the inventory is not to be kept.
    pub(super) fn take(&mut self, line: SweepLine) -> (Arc<Snapshot>, Option<Keep>) {
        let mut snapshot = self.assembler.snapshot(line);
        self.changes = self.inventory.observe(&seen(&snapshot), snapshot.at.wall);
        let keep = Keep { changed: !self.changes.is_empty(), at: snapshot.at.wall };
        let keep = keeps(self.profile, snapshot.driver.as_ref()).then_some(keep);
        if snapshot.driver.is_none() {
            // Until this probe has named it: a figure must not lose the word that it is simulated.
            snapshot.driver = self.snapshot.as_ref().and_then(|before| before.driver.clone());
        }
        for card in &snapshot.cards {
            if let (Answer::Sample(sample), Condition::Answering) = (&card.answer, card.condition()) {
                if let Reading::Measured(celsius) = sample.temperature {
                    self.temperatures.take(&card.uuid, celsius, sample.at.boottime);
                }
                self.last.insert(card.uuid.clone(), Arc::new(Sample::clone(sample)));
            }
        }
        let snapshot = Arc::new(snapshot);
        self.snapshot = Some(Arc::clone(&snapshot));
        (snapshot, keep)
    }

    /// What each driver call on a card has cost; `None` if no such card is known.
    pub(super) fn calls(&self, uuid: &CardUuid) -> Option<Vec<CallCost>> {
        self.inventory.member(uuid).map(|_| self.assembler.calls(uuid).to_vec())
    }

    /// The temperatures of the half hour before `now`.
    pub(super) fn recent(&self, now: &Stamp) -> Recent {
        self.temperatures.recent(now.boottime)
    }

    /// The state to publish.
    pub(super) fn state(&mut self, probe: &ProbeState, rentals: &Rentals, disk: Disk) -> RigState {
        self.number += 1;
        let seats = self.seats(probe);
        let occupancy =
            seats.iter().map(|seat| (seat.member.uuid.clone(), self.occupancy(seat, rentals))).collect();
        self.last.retain(|uuid, _| seats.iter().any(|seat| seat.member.uuid == *uuid));
        RigState {
            number: self.number,
            profile: self.profile,
            interval: self.interval,
            probe: probe.clone(),
            snapshot: self.snapshot.clone(),
            seats,
            changes: self.changes.clone(),
            last: self.last.clone(),
            occupancy,
            disk,
        }
    }

    /// The expected cards: as of the last sweep, or awaited before it. A driver that cannot be read has no card, so each is
    /// missing. Of a probe that crashed no more is known than before: it says nothing of any card.
    fn seats(&self, probe: &ProbeState) -> Vec<Seat> {
        match (probe, &self.snapshot) {
            (ProbeState::Trouble { .. }, _) => self.inventory.seats_with(&Occupant::Missing),
            (ProbeState::Failed { failure, .. }, _) if *failure != ProbeFailure::Crashed => {
                self.inventory.seats_with(&Occupant::Missing)
            }
            (_, Some(snapshot)) => self.inventory.seats(snapshot),
            (_, None) => self.inventory.seats_with(&Occupant::Awaited),
        }
    }

    fn occupancy(&self, seat: &Seat, rentals: &Rentals) -> Occupancy {
        let processes = match &seat.occupant {
            Occupant::Card(card) => card.read(|sample| &sample.processes).map(|processes| processes.len()),
            Occupant::Awaited | Occupant::Unreached | Occupant::Missing => Reading::missing(Reason::Lost),
        };
        let rented = rentals.get(&seat.member.uuid).map(|rental| (rental.platform.as_str(), rental.source));
        // The owner's figures hold nothing that is simulated.
        let rented =
            rented.filter(|(_, source)| self.profile == Profile::Demo || *source != Source::Simulation);
        let own_job = self.own.contains(&seat.member.uuid);
        Occupancy::of(&Evidence { processes, own_job, rented })
    }
}

/// The cards that a sweep names.
fn seen(snapshot: &Snapshot) -> Vec<Seen> {
    snapshot.cards.iter().map(Seen::of).collect()
}

/// The owner's inventory holds the owner's cards. Until the driver has said what it is, nothing is kept either.
fn keeps(profile: Profile, driver: Option<&Driver>) -> bool {
    match (profile, driver) {
        (Profile::Demo, _) => true,
        (Profile::Real, Some(driver)) => !driver.simulated,
        (Profile::Real, None) => false,
    }
}

#[cfg(test)]
mod tests;
