//! The real window, under its own X server, window manager and D-Bus session, read through the web driver.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod bytes;
mod desk;
mod looks;
mod one_engine;
mod package;
mod page;
mod rig;
mod start;
