//! How soon the first tiles are there, beside the first words of the bare window.

use std::{path::Path, time::Instant};

use super::{
    arguments, bare,
    driver::Driver,
    fanfare,
    stage::{Begins, Stage},
};
use crate::{failure::Failure, figure::Figure, rounds::alternate, sweep::running::Rig};

/// Eight cards that answer.
const TILES: &str = "return document.querySelectorAll('article[data-state=answering]').length === 8";
/// The bare window's text.
const WORDS: &str = "return (document.getElementById('frame')?.innerText ?? '') !== ''";

/// `first_tiles_vs_bare_paint`.
pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let rig = Rig::of(8, 0)?;
    let stage = Stage::set(&rig, Begins::Shown)?;
    let (fanfare, bare, arguments) = (fanfare()?, bare()?, arguments()?);
    let rounds =
        alternate(|| first(&stage, &fanfare, &arguments, TILES), || first(&stage, &bare, &[], WORDS))?;
    let how = "from the start of the program to eight tiles with readings in the page, and to the bare window's text, both started \
               and asked by a web driver";
    Ok(vec![Figure::beside("first_tiles_vs_bare_paint", &rounds, 1.5, "ms", how)])
}

/// Milliseconds from a start until `seen` is true.
fn first(stage: &Stage, program: &Path, arguments: &[String], seen: &str) -> Result<f64, Failure> {
    let driver = Driver::start(stage)?;
    let started = Instant::now();
    let window = driver.open(program, arguments)?;
    window.until(seen)?;
    let took = started.elapsed();
    window.close()?;
    Ok(took.as_secs_f64() * 1e3)
}
