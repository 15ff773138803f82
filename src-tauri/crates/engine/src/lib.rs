//! Wires the rooms together behind one typed API: everyone above (window, command line) talks to the rig through here.
//!
//! Today it starts and hears the probe ([`probe`]), keeps what must outlive the process ([`state_db`]), decides between the
//! owner's rig and the demo ([`profile`]), and puts all three together in [`RigWatch`].

pub mod api;
mod assemble;
mod demo;
mod engine;
#[cfg(test)]
mod fixtures;
pub mod frame;
pub mod hold;
mod hub;
mod keeper;
mod occupancy;
mod opening;
mod places;
pub mod probe;
pub mod profile;
mod rig_state;
pub mod settings;
mod socket;
mod standstill;
pub mod state_db;
mod watch;

pub use assemble::Assembler;
pub use demo::{DemoError, DemoRig};
pub use engine::{Engine, EngineError, EngineHandle, EngineSetup, Obstacle, Role};
pub use hub::{Hub, HubError, HubHandle, HubSetup, Limits, Rental, Rentals};
pub use occupancy::{Evidence, Occupancy, Source, Usage};
pub use opening::{Opening, OpeningError, Pace, Wish};
pub use places::{Places, PlacesError};
pub use rig_state::{ProbeFailure, ProbeState, RigState, STALE_AFTER};
pub use watch::{RigNews, RigView, RigWatch};
