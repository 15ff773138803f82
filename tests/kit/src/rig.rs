//! A simulated rig in a folder of its own, and the real probe over it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use fanfare_engine::{
    Assembler,
    probe::{Heard as ProbeHeard, ProbeClient, ProbeCommand, ProbeError},
};
use fanfare_rig::Snapshot;
use fanfare_sim_state::{Clock, Setup, World};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::{PATIENCE, programs};

/// A simulated rig. Its folder goes when it goes.
#[derive(Debug)]
pub struct SimRig {
    /// The rig, for injecting faults and for what the right values are.
    pub world: World,
    folder: TempDir,
}

/// What was heard of the probe.
#[derive(Debug)]
pub enum Heard {
    /// A sweep.
    Snapshot(Box<Snapshot>),
    /// It was silent.
    Silence(Duration),
}

impl SimRig {
    /// Eight idle cards under a clock that stands still, without rentals: every reading is known and stays.
    pub fn still() -> Self {
        Self::of(&Setup { clock: Clock::Manual, rentals: false, ..Setup::default() })
    }

    /// The same with this many cards.
    pub fn still_with(cards: usize) -> Self {
        Self::of(&Setup { cards: Some(cards), clock: Clock::Manual, rentals: false, ..Setup::default() })
    }

    /// A rig set up as told.
    pub fn of(setup: &Setup) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let world = World::create(&folder.path().join("rig.sim"), setup).expect("the rig can be made");
        Self { world, folder }
    }

    /// The rig's folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The rig's state file.
    pub fn state(&self) -> PathBuf {
        self.world.path().to_path_buf()
    }

    /// The variables by which the simulated driver finds the rig.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![("FANFARE_SIM_STATE".into(), self.state().into())]
    }

    /// The real probe over this rig, at a test's pace: a sweep each 50 ms, slow facts and the list of cards each four sweeps.
    pub fn probe(&self) -> ProbeCommand {
        ProbeCommand {
            nvml_lib: Some(programs::library()),
            interval: Duration::from_millis(50),
            slow_every: 4,
            environment: self.environment(),
            ..ProbeCommand::of(programs::program("fanfare-probe"))
        }
    }
}

/// A running probe, heard as snapshots.
#[derive(Debug)]
pub struct Lines {
    /// The probe.
    pub probe: ProbeClient,
    assembler: Assembler,
}

impl Lines {
    /// Starts `command`.
    pub fn of(command: &ProbeCommand) -> Self {
        Self {
            probe: ProbeClient::start(command).expect("the probe starts"),
            assembler: Assembler::default(),
        }
    }

    /// What each driver call on a card has cost so far.
    pub fn calls(&self, uuid: &fanfare_rig::CardUuid) -> &[fanfare_rig::wire::CallCost] {
        self.assembler.calls(uuid)
    }

    /// The next thing heard.
    ///
    /// # Errors
    /// There is nothing more to hear.
    pub async fn next(&mut self) -> Result<Heard, ProbeError> {
        loop {
            let heard = timeout(PATIENCE, self.probe.hear())
                .await
                .expect("a client that waits has a limit of its own");
            return Ok(match heard? {
                ProbeHeard::Sweep(line) => Heard::Snapshot(Box::new(self.assembler.snapshot(*line))),
                ProbeHeard::Silence(span) => Heard::Silence(span),
                ProbeHeard::Garbage(_) => continue,
            });
        }
    }

    /// The first snapshot for which `wanted` holds.
    ///
    /// # Panics
    /// None came in [`PATIENCE`]; the message shows the last that did.
    pub async fn until(&mut self, what: &str, wanted: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let mut last = None;
        let found = timeout(PATIENCE, async {
            loop {
                match self.next().await {
                    Ok(Heard::Snapshot(snapshot)) if wanted(&snapshot) => return *snapshot,
                    Ok(Heard::Snapshot(snapshot)) => last = Some(snapshot),
                    Ok(Heard::Silence(_)) => {}
                    Err(error) => panic!("the probe ended while waiting for: {what}: {error}"),
                }
            }
        });
        match found.await {
            Ok(snapshot) => snapshot,
            Err(_) => panic!("never seen: {what}; last seen: {last:#?}"),
        }
    }

    /// The first snapshot after `from` in which every one of `cards` cards answers and the list of cards was read.
    pub async fn all_answering(&mut self, cards: usize) -> Snapshot {
        self.until("every card answers", |snapshot| {
            snapshot.roster == fanfare_rig::Roster::Read
                && snapshot.cards.len() == cards
                && snapshot.cards.iter().all(|card| matches!(card.answer, fanfare_rig::Answer::Sample(_)))
        })
        .await
    }
}
