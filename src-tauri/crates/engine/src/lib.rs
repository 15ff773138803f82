//! Wires the rooms together behind one typed API: everyone above (window, command line) talks to the rig through here.
//!
//! Today it starts and hears the probe ([`probe`]), keeps what must outlive the process ([`state_db`]), decides between the
//! owner's rig and the demo ([`profile`]), and puts all three together in [`RigWatch`].

mod assemble;
mod demo;
mod keeper;
mod places;
pub mod probe;
pub mod profile;
pub mod state_db;
mod watch;

pub use assemble::Assembler;
pub use demo::{DemoError, DemoRig};
pub use places::{Places, PlacesError};
pub use watch::{RigNews, RigView, RigWatch};
