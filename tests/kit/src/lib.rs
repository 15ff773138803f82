//! What the tests share: a simulated rig with the real probe over it, the programs under test, waiting, and skipping aloud.
//!
//! It panics where a test would: everything here is part of a test's arrangement.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "this crate is a part of tests")]

mod demote;
mod executable;
#[cfg(feature = "foreign")]
mod foreign;
#[cfg(feature = "rig")]
mod hub;
mod programs;
#[cfg(feature = "rig")]
mod rig;
#[cfg(feature = "screen")]
pub mod screen;
mod skip;

pub use demote::{NOBODY, as_nobody};
pub use executable::{install, script};
#[cfg(feature = "foreign")]
pub use foreign::{foreign_data, over_foreign_data};
#[cfg(feature = "rig")]
pub use hub::{SHORT_LIMITS, answering, eight_answering, hub_setup, probes, until};
pub use programs::{library, program};
#[cfg(feature = "rig")]
pub use rig::{Heard, Lines, SimRig};
pub use skip::{is_set, reference_data, skip};

/// No test waits longer than this for anything: far beyond what a loaded machine with two cores needs.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
