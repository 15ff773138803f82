//! A probe that runs over a simulated rig, measured from outside.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use fanfare_sim_state::{Setup, World};
use serde::Deserialize;
use tempfile::TempDir;

use super::SWEEPS;
use crate::{cpu, failure::Failure, programs, rounds::Summary};

/// How long a line may take.
const LINE_LIMIT: Duration = Duration::from_secs(30);
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

/// A running probe; it ends when this goes. A thread reads its lines as they come, so that it never waits for a full pipe and no
/// old line is taken for a new one.
#[derive(Debug)]
pub(crate) struct Probe {
    child: Child,
    lines: Receiver<String>,
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
    pub(crate) fn over(rig: &Rig, pace: Duration) -> Result<Self, Failure> {
        let mut child = Command::new(programs::built("fanfare-probe")?)
            .args(["--slow-every", "3600", "--interval-ms", &pace.as_millis().to_string(), "--nvml-lib"])
            .arg(programs::built("libfanfare_sim_nvml.so")?)
            .env("FANFARE_SIM_STATE", rig.world.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or(Failure::NoSweeps)?;
        let (line, lines) = mpsc::channel();
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|text| line.send(text))
        });
        let mut probe = Self { child, lines };
        let cards = rig.world.cards()?.len();
        for _ in 0..LINES_MOST {
            let line = probe.next()?;
            if line.cards.len() == cards {
                // The slow facts came with the first answers; from here on sweeps are all alike.
                let now = probe.fresh()?;
                probe.until(now + 2)?;
                return Ok(probe);
            }
        }
        Err(Failure::NoSweeps)
    }

    /// CPU microseconds of the middle one of [`SWEEPS`] sweeps.
    ///
    /// The middle one and not the mean: on a virtual machine a thread that wakes once a second is charged one or two milliseconds
    /// in some 3 % of its wakings, whatever it then does (a loop that only counts is, too). Work that the probe does less often
    /// than every other sweep is not in it, as the slow facts are not by intent.
    pub(crate) fn cpu_us_per_sweep(&mut self) -> Result<f64, Failure> {
        let mut costs = Vec::new();
        let mut before = self.cpu_at_rest()?;
        for _ in 0..SWEEPS {
            let (sweep, used) = self.cpu_at_rest()?;
            costs.push(used.saturating_sub(before.1).as_secs_f64() * 1e6 / (sweep - before.0) as f64);
            before = (sweep, used);
        }
        Ok(Summary::of(costs).median)
    }

    /// The number of a sweep that was just written, and the CPU used until then.
    fn cpu_at_rest(&mut self) -> Result<(u64, Duration), Failure> {
        let sweep = self.fresh()?;
        // The account of a thread that still runs is behind; by then it sleeps.
        thread::sleep(Duration::from_millis(50));
        Ok((sweep, cpu::of_process(self.child.id())?))
    }

    /// Waits for the next sweep and tells its number.
    pub(crate) fn fresh(&mut self) -> Result<u64, Failure> {
        self.lines.try_iter().for_each(drop);
        Ok(self.next()?.sweep)
    }

    /// Waits for sweep `number`, or the first after it that has a line, and tells its number.
    pub(crate) fn until(&mut self, number: u64) -> Result<u64, Failure> {
        for _ in 0..LINES_MOST {
            let sweep = self.next()?.sweep;
            if sweep >= number {
                return Ok(sweep);
            }
        }
        Err(Failure::NoSweeps)
    }

    fn next(&mut self) -> Result<Sweep, Failure> {
        let line = self.lines.recv_timeout(LINE_LIMIT).map_err(|_| Failure::NoSweeps)?;
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
