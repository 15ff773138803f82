//! `sweep_vs_nvitop`: CPU of an eight-card sweep against nvitop's Python API reading the same fields.
//!
//! Both sweep once a second, as both do in life; nvitop is imported and has swept before the first round, its `oneshot` cache is
//! used, and only what it spends within its sweeps is counted, while of the probe's process everything is.

use std::{path::Path, process::Command};

use super::{
    REAL_PACE, SWEEPS,
    running::{Probe, Rig},
};
use crate::{asked::Asked, failure::Failure, figure::Figure, programs, rounds};

const GOAL: f64 = 0.1;

pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let rig = Rig::of(8, 0)?;
    let mut probe = Probe::over(&rig, REAL_PACE)?;
    let folder = tempfile::tempdir()?;
    let mut nvitop = nvitop_over(&rig, folder.path())?;
    let rounds = rounds::alternate(|| probe.cpu_us_per_sweep(), || nvitop.cpu_us_per_sweep(SWEEPS))?;
    let how = "CPU a sweep over eight cards, both once a second; peer: nvitop's Python API, same fields, oneshot, import and first sweep excluded";
    Ok(vec![Figure::beside("sweep_vs_nvitop", &rounds, GOAL, "µs", how)])
}

/// nvitop over the rig; it finds the driver by its name on the library path, which is the folder.
fn nvitop_over(rig: &Rig, folder: &Path) -> Result<Asked, Failure> {
    std::os::unix::fs::symlink(programs::built("libfanfare_sim_nvml.so")?, folder.join("libnvidia-ml.so.1"))?;
    let mut command = Command::new(programs::peers_python());
    command.arg("tests/bench/peers/nvitop_sweep.py").env("LD_LIBRARY_PATH", folder);
    Asked::start(command.env("FANFARE_SIM_STATE", rig.world.path())).map_err(Failure::NoPeer)
}
