//! The rig as it is seen: sweeps joined with the cards that are expected.

use std::{path::Path, time::Duration};

use fanfare_rig::{CardUuid, Change, Inventory, Seat, Seen, Snapshot, wire::CallCost};
use jiff::Timestamp;

use crate::{
    assemble::Assembler,
    probe::{Heard, ProbeClient, ProbeCommand, ProbeError},
    state_db::{StateDb, StateDbError},
};

/// When a card was last seen is stored this often; it is a date on a list, not a series.
const STORED_EVERY: Duration = Duration::from_secs(60);

/// One look at the rig.
#[derive(Debug, Clone)]
pub struct RigView {
    /// What was read.
    pub snapshot: Snapshot,
    /// The expected cards, present or missing, in slot order.
    pub seats: Vec<Seat>,
    /// What this sweep changed in the inventory.
    pub changes: Vec<Change>,
}

/// What a wait for the rig brings.
#[derive(Debug)]
pub enum RigNews {
    /// A sweep.
    View(Box<RigView>),
    /// The probe has said nothing for this long.
    Silence(Duration),
}

/// Why the rig can be watched no longer.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// There is no probe to hear.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The inventory cannot be kept.
    #[error(transparent)]
    StateDb(#[from] StateDbError),
}

/// A running watch over the rig. Dropping it kills the probe; [`RigWatch::stop`] ends it in order.
#[derive(Debug)]
pub struct RigWatch {
    probe: ProbeClient,
    assembler: Assembler,
    inventory: Inventory,
    db: StateDb,
    stored: Option<Timestamp>,
}

impl RigWatch {
    /// Starts the probe, with the inventory kept in `directory`. Needs a running tokio runtime.
    ///
    /// # Errors
    /// The inventory cannot be read, or the probe cannot be started.
    pub fn start(directory: &Path, command: &ProbeCommand) -> Result<Self, WatchError> {
        let db = StateDb::open(directory)?;
        let inventory = db.inventory()?;
        let probe = ProbeClient::start(command)?;
        Ok(Self { probe, assembler: Assembler::default(), inventory, db, stored: None })
    }

    /// The next look at the rig. Lines that cannot be read are passed over.
    ///
    /// # Errors
    /// There is no probe to hear, or the inventory cannot be kept.
    pub async fn next(&mut self) -> Result<RigNews, WatchError> {
        loop {
            match self.probe.hear().await? {
                Heard::Sweep(line) => {
                    let snapshot = self.assembler.snapshot(*line);
                    return Ok(RigNews::View(Box::new(self.view(snapshot)?)));
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

    fn view(&mut self, snapshot: Snapshot) -> Result<RigView, StateDbError> {
        let now = snapshot.at.wall;
        let seen: Vec<Seen> = snapshot.cards.iter().filter_map(Seen::of).collect();
        let changes = self.inventory.observe(&seen, now);
        // Written in place: some 0.1 ms a minute, and at most 2 s if another process holds the file.
        if !changes.is_empty()
            || self.stored.is_none_or(|stored| now.duration_since(stored).unsigned_abs() >= STORED_EVERY)
        {
            self.db.store_inventory(&self.inventory)?;
            self.stored = Some(now);
        }
        let seats = self.inventory.seats(&snapshot);
        Ok(RigView { snapshot, seats, changes })
    }
}
