//! A child process that measures itself: it is told a number of sweeps on a line and answers with its CPU microseconds a sweep.

use std::{
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use clap::ValueEnum;

use crate::{
    failure::Failure,
    sweep::{asked_of::Side, running::Rig},
};

/// The child; it ends when this goes.
#[derive(Debug)]
pub(crate) struct Asked {
    child: Child,
    ask: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Asked {
    /// This program as one side of a bench over `rig`.
    pub(crate) fn of_this_program(side: Side, rig: &Rig) -> Result<Self, Failure> {
        let side = side.to_possible_value().map(|side| side.get_name().to_owned()).unwrap_or_default();
        let mut command = Command::new(std::env::current_exe()?);
        Ok(Self::start(command.args(["--be", &side]).env("FANFARE_SIM_STATE", rig.world.path()))?)
    }

    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(ask), Some(told)) => Ok(Self { child, ask, told: BufReader::new(told) }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    pub(crate) fn cpu_us_per_sweep(&mut self, sweeps: u64) -> Result<f64, Failure> {
        writeln!(self.ask, "{sweeps}")?;
        let mut line = String::new();
        self.told.read_line(&mut line)?;
        line.trim().parse().map_err(|_| Failure::Peer(line))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // It would end with its input, which goes with this; the kill is for one that does not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
