//! One card, 100 ms later: a pure function of its state, its inputs and its profile.
//!
//! Constants come from recorded traces of a 4090 and a 3090 (`tests/traces.rs` compares): the power sensor
//! updates every 100 ms, a step of load is in the instantaneous reading within 0.4 s, the average is a plain
//! mean over one second, the core's temperature jumps with the power and the heatsink follows in a minute.
//! A step costs about 0.25 µs (`examples/cost.rs` of the library's crate).

use crate::fans;
use crate::layout::{CardRecord, MAX_FANS, NONE, WINDOW};
use crate::noise::{Use, normal, unit};
use crate::profile::Profile;
use crate::quantise::{floor64, whole};

/// The grid of simulated time.
pub const STEP_NS: u64 = 100_000_000;
const STEP_S: f64 = 0.1;

/// Share of the way to its target that board power goes in one step (time constant 0.11 s).
const POWER_SLEW: f64 = 0.6;
/// Standard deviation of one sample of the power sensor, relative to the power.
const POWER_NOISE: f64 = 0.005;
/// Standard deviation of the temperature sensor, in degrees.
const TEMPERATURE_NOISE: f64 = 0.12;
/// Steps without work after which the card falls back to P8: 2 s, as in the 4090's trace.
const IDLE_STEPS: u32 = 20;
/// Share of full work at the end of the driver's own slowdown …
const SLOWEST: f64 = 0.3;
/// … and under the hardware's: little enough that even a card without air flow gets no hotter.
const EMERGENCY: f64 = 0.1;

/// NVML clocks event reasons that the model raises.
pub mod reason {
    /// Nothing to do.
    pub const IDLE: u32 = 0x1;
    /// The power limit holds the clocks down.
    pub const SW_POWER_CAP: u32 = 0x4;
    /// Hardware slowdown of any kind.
    pub const HW_SLOWDOWN: u32 = 0x8;
    /// The driver holds the temperature down.
    pub const SW_THERMAL: u32 = 0x20;
    /// The hardware holds the temperature down.
    pub const HW_THERMAL: u32 = 0x40;
}

/// What acts on a card during a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inputs {
    /// Core utilisation asked for, 0..=1.
    pub busy: f64,
    /// Share of time in which memory is busy at full utilisation, 0..=1.
    pub memory_share: f64,
    /// Process that does the work; 0 for none.
    pub pid: u32,
    /// Its memory in bytes.
    pub process_bytes: u64,
    /// Room temperature.
    pub ambient_c: f64,
    /// Core temperature is held here.
    pub pin_c: Option<f64>,
    /// The blades do not turn.
    pub fan_blocked: bool,
}

/// A card as it comes up at `step`: at rest, settled at the room's temperature, all settings the driver's.
#[must_use]
pub fn fresh(profile: &Profile, seed: u64, board: u32, step: u64, ambient_c: f64) -> CardRecord {
    let idle_w = profile.power.idle_w;
    let heatsink = ambient_c + idle_w / (profile.cooling.still * quality(seed, board));
    CardRecord {
        step,
        settled_at: 0,
        reload_at: 0,
        reload_seq: 0,
        capped_ns: 0,
        thermal_ns: 0,
        process_bytes: 0,
        process_since: 0,
        heatsink_c: heatsink,
        die_c: heatsink + profile.cooling.die * idle_w,
        power_w: idle_w,
        energy_mj: 0.0,
        blades: 0.0,
        auto_fan: 0.0,
        power_window_mw: [whole(idle_w * 1000.0); WINDOW],
        busy_window: [0; WINDOW],
        fan_target: [0; MAX_FANS],
        fan_manual: [0; MAX_FANS],
        board,
        power_limit_mw: profile.power.default_mw,
        persistence: 0,
        spinning: 0,
        pstate: 8,
        idle_steps: IDLE_STEPS,
        graphics_mhz: profile.clocks.idle.graphics,
        memory_mhz: profile.clocks.idle.memory,
        video_mhz: profile.clocks.idle.video,
        reasons: reason::IDLE,
        memory_busy: profile.memory.idle_busy,
        pid: 0,
    }
}

/// An empty slot at `step`.
#[must_use]
pub fn vacant(profile: &Profile, step: u64) -> CardRecord {
    CardRecord { board: NONE, ..fresh(profile, 0, 0, step, 0.0) }
}

/// What a driver reload does: settings and counters are a fresh start's, the metal stays warm.
#[must_use]
pub fn reloaded(card: &CardRecord, profile: &Profile, reload: (u64, u64)) -> CardRecord {
    CardRecord {
        reload_at: reload.0,
        reload_seq: reload.1,
        energy_mj: 0.0,
        capped_ns: 0,
        thermal_ns: 0,
        fan_target: [0; MAX_FANS],
        fan_manual: [0; MAX_FANS],
        power_limit_mw: profile.power.default_mw,
        persistence: 0,
        ..*card
    }
}

/// Cooling of this very board against its kind's: 0.93..=1.07.
fn quality(seed: u64, board: u32) -> f64 {
    0.93 + 0.14 * unit(seed, Use::Cooling, u64::from(board), 0)
}

/// The card one step later.
#[must_use]
pub fn step(card: &CardRecord, inputs: &Inputs, profile: &Profile, seed: u64) -> CardRecord {
    let mut next = CardRecord { step: card.step + 1, ..*card };
    work(&mut next, card, inputs, profile);
    let throttle = throttle(card, profile);
    power(&mut next, inputs, profile, throttle);
    sense_power(&mut next, seed);
    fans::turn(&mut next, profile);
    heat(&mut next, inputs, profile, seed);
    next
}

/// Load, process and performance state.
fn work(next: &mut CardRecord, card: &CardRecord, inputs: &Inputs, profile: &Profile) {
    if inputs.pid != card.pid {
        next.process_since = next.step * STEP_NS;
    }
    next.pid = inputs.pid;
    next.process_bytes = inputs.process_bytes;
    next.idle_steps = if inputs.busy > 0.0 { 0 } else { card.idle_steps.saturating_add(1) };
    next.pstate = if next.idle_steps >= IDLE_STEPS { 8 } else { 2 };
    shift_in(&mut next.busy_window, next.step, whole(inputs.busy * 100.0));
    next.memory_busy = if next.pstate == 8 {
        profile.memory.idle_busy
    } else {
        whole(inputs.busy * inputs.memory_share * 100.0)
    };
}

/// The share of full clocks that the temperature permits, and the reasons.
fn throttle(card: &CardRecord, profile: &Profile) -> (f64, u32) {
    let over = |limit: u32| card.die_c - f64::from(limit);
    if over(profile.thresholds.slowdown) >= 0.0 {
        return (EMERGENCY, reason::HW_SLOWDOWN | reason::HW_THERMAL | reason::SW_THERMAL);
    }
    let above = over(profile.thresholds.target);
    if above < 0.0 {
        return (1.0, 0);
    }
    let span = f64::from(profile.thresholds.slowdown - profile.thresholds.target);
    (1.0 - (1.0 - SLOWEST) * above / span, reason::SW_THERMAL)
}

/// Board power, clocks and event reasons.
fn power(next: &mut CardRecord, inputs: &Inputs, profile: &Profile, (permitted, thermal): (f64, u32)) {
    let p = &profile.power;
    if next.pstate == 8 {
        next.power_w += POWER_SLEW * (p.idle_w - next.power_w);
        set_clocks(next, profile.clocks.idle, 1.0);
        next.reasons = reason::IDLE;
        return;
    }
    let wanted_w = p.active_w + (p.peak_w - p.active_w) * inputs.busy * permitted;
    let limit_w = f64::from(next.power_limit_mw) / 1000.0;
    let capped = wanted_w > limit_w;
    next.power_w += POWER_SLEW * (wanted_w.min(limit_w) - next.power_w);
    // Dynamic power goes with about the cube of the clock when the voltage follows it.
    let share = if capped { (limit_w / wanted_w).cbrt() * permitted } else { permitted };
    set_clocks(next, profile.clocks.load, share);
    next.reasons = thermal | if capped { reason::SW_POWER_CAP } else { 0 };
    next.capped_ns += if capped { STEP_NS } else { 0 };
    next.thermal_ns += if thermal == 0 { 0 } else { STEP_NS };
}

/// Clocks move in steps of 15 MHz; only the core's follow the cap.
fn set_clocks(next: &mut CardRecord, clocks: crate::profile::ClockSet, share: f64) {
    next.graphics_mhz = whole(f64::from(clocks.graphics) * share / 15.0) * 15;
    next.memory_mhz = clocks.memory;
    next.video_mhz = clocks.video;
}

fn sense_power(next: &mut CardRecord, seed: u64) {
    let noise = 1.0 + POWER_NOISE * normal(seed, Use::Power, u64::from(next.board), next.step);
    shift_in(&mut next.power_window_mw, next.step, whole(next.power_w * 1000.0 * noise));
    next.energy_mj += next.power_w * 1000.0 * STEP_S;
}

/// Heat in from the board, out by the air; the core sits above the heatsink in proportion to the power.
fn heat(next: &mut CardRecord, inputs: &Inputs, profile: &Profile, seed: u64) {
    let c = &profile.cooling;
    let flow = if inputs.fan_blocked { 0.0 } else { next.blades.powf(0.8) };
    let conductance = (c.still + c.flow * flow) * quality(seed, next.board);
    let out_w = (next.heatsink_c - inputs.ambient_c) * conductance;
    next.heatsink_c += (next.power_w - out_w) * STEP_S / c.capacity;
    if let Some(pin) = inputs.pin_c {
        next.heatsink_c = pin - c.die * next.power_w;
        next.die_c = pin;
        return;
    }
    let noise = TEMPERATURE_NOISE * normal(seed, Use::Temperature, u64::from(next.board), next.step);
    next.die_c = next.heatsink_c + c.die * next.power_w + noise;
}

/// Puts a sample into its place of a window over the last second.
fn shift_in(window: &mut [u32; WINDOW], step: u64, sample: u32) {
    let place = usize::try_from(step).unwrap_or(0) % WINDOW;
    if let Some(cell) = window.get_mut(place) {
        *cell = sample;
    }
}

/// Mean of a window.
#[must_use]
pub fn mean(window: &[u32; WINDOW]) -> f64 {
    f64::from(window.iter().sum::<u32>()) / 10.0
}

/// Newest sample of a window.
#[must_use]
pub fn newest(window: &[u32; WINDOW], step: u64) -> u32 {
    let place = usize::try_from(step).unwrap_or(0) % WINDOW;
    window.get(place).copied().unwrap_or(0)
}

/// Energy counter as reported: whole millijoules.
#[must_use]
pub fn energy_mj(card: &CardRecord) -> u64 {
    floor64(card.energy_mj)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::RTX4060X8 as P;

    fn idle() -> Inputs {
        Inputs {
            busy: 0.0,
            memory_share: 0.5,
            pid: 0,
            process_bytes: 0,
            ambient_c: 25.0,
            pin_c: None,
            fan_blocked: false,
        }
    }

    fn after(seconds: u64, from: &CardRecord, inputs: &Inputs) -> CardRecord {
        (0..seconds * 10).fold(*from, |card, _| step(&card, inputs, &P, 1))
    }

    fn start() -> CardRecord {
        fresh(&P, 1, 0, 0, 25.0)
    }

    #[test]
    fn idle_is_cool_silent_and_slow() {
        let card = after(600, &start(), &idle());
        assert_eq!((card.pstate, card.graphics_mhz, card.memory_mhz, card.reasons), (8, 210, 405, 1));
        assert_eq!(card.auto_fan, 0.0, "zero RPM");
        // 11.5 W over 0.75 W/K (±7 %) above 25 °C is 40.3 °C, 0.9 for the core: 39.3..42.4 with the noise.
        assert!((38.5..43.0).contains(&card.die_c), "{}", card.die_c);
    }

    #[test]
    fn full_work_meets_the_power_cap_and_settles_below_the_target() {
        let card = after(900, &start(), &Inputs { busy: 1.0, ..idle() });
        assert_eq!(card.pstate, 2);
        assert_eq!(card.reasons, reason::SW_POWER_CAP);
        assert!((card.power_w - 115.0).abs() < 0.01, "{}", card.power_w);
        // 2745 MHz × (115/128)^(1/3) = 2648.7 MHz, in steps of 15: 177 × 15 = 2655.
        assert_eq!(card.graphics_mhz, 2655);
        assert!((60.0..84.0).contains(&card.die_c), "{}", card.die_c);
        assert!(card.auto_fan > 30.0);
    }

    #[test]
    fn a_blocked_fan_reads_normal_while_the_card_overheats() {
        let blocked = Inputs { busy: 1.0, fan_blocked: true, ..idle() };
        let card = after(900, &start(), &blocked);
        assert!((88.0..98.0).contains(&card.die_c), "the hardware holds it at 96 °C: {}", card.die_c);
        assert!(card.auto_fan > 99.0, "the reading is what the driver intends: {}", card.auto_fan);
        assert_ne!(card.reasons & reason::SW_THERMAL, 0);
        assert!(card.graphics_mhz < 2655);
    }

    #[test]
    fn hardware_slowdown_begins_at_its_threshold() {
        let pinned = |c| after(1, &start(), &Inputs { busy: 1.0, pin_c: Some(c), ..idle() });
        assert_eq!(pinned(83.0).reasons & (reason::SW_THERMAL | reason::HW_THERMAL), 0);
        assert_eq!(pinned(90.0).reasons & (reason::SW_THERMAL | reason::HW_THERMAL), reason::SW_THERMAL);
        let hot = pinned(96.0);
        assert_eq!(hot.reasons, reason::HW_SLOWDOWN | reason::HW_THERMAL | reason::SW_THERMAL);
        // 2745 × 0.1 = 274.5 MHz, in steps of 15: 270.
        assert_eq!(hot.graphics_mhz, 270);
    }

    #[test]
    fn energy_is_the_integral_of_power() {
        // Settled at the cap 115 W, 100 s are 11 500 J.
        let warm = after(900, &start(), &Inputs { busy: 1.0, ..idle() });
        let later = after(100, &warm, &Inputs { busy: 1.0, ..idle() });
        let joules = (later.energy_mj - warm.energy_mj) / 1000.0;
        assert!((joules - 11_500.0).abs() < 1.0, "{joules}");
    }

    #[test]
    fn the_average_lags_the_instant_by_a_second() {
        let warm = after(900, &start(), &Inputs { busy: 1.0, ..idle() });
        let half = (0..5).fold(warm, |card, _| step(&card, &idle(), &P, 1));
        // Still P2: power falls to 27 W by 60 % a step. Five steps: 62.2, 41.1, 32.6, 29.3, 27.9 W; with five
        // samples of 115 W the mean is 76.8 W.
        let average = mean(&half.power_window_mw) / 1000.0;
        assert!((average - 76.8).abs() < 1.0, "{average}");
        let instant = f64::from(newest(&half.power_window_mw, half.step)) / 1000.0;
        assert!((instant - 27.9).abs() < 0.5, "{instant}");
    }

    #[test]
    fn p8_returns_two_seconds_after_the_last_work() {
        let warm = after(10, &start(), &Inputs { busy: 1.0, ..idle() });
        let steps = |n| (0..n).fold(warm, |card, _| step(&card, &idle(), &P, 1));
        assert_eq!(steps(19).pstate, 2);
        assert_eq!(steps(20).pstate, 8);
    }

    #[test]
    fn a_reload_resets_settings_and_counters_and_leaves_the_heat() {
        let mut card = after(60, &start(), &Inputs { busy: 1.0, ..idle() });
        (card.fan_manual, card.fan_target) = ([1; MAX_FANS], [80; MAX_FANS]);
        (card.power_limit_mw, card.persistence) = (90_000, 1);
        let reloaded = reloaded(&card, &P, (5, 6));
        assert_eq!((reloaded.energy_mj, reloaded.power_limit_mw, reloaded.persistence), (0.0, 115_000, 0));
        assert_eq!(reloaded.fan_manual, [0; MAX_FANS]);
        assert_eq!((reloaded.reload_at, reloaded.reload_seq), (5, 6));
        assert_eq!(reloaded.die_c, card.die_c);
    }

    #[test]
    fn a_process_keeps_its_start_until_it_changes() {
        let one = after(3, &start(), &Inputs { busy: 1.0, pid: 5, ..idle() });
        assert_eq!(one.process_since, STEP_NS);
        let two = after(1, &one, &Inputs { busy: 1.0, pid: 6, ..idle() });
        assert_eq!(two.process_since, 31 * STEP_NS);
    }
}
