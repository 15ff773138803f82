//! What the window costs beside a bare one: Tauri's, with one text node that is fed the same message.
//!
//! Both windows run on screens of their own at the same time, so that what else the machine does meets both alike. Fanfare runs
//! over the simulated driver as it would over the owner's, its probe counted in. A window's processes are the whole tree below it.

pub(crate) mod brush;
pub(crate) mod bundle;
pub(crate) mod card;
pub(crate) mod costs;
mod driver;
pub(crate) mod first;
pub(crate) mod latency;
mod past;
mod stage;
mod trace;
mod tree;

use std::path::PathBuf;

use crate::{failure::Failure, programs};

/// The bare window's executable.
fn bare() -> Result<PathBuf, Failure> {
    programs::built("examples/bare")
}

/// Fanfare's.
fn fanfare() -> Result<PathBuf, Failure> {
    programs::built("fanfare")
}

/// What Fanfare is started with, to read the simulated driver as the owner's.
fn arguments() -> Result<Vec<String>, Failure> {
    let library = programs::built("libfanfare_sim_nvml.so")?;
    Ok(vec!["--nvml-lib".to_owned(), library.to_string_lossy().into_owned()])
}
