//! How soon the charts of a card are drawn, once what they show is there.

use serde_json::{Value, json};

use super::{
    arguments,
    driver::{Driver, Window},
    fanfare, past,
    stage::{Begins, Stage},
};
use crate::{failure::Failure, figure::Figure, rounds::ROUNDS, sweep::running::Rig};

/// So wide that a plot has 2,000 points.
const SCREEN: (u32, u32) = (2_720, 768);
/// Steps of the pointer in a drag, and CSS pixels of a step.
const STEPS: i64 = 40;
const STEP: i64 = 16;

/// Notes when the answer is in the page, and when the frame is done in which the first chart was drawn of it. A mark that comes before
/// there is a chart at all is none of it.
const WATCH: &str = r"
window.seen = { data: null, chart: null };
const mark = performance.mark.bind(performance);
performance.mark = (name, ...rest) => {
  const seen = window.seen;
  if (name === 'card-data' && seen.data === null) seen.data = performance.now();
  if (name === 'card-chart' && seen.data !== null && !seen.drawn && document.querySelector('.uplot canvas')) {
    seen.drawn = true;
    requestAnimationFrame(() => setTimeout(() => { seen.chart = performance.now(); }, 0));
  }
  return mark(name, ...rest);
};
return true;";
const FORGET: &str = "window.seen = { data: null, chart: null }; return true;";
const IS_DRAWN: &str = "return window.seen.chart !== null";
/// Notes the longest pause between two animation frames.
const PAUSES: &str = r"
window.pause = 0;
window.looks = true;
let last = null;
const look = (now) => {
  if (last !== null) window.pause = Math.max(window.pause, now - last);
  last = now;
  if (window.looks) requestAnimationFrame(look);
};
requestAnimationFrame(look);
return true;";
const TILES: &str = "return document.querySelectorAll('article[data-state=answering]').length === 8";

/// `card_view_ms`.
pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let rig = Rig::of(8, 0)?;
    let stage = wide_stage(&rig)?;
    let driver = Driver::start(&stage)?;
    let charts = Charts::open(&driver, &rig)?;
    charts.widest()?;
    let rounds: Result<Vec<f64>, Failure> = (0..ROUNDS).map(|_| charts.drawn_after()).collect();
    charts.close()?;
    let how = "in the window, over a recorded year of a card, 2,000 points a curve: from the answer's bytes in the page to the end of \
               the frame in which the first chart was drawn of them, the Card view being opened anew";
    Ok(vec![Figure::alone("card_view_ms", rounds?, 100.0, "ms", how)])
}

/// A wide stage whose first card has a year behind it.
pub(super) fn wide_stage(rig: &Rig) -> Result<Stage, Failure> {
    let stage = Stage::of_size(rig, Begins::Shown, SCREEN)?;
    let card = first_card(rig)?;
    past::year(&stage.data(), &card)?;
    Ok(stage)
}

fn first_card(rig: &Rig) -> Result<String, Failure> {
    let mut cards = rig.world.cards()?.into_iter();
    cards.next().map(|card| card.uuid).ok_or(Failure::NoSweeps)
}

/// The window with the charts of its first card.
#[derive(Debug)]
pub(super) struct Charts<'driver> {
    window: Window<'driver>,
    card: String,
}

impl<'driver> Charts<'driver> {
    /// Opens the window and, in it, the card.
    pub(super) fn open(driver: &'driver Driver, rig: &Rig) -> Result<Self, Failure> {
        let window = driver.open(&fanfare()?, &arguments()?)?;
        window.fill(SCREEN)?;
        window.until(TILES)?;
        window.until(WATCH)?;
        let charts = Self { window, card: first_card(rig)? };
        charts.look()?;
        Ok(charts)
    }

    /// Shows the card, and waits for its charts.
    fn look(&self) -> Result<(), Failure> {
        self.window.run(&format!("location.hash = '#/card/{}'", self.card))?;
        self.window.until(IS_DRAWN)
    }

    /// Shows a year from now on, and sees to it that there is one.
    pub(super) fn widest(&self) -> Result<(), Failure> {
        self.window.until(FORGET)?;
        self.window.until(
            "const year = [...document.querySelectorAll('button')].find((one) => one.textContent.trim() === '1 y');
             year?.click();
             return year !== undefined",
        )?;
        self.window.until(IS_DRAWN)?;
        let width = self.window.run("return document.querySelector('.u-over').clientWidth")?;
        if width.as_i64().is_none_or(|width| width < 2_000) {
            return Err(Failure::NoWindow(format!(
                "a plot is {width} pixels wide, too narrow for 2,000 points"
            )));
        }
        Ok(())
    }

    /// Milliseconds from the answer to the first chart, the view being opened anew.
    fn drawn_after(&self) -> Result<f64, Failure> {
        self.window.run("location.hash = '#/'")?;
        self.window.until(TILES)?;
        self.window.until(FORGET)?;
        self.look()?;
        self.number("return window.seen.chart - window.seen.data")
    }

    /// Draws a brush from left to right, lets it go, and tells the longest pause between frames until its range is shown.
    pub(super) fn longest_pause_of_a_drag(&self) -> Result<f64, Failure> {
        self.window.until(FORGET)?;
        let place = self.window.run(
            "const { x, y, height } = document.querySelector('.u-over').getBoundingClientRect();
             return [Math.round(x + 100), Math.round(y + height / 2)]",
        )?;
        let (Some(left), Some(top)) = (place[0].as_i64(), place[1].as_i64()) else {
            return Err(Failure::NoWindow(format!("no chart lies at {place}")));
        };
        let to =
            |step: i64| json!({"type": "pointerMove", "duration": 16, "x": left + step * STEP, "y": top});
        self.window.point(&[to(0)])?;
        self.window.until(PAUSES)?;
        let mut drag = vec![json!({"type": "pointerDown", "button": 0})];
        drag.extend((1..=STEPS).map(to));
        drag.push(json!({"type": "pointerUp", "button": 0}));
        self.window.point(&drag)?;
        self.window.until(IS_DRAWN)?;
        let pause = self.number("window.looks = false; return window.pause")?;
        self.widest()?;
        Ok(pause)
    }

    fn number(&self, script: &str) -> Result<f64, Failure> {
        let value: Value = self.window.run(script)?;
        value.as_f64().ok_or_else(|| Failure::NoWindow(format!("{value} is no number")))
    }

    pub(super) fn close(self) -> Result<(), Failure> {
        self.window.close()
    }
}
