//! The history as the holder of a rig keeps it: recorded, asked, and over restarts and faults.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod answers;
mod energy;
mod faults;
mod keeping;
mod kill;
mod kit;
