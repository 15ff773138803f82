//! What the brush costs while it is drawn over the charts of a card, at the most points that the history answers.
//!
//! Work is counted in Chromium, whose trace says what the main thread did in each frame. Whether anybody would see it is asked in the
//! product's own window: the pauses between the frames that WebKit draws.

use std::{fs, path::Path, process::Command};

use super::{
    card::{Charts, wide_stage},
    driver::Driver,
    trace::{Trace, p95},
};
use crate::{failure::Failure, figure::Figure, rounds::ROUNDS, sweep::running::Rig};

/// The page over recorded data.
const PAGE: &str = "ui/dist-recorded/index.html";

/// `brush_frame_ms` and `brush_gap_ms`.
pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    Ok(vec![work()?, gaps()?])
}

fn work() -> Result<Figure, Failure> {
    fs::metadata(PAGE).map_err(Failure::NoRecordedPage)?;
    let folder = tempfile::tempdir()?;
    let status = Command::new("node")
        .current_dir("ui")
        .arg("tests/bench/run.js")
        .arg(folder.path())
        .status()
        .map_err(Failure::NoNode)?;
    if !status.success() {
        return Err(Failure::NoWindow(format!("the page in Chromium ended with {status}")));
    }
    let rounds: Result<Vec<f64>, Failure> =
        (0..ROUNDS).map(|round| work_of(&folder.path().join(format!("{round}.json")))).collect();
    let how = "95th percentile over the frames of a drag of 90 steps: CPU of the page's main thread from a frame to the next, by \
               Chromium's trace, the brush drawn over six charts of nine quantities, least, greatest and mean, 2,000 points each";
    Ok(Figure::alone("brush_frame_ms", rounds?, 8.0, "ms", how))
}

fn work_of(trace: &Path) -> Result<f64, Failure> {
    let trace: Trace = serde_json::from_slice(&fs::read(trace)?)?;
    p95(trace.work_of_frames()).ok_or_else(|| Failure::NoWindow("a drag made no frames".into()))
}

fn gaps() -> Result<Figure, Failure> {
    let rig = Rig::of(8, 0)?;
    let stage = wide_stage(&rig)?;
    let driver = Driver::start(&stage)?;
    let charts = Charts::open(&driver, &rig)?;
    charts.widest()?;
    let rounds: Result<Vec<f64>, Failure> = (0..ROUNDS).map(|_| charts.longest_pause_of_a_drag()).collect();
    charts.close()?;
    let how = "the longest pause between two animation frames of the window from the press of the brush to the charts of the range \
               that it drew, over a recorded year at 2,000 points";
    Ok(Figure::alone("brush_gap_ms", rounds?, 100.0, "ms", how))
}
