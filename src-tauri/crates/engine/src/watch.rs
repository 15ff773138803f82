//! The rig as it is seen: sweeps joined with the cards that are expected.

use std::{path::Path, time::Duration};

use fanfare_rig::{CardUuid, Change, Inventory, Seat, Seen, Snapshot, wire::CallCost};

use crate::{
    assemble::Assembler,
    keeper::Keeper,
    probe::{Heard, ProbeClient, ProbeCommand, ProbeError},
    profile::Profile,
};

/// One look at the rig.
#[derive(Debug, Clone)]
pub struct RigView {
    /// What was read.
    pub snapshot: Snapshot,
    /// The expected cards, present or missing, in slot order.
    pub seats: Vec<Seat>,
    /// What this sweep changed in the inventory.
    pub changes: Vec<Change>,
    /// Why the inventory is not on disk as it is here, if it is not. Readings go on in any case.
    pub unstored: Option<String>,
}

/// What a wait for the rig brings.
#[derive(Debug)]
pub enum RigNews {
    /// A sweep.
    View(Box<RigView>),
    /// The probe has said nothing for this long.
    Silence(Duration),
}

/// A running watch over the rig. Dropping it kills the probe; [`RigWatch::stop`] ends it in order.
#[derive(Debug)]
pub struct RigWatch {
    probe: ProbeClient,
    assembler: Assembler,
    inventory: Inventory,
    keeper: Keeper,
    profile: Profile,
}

impl RigWatch {
    /// Starts the probe, with the inventory kept in `directory`. An inventory that cannot be read or kept costs no reading: it
    /// begins empty, and each view says why. Needs a running tokio runtime.
    ///
    /// # Errors
    /// The probe cannot be started.
    pub fn start(directory: &Path, profile: Profile, command: &ProbeCommand) -> Result<Self, ProbeError> {
        let (keeper, inventory) = Keeper::open(directory);
        let probe = ProbeClient::start(command)?;
        Ok(Self { probe, assembler: Assembler::default(), inventory, keeper, profile })
    }

    /// The next look at the rig. Lines that cannot be read are passed over.
    ///
    /// # Errors
    /// There is no probe to hear.
    pub async fn next(&mut self) -> Result<RigNews, ProbeError> {
        loop {
            match self.probe.hear().await? {
                Heard::Sweep(line) => {
                    let snapshot = self.assembler.snapshot(*line);
                    return Ok(RigNews::View(Box::new(self.view(snapshot))));
                }
                Heard::Silence(span) => return Ok(RigNews::Silence(span)),
                Heard::Garbage(error) => tracing::warn!(%error, "a line of the probe was passed over"),
            }
        }
    }

    /// Every card ever met.
    pub const fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// What each driver call on a card has cost so far.
    pub fn calls(&self, uuid: &CardUuid) -> &[CallCost] {
        self.assembler.calls(uuid)
    }

    /// Ends the probe, within 1.2 s.
    pub async fn stop(self) {
        self.probe.stop().await;
    }

    fn view(&mut self, snapshot: Snapshot) -> RigView {
        let now = snapshot.at.wall;
        let seen: Vec<Seen> = snapshot.cards.iter().filter_map(Seen::of).collect();
        let changes = self.inventory.observe(&seen, now);
        // The owner's inventory holds the owner's cards. Until the driver has said what it is, nothing is kept either.
        let keeps = match (&snapshot.driver, self.profile) {
            (_, Profile::Demo) => true,
            (Some(driver), Profile::Real) => !driver.simulated,
            (None, Profile::Real) => false,
        };
        if keeps {
            self.keeper.keep(&self.inventory, !changes.is_empty(), now);
        }
        let seats = self.inventory.seats(&snapshot);
        RigView { snapshot, seats, changes, unstored: self.keeper.trouble() }
    }
}
