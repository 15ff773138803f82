//! The program: starts its threads and keeps the main one.

use std::{io, process::ExitCode, sync::Arc};

use clap::Parser;
use fanfare_rig::clock::Clock;

use crate::{args::Args, crew::Crew, leave, roster::Roster};

/// Runs the probe until its input ends, its reader goes, or the driver cannot be read; see `main.rs` for what it does.
pub fn main() -> ExitCode {
    let args = Args::parse();
    leave::on_panic();
    let clock = match Clock::of_this_boot() {
        Ok(clock) => clock,
        Err(error) => return leave::with_complaint(&format!("the machine's clock cannot be read: {error}")),
    };
    match start(args, clock) {
        Ok(()) => leave::at_end_of_input(),
        Err(error) => leave::with_complaint(&format!("the sweeps cannot be started: {error}")),
    }
}

fn start(args: Args, clock: Clock) -> io::Result<()> {
    let crew = Arc::new(Crew::new(&args, clock)?);
    Roster { args, clock, crew: Arc::clone(&crew) }.start()?;
    crew.start()
}
