//! A rig's past, told as fast as it can be computed: what the driver would have answered on the day before, and who rented.
//!
//! A demo that begins with an empty history shows nothing of a history. So a rig of the same kind and seed as the demo's is made in a
//! scratch file, its clock is moved by hand, and each reading goes out as one line of JSON. On that day a cable blocks a fan until
//! its card throttles, a renter's program faults, and for forty minutes nobody looks.
//!
//! Worst case: 24 hours at a reading each ten seconds are 8,640 lines of 1.6 kB, in some 2 s of CPU; a span has 400 days at most.

use std::{
    fs,
    io::{BufWriter, Write, stdout},
    ops::Range,
    path::Path,
    time::Duration,
};

use fanfare_sim_state::{CardView, Clock, Effect, Setup, Usage, World};
use serde::Serialize;

use crate::{Failure, args::Past};

const HOUR: u64 = 3_600;

/// The card whose fan is blocked, worked hard from before that until after.
const BLOCKED: usize = 6;
const WORKED: Range<u64> = 4 * HOUR..6 * HOUR;
const FAN_BLOCKED: Range<u64> = 5 * HOUR..5 * HOUR + 2_400;
/// A renter's program faults: card, number and when.
const XID: (usize, u32, u64) = (2, 31, 13 * HOUR);
/// Nobody looks.
const UNSEEN: Range<u64> = 16 * HOUR..16 * HOUR + 2_400;

/// The readings of one moment.
#[derive(Debug, Serialize)]
struct Moment {
    /// Seconds since the past began.
    at_s: u64,
    cards: Vec<Reading>,
    /// Xids since the moment before.
    xids: Vec<Xid>,
}

/// What a driver answers of a card, in NVML's units, and whether it is rented, which no driver knows.
#[derive(Debug, Serialize)]
struct Reading {
    uuid: String,
    temperature_c: i32,
    power_mw: Option<u32>,
    power_limit_mw: u32,
    energy_mj: Option<u64>,
    utilisation: u32,
    memory_utilisation: u32,
    memory_used: u64,
    graphics_mhz: u32,
    memory_mhz: u32,
    fan_percent: Option<u32>,
    fan_rpm: Option<u32>,
    throttle: u32,
    pstate: u32,
    link_generation: u32,
    link_width: u32,
    busy: bool,
    rented: bool,
}

#[derive(Debug, Serialize)]
struct Xid {
    uuid: String,
    number: u32,
}

/// Tells the past of a rig that is made in `past.file` for this alone; the file is taken away in the end.
pub(crate) fn run(past: &Past) -> Result<(), Failure> {
    let setup = Setup { clock: Clock::Manual, seed: past.seed, ..Setup::default() };
    let world = World::create(&past.file, &setup)?;
    let told = tell(&world, past);
    remove(&past.file)?;
    told
}

fn tell(world: &World, past: &Past) -> Result<(), Failure> {
    plan(world)?;
    let mut out = BufWriter::new(stdout().lock());
    let mut before = 0;
    for at_s in (0..=past.span.as_secs()).step_by(usize::try_from(past.every.as_secs()).unwrap_or(1).max(1)) {
        world.advance(Duration::from_secs(at_s).saturating_sub(world.now()))?;
        if UNSEEN.contains(&at_s) {
            continue;
        }
        serde_json::to_writer(&mut out, &moment(world, before, at_s)?)?;
        out.write_all(b"\n")?;
        before = at_s;
    }
    Ok(out.flush()?)
}

fn plan(world: &World) -> Result<(), Failure> {
    let span = |range: Range<u64>| {
        (Duration::from_secs(range.start), Some(Duration::from_secs(range.end - range.start)))
    };
    let (worked, blocked) = (span(WORKED), span(FAN_BLOCKED));
    world.plan(&Effect::Load { card: BLOCKED, percent: Some(100) }, worked.0, worked.1)?;
    world.plan(&Effect::BlockFan { card: BLOCKED, on: true }, blocked.0, blocked.1)?;
    Ok(())
}

fn moment(world: &World, before: u64, at_s: u64) -> Result<Moment, Failure> {
    let usage = world.usage()?.cards;
    let rented = |card: &CardView| {
        usage.iter().any(|of| of.uuid == card.uuid && matches!(of.usage, Usage::Rented { .. }))
    };
    let cards = world.cards()?;
    let (slot, number, when) = XID;
    let faulted = cards.iter().find(|card| card.slot == slot && before < when && when <= at_s);
    let xids = faulted.map(|card| Xid { uuid: card.uuid.clone(), number }).into_iter().collect();
    let cards = cards.into_iter().map(|card| Reading::of(rented(&card), card)).collect();
    Ok(Moment { at_s, cards, xids })
}

impl Reading {
    fn of(rented: bool, card: CardView) -> Self {
        Self {
            temperature_c: card.temperature,
            power_mw: card.power_mw,
            power_limit_mw: card.power_limit_mw,
            energy_mj: card.energy_mj,
            utilisation: card.utilization,
            memory_utilisation: card.memory_utilization,
            memory_used: card.memory.used,
            graphics_mhz: card.graphics_mhz,
            memory_mhz: card.memory_mhz,
            fan_percent: card.fans.iter().map(|fan| fan.percent).max(),
            fan_rpm: card.fans.iter().map(|fan| fan.rpm).max(),
            throttle: card.reasons,
            pstate: card.pstate,
            link_generation: card.pcie_gen,
            link_width: card.pcie_width,
            busy: !card.processes.is_empty(),
            rented,
            uuid: card.uuid,
        }
    }
}

fn remove(file: &Path) -> Result<(), Failure> {
    Ok(fs::remove_file(file)?)
}
