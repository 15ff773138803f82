//! The probe as a child process: start it, hear its lines, end it.
//!
//! The child may hang, babble, die or be of another version, and none of that may hang or kill this process. So every wait here
//! has a limit, what is kept of its words is bounded, and it ends by itself when its standard input closes, whichever way this
//! process goes.

mod client;
mod command;

pub use client::{Heard, ProbeClient, ProbeError};
pub use command::ProbeCommand;
