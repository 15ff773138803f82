//! `fanfare-sim`: sets up a simulated rig and drives it live.
//!
//! The rig is a state file ([`fanfare_sim_state`]); each run of this program makes one or changes it, and ends. Only `serve` stays:
//! it is the rig's side of a marketplace ([`serve`]), until its input ends.
//! Exit codes: 0 done, 1 refused or failed (one line on stderr), 2 wrong usage.

mod args;
mod init;
mod output;
mod past;
mod serve;
mod verbs;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fanfare_sim_state::{StateError, World};

use crate::args::{Args, Command};

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// Neither `--state` nor the variable names a state file.
    #[error("no state file: give --state or set FANFARE_SIM_STATE")]
    NoState,
    /// The state file refused.
    #[error(transparent)]
    State(#[from] StateError),
    /// The answer could not be written.
    #[error("cannot write the answer: {0}")]
    Output(#[from] std::io::Error),
    /// The address could not be taken, or not be told.
    #[error("cannot serve: {0}")]
    Serve(#[source] std::io::Error),
    /// The answer could not be put as JSON.
    #[error("cannot write the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough: no fault of ours.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("fanfare-sim: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Init(init) => init::run(&init),
        Command::Serve { port } => serve::run(open(args.state)?, port),
        Command::Past(past) => past::run(&past),
        Command::Live(verb) => verbs::run(&open(args.state)?, &verb),
    }
}

fn open(state: Option<PathBuf>) -> Result<World, Failure> {
    Ok(World::open(&state.ok_or(Failure::NoState)?)?)
}
