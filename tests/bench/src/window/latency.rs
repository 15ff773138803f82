//! How long a reading takes from the driver to its tile.

use std::{thread, time::Duration};

use serde_json::Value;

use super::{
    arguments,
    driver::{Driver, Window},
    fanfare,
    stage::{Begins, Stage},
};
use crate::{failure::Failure, figure::Figure, rounds::ROUNDS, sweep::running::Rig};

/// Frames of a round; the nineteenth of twenty is their 95th percentile.
const FRAMES: usize = 20;

/// Notes for each frame how old its sweep was once the page had taken it into its document: after the page's own handler and the
/// microtasks that it leaves behind.
const WATCH: &str = r"
window.ages = [];
const { callbacks } = window.__TAURI_INTERNALS__;
for (const [id, take] of callbacks) {
  callbacks.set(id, (sent) => {
    take(sent);
    const frame = sent?.message?.frame;
    if (frame) setTimeout(() => window.ages.push(Date.now() - frame.at_ms), 0);
  });
}
return callbacks.size > 0;";

/// `snapshot_to_dom_ms`.
pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let rig = Rig::of(8, 0)?;
    let stage = Stage::set(&rig, Begins::Shown)?;
    let driver = Driver::start(&stage)?;
    let window = driver.open(&fanfare()?, &arguments()?)?;
    window.until("return document.querySelectorAll('article[data-state=answering]').length === 8")?;
    window.until(WATCH)?;
    let rounds: Result<Vec<f64>, Failure> = (0..ROUNDS).map(|_| late(&window)).collect();
    window.close()?;
    let how = "95th percentile of 20 frames a round: age of the sweep, counted from its begin, when its frame is in the page's \
               document; eight cards, simulated driver without call cost";
    Ok(vec![Figure::alone("snapshot_to_dom_ms", rounds?, 150.0, "ms", how)])
}

/// The 95th percentile of the next [`FRAMES`] frames, in milliseconds.
fn late(window: &Window<'_>) -> Result<f64, Failure> {
    window.run("window.ages.length = 0")?;
    thread::sleep(Duration::from_secs(FRAMES as u64));
    window.until(&format!("return window.ages.length >= {FRAMES}"))?;
    let ages = window.run("return window.ages")?;
    let mut ages: Vec<f64> = ages.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    ages.truncate(FRAMES);
    ages.sort_by(f64::total_cmp);
    ages.get(FRAMES * 95 / 100 - 1).copied().ok_or_else(|| Failure::NoWindow("no frames came".into()))
}
