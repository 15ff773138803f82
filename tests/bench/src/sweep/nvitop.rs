//! `sweep_vs_nvitop`: reading every field of a sweep over eight cards, by the probe's own code and by nvitop's Python API.
//!
//! Both read in a loop in a process of their own, as libraries: what the probe spends beside its reading (timing, threads, JSON,
//! the pipe) is `sweep_overhead_us`. nvitop is imported and has swept before the first round, and its `oneshot` cache is used.

use std::{path::Path, process::Command};

use super::{asked_of::Side, running::Rig};
use crate::{asked::Asked, failure::Failure, figure::Figure, programs, rounds};

const GOAL: f64 = 0.1;
/// Sweeps of one round.
const SWEEPS: u64 = 100;

pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let rig = Rig::of(8, 0)?;
    let folder = tempfile::tempdir()?;
    let mut ours = Asked::of_this_program(Side::Reading, &rig)?;
    let mut nvitop = nvitop_over(&rig, folder.path())?;
    let rounds = rounds::alternate(|| ours.cpu_us_per_sweep(SWEEPS), || nvitop.cpu_us_per_sweep(SWEEPS))?;
    let how = "CPU of reading the same fields of eight cards in a loop: the probe's code, and nvitop's Python API with oneshot, \
               import and first sweep excluded";
    Ok(vec![Figure::beside("sweep_vs_nvitop", &rounds, GOAL, "µs", how)])
}

/// nvitop over the rig; it finds the driver by its name on the library path, which is the folder.
fn nvitop_over(rig: &Rig, folder: &Path) -> Result<Asked, Failure> {
    std::os::unix::fs::symlink(programs::built("libfanfare_sim_nvml.so")?, folder.join("libnvidia-ml.so.1"))?;
    let mut command = Command::new(programs::peers_python());
    command.arg("tests/bench/peers/nvitop_sweep.py").env("LD_LIBRARY_PATH", folder);
    Asked::start(command.env("FANFARE_SIM_STATE", rig.world.path())).map_err(Failure::NoPeer)
}
