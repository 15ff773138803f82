//! What went wrong, why, and what to do next, in the user's language, with the exit code for it.

use std::{io, process::ExitCode};

use fanfare_engine::{DemoError, PlacesError, WatchError, probe::ProbeError};
use fanfare_rig::TroubleCode;

use crate::words::{self, Language};

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Places(#[from] PlacesError),
    #[error(transparent)]
    Demo(#[from] DemoError),
    #[error(transparent)]
    Watch(#[from] WatchError),
    #[error(transparent)]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// No sweep came that could be shown.
    #[error("the cards did not answer in time")]
    NoAnswer,
}

impl Failure {
    /// Whether the reader of the output is gone, which is no failure but the end.
    fn is_end(&self) -> bool {
        match self {
            Self::Terminal(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Json(error) => error.io_error_kind() == Some(io::ErrorKind::BrokenPipe),
            _ => false,
        }
    }

    fn trouble(&self) -> Option<TroubleCode> {
        match self {
            Self::Watch(WatchError::Probe(ProbeError::Trouble(trouble))) => Some(trouble.code),
            _ => None,
        }
    }

    /// Tells it on standard error and gives the exit code.
    pub(crate) fn tell(&self, language: Language) -> ExitCode {
        if self.is_end() {
            return ExitCode::SUCCESS;
        }
        match self.trouble() {
            None => {
                eprintln!("fanfarectl: {self}");
                if let Some(step) = self.next_step(language) {
                    eprintln!("{step}");
                }
                ExitCode::FAILURE
            }
            Some(code) => {
                let (what, step) = words::trouble(code, language);
                eprintln!("{what} ({self})\n{step}");
                ExitCode::from(3)
            }
        }
    }

    fn next_step(&self, language: Language) -> Option<&'static str> {
        match self {
            Self::Watch(WatchError::Probe(ProbeError::Absent(_)))
            | Self::Demo(DemoError::NotInstalled(_)) => Some(words::step_reinstall(language)),
            Self::Watch(WatchError::Probe(ProbeError::Version { .. })) => {
                Some(words::step_same_version(language))
            }
            Self::NoAnswer => Some(words::step_try_watch(language)),
            _ => None,
        }
    }
}
