//! The program: starts its threads and keeps the main one.

use std::{process::ExitCode, sync::mpsc, thread};

use clap::Parser;
use fanfare_rig::clock::Clock;

use crate::{args::Args, leave, roster, sweep::Coordinator};

/// Runs the probe until its input ends, its reader goes, or the driver cannot be read; see `main.rs` for what it does.
pub fn main() -> ExitCode {
    let args = Args::parse();
    leave::on_panic();
    let clock = match Clock::of_this_boot() {
        Ok(clock) => clock,
        Err(error) => return leave::with_complaint(&format!("the machine's clock cannot be read: {error}")),
    };
    leave::at_end_of_input();
    let (report, inbox) = mpsc::channel();
    let roster = roster::Roster { args: args.clone(), clock, report: report.clone() };
    if let Err(error) = thread::Builder::new().name("roster".into()).spawn(move || roster.run()) {
        return leave::with_complaint(&format!("no thread could be started: {error}"));
    }
    Coordinator::new(&args, clock, report, inbox).run(std::io::stdout())
}
