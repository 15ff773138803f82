//! Wires the rooms together behind one typed API: everyone above (window, command line) talks to the rig through here.
//!
//! [`Engine`] is that API: it holds the data directory of an [`Opening`], or is a client of the process that does. Who holds
//! reads the rig by a [`Hub`], which watches over the probe ([`probe`]), keeps what must outlive the process ([`state_db`]) and records
//! what is read (`recording`).
//! [`frame`] makes of its states what the window shows.

mod account;
pub mod api;
mod assemble;
mod demo;
mod engine;
#[cfg(test)]
mod fixtures;
pub mod frame;
pub mod hold;
mod hub;
mod occupancy;
mod opening;
mod places;
pub mod probe;
pub mod profile;
mod recording;
mod rig_state;
pub mod settings;
mod socket;
mod standstill;
pub mod state_db;

pub use assemble::Assembler;
pub use demo::{DemoError, DemoRig, MarketCommand, PastCommand, RentalSource};
pub use engine::{Engine, EngineError, EngineHandle, EngineSetup, Obstacle, Role, visit};
pub use hub::{Hub, HubError, HubHandle, HubSetup, Limits, Rental, Rentals};
pub use occupancy::{Evidence, Occupancy, Source, Usage};
pub use opening::{Opening, OpeningError, Pace, Wish};
pub use places::{Places, PlacesError};
pub use rig_state::{Disk, FileHealth, ProbeFailure, ProbeState, RigState, STALE_AFTER, Unstored};
