//! State and model of the simulated NVIDIA driver.
//!
//! A driver keeps its state outside the processes that ask it, so this crate keeps the rig in one mapped file
//! that the simulated library (`fanfare-sim-nvml`), the command line (`fanfare-sim`) and tests open at once.
#![allow(missing_docs)]
mod advance;
pub mod clock;
pub mod conditions;
#[cfg(test)]
mod crash;
pub mod effects;
mod error;
mod fans;
pub mod identity;
pub mod layout;
mod map;
mod noise;
pub mod physics;
pub mod profile;
pub mod quantise;
pub mod reading;
mod records;
pub mod scenario;
pub mod schedule;
mod session;
mod setup;
mod symbols;
mod table;
mod verbs;
mod view;
mod world;

pub use clock::Clock;
pub use effects::{Effect, Target};
pub use error::StateError;
pub use reading::Reading;
pub use session::{Session, XidMark};
pub use setup::{Setup, Writes};
pub use symbols::{SYMBOL_COUNT, Symbol};
pub use table::{CallCount, SetCall};
pub use view::{CardView, RigView};
pub use world::World;
