//! How the probe is started.

use std::{ffi::OsString, path::PathBuf, process::Stdio, time::Duration};

use tokio::process::Command;

/// What to start, and how often it reads.
#[derive(Debug, Clone)]
pub struct ProbeCommand {
    /// The executable.
    pub program: PathBuf,
    /// The driver library in place of the system's.
    pub nvml_lib: Option<PathBuf>,
    /// Time between two sweeps.
    pub interval: Duration,
    /// How many sweeps lie between two reads of the slow facts.
    pub slow_every: u32,
    /// Variables beside those of this process.
    pub environment: Vec<(OsString, OsString)>,
}

impl ProbeCommand {
    /// The probe at `program`, reading the system's driver once a second.
    pub const fn of(program: PathBuf) -> Self {
        Self {
            program,
            nvml_lib: None,
            interval: Duration::from_secs(1),
            slow_every: 60,
            environment: Vec::new(),
        }
    }

    pub(super) fn build(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("--interval-ms")
            .arg(self.interval.as_millis().to_string())
            .arg("--slow-every")
            .arg(self.slow_every.to_string())
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(library) = &self.nvml_lib {
            command.arg("--nvml-lib").arg(library);
        }
        command
    }
}
