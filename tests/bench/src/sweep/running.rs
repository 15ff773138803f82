//! A probe that runs over a simulated rig, measured from outside.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use fanfare_sim_state::{Setup, World};
use serde::Deserialize;
use tempfile::TempDir;

use super::{INTERVAL, SWEEPS};
use crate::{cpu, failure::Failure, programs};

/// Lines read before giving up on a wanted one.
const LINES_MOST: usize = 10_000;

/// A simulated rig with a real clock and no rentals, in a folder of its own.
#[derive(Debug)]
pub(crate) struct Rig {
    pub(crate) world: World,
    _folder: TempDir,
}

impl Rig {
    pub(crate) fn of(cards: usize, call_cost_us: u32) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let setup = Setup { cards: Some(cards), rentals: false, call_cost_us, ..Setup::default() };
        let world = World::create(&folder.path().join("rig.sim"), &setup)?;
        Ok(Self { world, _folder: folder })
    }
}

/// A running probe; it ends when this goes.
#[derive(Debug)]
pub(crate) struct Probe {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

/// What is wanted of a line here.
#[derive(Debug, Deserialize)]
struct Wire {
    line: Line,
}

#[derive(Debug, Deserialize)]
struct Line {
    sweep: Sweep,
}

#[derive(Debug, Deserialize)]
struct Sweep {
    sweep: u64,
    cards: Vec<serde::de::IgnoredAny>,
}

impl Probe {
    /// Starts the probe over `rig` and waits until it has met every card and read the slow facts, which it then does not read again.
    pub(crate) fn over(rig: &Rig) -> Result<Self, Failure> {
        let mut child = Command::new(programs::built("fanfare-probe")?)
            .args(["--slow-every", "3600", "--interval-ms", &INTERVAL.as_millis().to_string(), "--nvml-lib"])
            .arg(programs::built("libfanfare_sim_nvml.so")?)
            .env("FANFARE_SIM_STATE", rig.world.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or(Failure::NoSweeps)?;
        let mut probe = Self { child, lines: BufReader::new(output).lines() };
        let cards = rig.world.cards()?.len();
        for _ in 0..LINES_MOST {
            let line = probe.next()?;
            if line.cards.len() == cards {
                // The slow facts came with the first answers; from here on sweeps are all alike.
                probe.skip(3)?;
                return Ok(probe);
            }
        }
        Err(Failure::NoSweeps)
    }

    /// CPU time a sweep, over [`SWEEPS`] of them.
    pub(crate) fn cpu_per_sweep(&mut self) -> Result<Duration, Failure> {
        let before = cpu::of_process(self.child.id())?;
        let made = self.skip(SWEEPS)?;
        let used = cpu::of_process(self.child.id())?.saturating_sub(before);
        Ok(used / u32::try_from(made).unwrap_or(u32::MAX).max(1))
    }

    /// Waits for `count` sweeps and tells how many were made, some of which may have had no line of their own.
    pub(crate) fn skip(&mut self, count: u64) -> Result<u64, Failure> {
        let first = self.next()?.sweep;
        for _ in 0..LINES_MOST {
            let made = self.next()?.sweep - first;
            if made >= count {
                return Ok(made);
            }
        }
        Err(Failure::NoSweeps)
    }

    fn next(&mut self) -> Result<Sweep, Failure> {
        let line = self.lines.next().ok_or(Failure::NoSweeps)??;
        let Wire { line: Line { sweep } } = serde_json::from_str(&line)?;
        Ok(sweep)
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It ends within milliseconds of its input.
        let _ = self.child.wait();
    }
}
