//! The demo rig: the simulated driver, with its state in the demo's own directory.
//!
//! The simulation is no part of this program. It is reached as an executable (`fanfare-sim`, which makes the state) and a library
//! file (which the probe loads in place of the driver's), so that the demo runs through the very code that reads real cards. Who
//! rents a card no driver knows; that is asked of the executable, as of a platform ([`RentalSource`]).

mod follow;
mod market;
mod past;
mod rentals;

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, time::timeout};

use crate::places::Places;

pub use follow::RentalSource;
pub use market::MarketCommand;
pub use past::PastCommand;
pub(crate) use past::{Past, PastError};

/// How long each run of the executable may take; it takes some 20 ms.
const PATIENCE: Duration = Duration::from_secs(10);
/// Variable by which the simulated driver finds its state.
const STATE_VARIABLE: &str = "FANFARE_SIM_STATE";

/// A demo rig, ready to be read.
#[derive(Debug, Clone)]
pub struct DemoRig {
    /// The simulated driver library.
    pub library: PathBuf,
    /// The rig's state.
    pub state: PathBuf,
    /// The executable that made it.
    simulator: PathBuf,
}

/// Why there is no demo rig.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A file that the demo needs is not installed.
    #[error("the demo needs {0}, which is not there")]
    NotInstalled(PathBuf),
    /// The executable could not be run.
    #[error("{program} could not be run: {source}")]
    Run {
        /// The executable.
        program: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// An unusable state could not be taken away.
    #[error("{state} is no demo rig and could not be removed: {source}")]
    Discard {
        /// The file.
        state: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The executable refused or failed.
    #[error("{program} failed: {words}")]
    Failed {
        /// The executable.
        program: PathBuf,
        /// What it said.
        words: String,
    },
}

impl DemoRig {
    /// The demo rig whose state lies in `directory`: the one that is there, so that its cards go on where they were, or a new one.
    ///
    /// # Errors
    /// The simulation is not installed, or cannot make its state.
    pub async fn prepare(places: &Places, directory: &Path) -> Result<Self, DemoError> {
        let library = places.companion("libfanfare_sim_nvml.so");
        let simulator = places.companion("fanfare-sim");
        if let Some(absent) = [&library, &simulator].into_iter().find(|path| !path.is_file()) {
            return Err(DemoError::NotInstalled(absent.clone()));
        }
        let state = directory.join("rig.sim");
        // A state of another version, boot or kind is refused there; it holds nothing worth keeping.
        let usable = run(&simulator, &["show".into(), "--state".into(), state.clone().into()]).await.is_ok();
        if !usable {
            discard(&state)?;
            run(&simulator, &["init".into(), state.clone().into(), "--writes".into(), "anyone".into()])
                .await?;
        }
        Ok(Self { library, state, simulator })
    }

    /// The variables that the simulated driver reads.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![(STATE_VARIABLE.into(), self.state.clone().into())]
    }

    /// The day before it began, for a history that is empty.
    pub fn past(&self) -> PastCommand {
        PastCommand::of(self.simulator.clone(), self.state.with_extension("past"))
    }

    /// Who says which of its cards are rented.
    pub fn rentals(&self) -> RentalSource {
        RentalSource::Simulation(MarketCommand::of(self.simulator.clone(), self.state.clone()))
    }
}

/// Takes away what is no rig of this version; the simulator itself replaces nothing that it does not know.
fn discard(state: &Path) -> Result<(), DemoError> {
    match fs::remove_file(state) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(DemoError::Discard { state: state.into(), source })
        }
        _ => Ok(()),
    }
}

async fn run(program: &Path, arguments: &[OsString]) -> Result<(), DemoError> {
    let failed = |words: String| DemoError::Failed { program: program.into(), words };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .output();
    match timeout(PATIENCE, child).await {
        Err(_) => Err(failed(format!("no answer in {} s", PATIENCE.as_secs()))),
        Ok(Err(source)) => Err(DemoError::Run { program: program.into(), source }),
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}
