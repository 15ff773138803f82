//! The simulated power and temperature sensors against recorded ones (an RTX 4090 and an RTX 3090, polled every
//! 7 ms through a step of load). The cards differ, so what is compared is shape: how often a sensor updates, how
//! fast a step shows, how much a steady reading scatters, how the average follows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod reference;

use std::time::Duration;

use fanfare_sim_state::{Clock, Setup, World};
use reference::recorded;

/// One column over time: (seconds, value).
type Course = Vec<(f64, f64)>;

fn seconds(stamp: &str) -> f64 {
    let time = stamp.split(' ').nth(1).unwrap();
    time.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap())
}

/// A column of a recording, from its first sample on.
fn column(text: &str, name: &str) -> Course {
    let mut lines = text.lines();
    let place = lines.next().unwrap().split(',').position(|head| head.trim() == name).unwrap();
    let rows: Course = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            (seconds(cells[0]), cells[place].parse().unwrap())
        })
        .collect();
    let start = rows[0].0;
    rows.into_iter().map(|(at, value)| (at - start, value)).collect()
}

/// Only the samples at which the sensor gave a new value.
fn changes(course: &Course) -> Course {
    course.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).unwrap())
}

/// Mean, and standard deviation relative to it, between two instants.
fn steady(course: &Course, from: f64, to: f64) -> (f64, f64) {
    let values: Vec<f64> = course.iter().filter(|(at, _)| (from..to).contains(at)).map(|(_, v)| *v).collect();
    let level = mean(&values);
    let variance = mean(&values.iter().map(|value| (value - level).powi(2)).collect::<Vec<_>>());
    (level, variance.sqrt() / level)
}

/// Seconds from the first sample clearly off `low` to the first at `share` of the way to `high`.
fn rise(course: &Course, low: f64, high: f64, share: f64) -> f64 {
    let reached = |part: f64| course.iter().find(|(_, v)| (v - low) / (high - low) >= part).unwrap().0;
    reached(share) - reached(0.1)
}

/// The simulated card through the same step of load: 2 s of rest, 8 s of work, 6 s of rest, read every 10 ms.
struct Simulated {
    instant: Course,
    average: Course,
    temperature: Course,
}

fn simulated() -> Simulated {
    let dir = tempfile::tempdir().unwrap();
    let setup = Setup { clock: Clock::Manual, cards: Some(1), rentals: false, ..Setup::default() };
    let world = World::create(&dir.path().join("state"), &setup).unwrap();
    // Below the power cap, so that the level is the model's own.
    let mut course = Simulated { instant: vec![], average: vec![], temperature: vec![] };
    for tick in 0..1600_u32 {
        match tick {
            200 => world.load(0, Some(80)).unwrap(),
            1000 => world.load(0, Some(0)).unwrap(),
            _ => {}
        }
        let card = world.card(0).unwrap().unwrap();
        let at = f64::from(tick) / 100.0;
        course.instant.push((at, f64::from(card.power_instant_mw.unwrap()) / 1000.0));
        course.average.push((at, f64::from(card.power_mw.unwrap()) / 1000.0));
        course.temperature.push((at, f64::from(card.temperature)));
        world.advance(Duration::from_millis(10)).unwrap();
    }
    course
}

const TRACE_4090: &str = "traces/yang_4090_transient_gpudata.csv";
const TRACE_3090: &str = "traces/yang_3090_5050_gpudata.csv";

#[test]
fn the_power_sensor_updates_every_100_ms() {
    let (Some(one), Some(other)) = (recorded(TRACE_4090), recorded(TRACE_3090)) else { return };
    let gap = |course: &Course| {
        let news = changes(course);
        median(news.windows(2).map(|pair| pair[1].0 - pair[0].0).collect())
    };
    let ours = gap(&simulated().instant);
    for recorded in [column(&one, "power.draw [W]"), column(&other, "power.draw.instant [W]")] {
        // The recordings' own clock has about 7 ms of grain.
        assert!((gap(&recorded) - ours).abs() < 0.008, "{} and {ours}", gap(&recorded));
    }
    assert!((ours - 0.1).abs() < 1e-9, "{ours}");
}

#[test]
fn a_step_of_load_shows_as_fast_as_recorded() {
    let Some(text) = recorded(TRACE_4090) else { return };
    let real = column(&text, "power.draw [W]");
    let (low, high) = (steady(&real, 0.2, 1.2).0, steady(&real, 3.0, 7.0).0);
    let theirs = rise(&real, low, high, 0.95);
    let ours = simulated().instant;
    let levels = (steady(&ours, 0.0, 1.9).0, steady(&ours, 5.0, 9.9).0);
    let mine = rise(&ours, levels.0, levels.1, 0.95);
    // Both sensors give a value each 100 ms, so 95 % of the step is told within two values of one another.
    assert!((theirs - mine).abs() <= 0.2, "recorded {theirs} s, simulated {mine} s");
}

#[test]
fn a_steady_reading_scatters_as_much_as_recorded() {
    let Some(text) = recorded(TRACE_3090) else { return };
    let ours = simulated();
    let pairs = [("power.draw.instant [W]", &ours.instant), ("power.draw.average [W]", &ours.average)];
    for (name, simulated) in pairs {
        let theirs = steady(&column(&text, name), 3.0, 9.0).1;
        let mine = steady(simulated, 5.0, 9.9).1;
        // Relative scatter: the same within a factor of two.
        assert!((0.5..2.0).contains(&(mine / theirs)), "{name}: recorded {theirs:.5}, simulated {mine:.5}");
    }
}

#[test]
fn the_average_is_that_of_the_last_second() {
    let Some(text) = recorded(TRACE_3090) else { return };
    // Half of the step is in the average half a second after it is in the instant.
    let lag = |instant: &Course, average: &Course, before: (f64, f64), under: (f64, f64)| {
        let (low, high) = (steady(instant, before.0, before.1).0, steady(instant, under.0, under.1).0);
        let half = |course: &Course| course.iter().find(|(_, v)| *v >= f64::midpoint(low, high)).unwrap().0;
        half(average) - half(instant)
    };
    let (instant, average) =
        (column(&text, "power.draw.instant [W]"), column(&text, "power.draw.average [W]"));
    let theirs = lag(&instant, &average, (0.0, 1.2), (3.0, 9.0));
    let ours = simulated();
    let mine = lag(&ours.instant, &ours.average, (0.0, 1.9), (5.0, 9.9));
    // The recorded step comes in two parts 0.3 s apart, which stretches its lag by as much.
    assert!((theirs - mine).abs() <= 0.35, "recorded {theirs} s, simulated {mine} s");
}

#[test]
fn the_core_jumps_with_the_power_before_the_heatsink_follows() {
    let Some(text) = recorded(TRACE_4090) else { return };
    let (watts, core) = (column(&text, "power.draw [W]"), column(&text, "temperature.gpu"));
    let at = |course: &Course, when: f64| course.iter().find(|(at, _)| *at >= when).unwrap().1;
    // Recorded: degrees per watt within half a second of the step at 1.3 s.
    let step_w = at(&watts, 1.8) - at(&watts, 1.0);
    let theirs = (at(&core, 1.8) - at(&core, 1.0)) / step_w;
    let ours = simulated();
    let mine = (at(&ours.temperature, 2.6) - at(&ours.temperature, 1.5))
        / (at(&ours.instant, 2.6) - at(&ours.instant, 1.5));
    // A smaller chip spreads its heat over less area; it jumps more per watt, but not twice as much.
    assert!((1.0..2.0).contains(&(mine / theirs)), "recorded {theirs:.4} K/W, simulated {mine:.4} K/W");
    // And after the jump the temperature creeps: less than a tenth of the jump's slope.
    let jump = at(&core, 1.8) - at(&core, 1.2);
    assert!((at(&core, 6.8) - at(&core, 1.8)) < jump / 2.0);
    let creep = at(&ours.temperature, 8.0) - at(&ours.temperature, 2.6);
    assert!(creep < (at(&ours.temperature, 2.6) - at(&ours.temperature, 1.5)) / 2.0 + 1.0, "{creep} K");
}
