//! One engine a data directory: who holds it serves the others, whatever any of them does to the other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod bad_clients;
mod bad_holders;
mod kit;
mod sharing;
