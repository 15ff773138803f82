//! What recording takes: CPU a sweep, bytes written for each that stays, and how often the disk must flush.
//!
//! The first two are measured over a whole day, with the sealing of each hour and the packing of the day in them. The third is counted
//! by the system's own calls, in a process that `strace` looks at; the pace is that of the sweeps' clock and not of the wall, so hours
//! pass in a second.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use fanfare_history::{Recorder, Retention, Sweep};
use jiff::Timestamp;

use super::day::{DAY_S, Day};
use crate::{cpu, failure::Failure, figure::Figure};

/// Days that are recorded, one a round.
const ROUNDS: usize = 5;
/// Hours in which flushes are counted: three are sealed.
const HOURS: u64 = 3;

/// The three figures.
pub(super) fn measure(day: &Day) -> Result<Vec<Figure>, Failure> {
    let (mut cpu_us, mut amplification) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir()?;
        let (cpu_before, bytes_before) = (cpu::of_this_process(), written()?);
        record(folder.path(), &day.sweeps)?;
        let cpu = cpu::of_this_process().saturating_sub(cpu_before);
        cpu_us.push(cpu.as_secs_f64() * 1e6 / day.sweeps.len() as f64);
        let stays = fs::metadata(folder.path().join(fanfare_history::FILE))?.len();
        amplification.push((written()? - bytes_before) as f64 / stays as f64);
    }
    Ok(Vec::from([
        Figure::alone(
            "history_ingest_us",
            cpu_us,
            50.0,
            "µs",
            "CPU of recording a simulated day of eight cards with twelve quantities, sealing and packing included, by its sweeps",
        ),
        Figure::alone(
            "history_write_amplification",
            amplification,
            12.0,
            "times",
            "bytes given to the system to write while a day is recorded, by the bytes of the file that is left",
        ),
        Figure::alone(
            "history_fsyncs",
            vec![flushes()? as f64 / (HOURS as f64 * 60.0)],
            4.0,
            "a minute",
            "fsync and fdatasync of a process that records three hours, counted by strace",
        ),
    ]))
}

/// Records sweeps into a new history, to the last.
pub(super) fn record(folder: &Path, sweeps: &[Sweep]) -> Result<(), Failure> {
    let mut recorder = Recorder::open(folder, Retention::default(), Timestamp::UNIX_EPOCH)?.recorder;
    for sweep in sweeps {
        recorder.record(sweep)?;
    }
    Ok(recorder.flush()?)
}

/// The process that is looked at.
pub(crate) fn record_some_hours(folder: &Path) -> Result<(), Failure> {
    let day = Day::of_seconds(folder, (HOURS * 3_600).min(DAY_S))?;
    record(folder, &day.sweeps)
}

fn flushes() -> Result<usize, Failure> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("strace");
    let status = Command::new("strace")
        .args(["-f", "-e", "trace=fsync,fdatasync", "-o"])
        .arg(&log)
        .arg(env::current_exe()?)
        .arg("--record")
        .arg(folder.path())
        .stdin(Stdio::null())
        .status()
        .map_err(Failure::NoStrace)?;
    if !status.success() {
        return Err(Failure::Peer(format!("strace ended with {status}")));
    }
    let calls = fs::read_to_string(log)?;
    Ok(calls.lines().filter(|line| line.contains("fsync(") || line.contains("fdatasync(")).count())
}

/// Bytes that this process has given to the system to write.
fn written() -> Result<u64, Failure> {
    let account = fs::read_to_string("/proc/self/io")?;
    let bytes = account.lines().find_map(|line| line.strip_prefix("wchar: "));
    bytes.and_then(|bytes| bytes.parse().ok()).ok_or_else(|| Failure::Peer(account.clone()))
}
