//! What the program tells: a table for people, JSON for programs.
//!
//! JSON shapes: `show` one object, [`fanfare_sim_state::RigView`]; `calls` an array of
//! `{symbol, card, count}` with `card` null for calls about no card; `sets` an array of
//! `{symbol, card, args, pid, code, at_ns}`, oldest first.

use std::io::{Write, stdout};

use fanfare_sim_state::{CardView, World};
use serde::Serialize;

use crate::Failure;

fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)?;
    Ok(writeln!(stdout().lock(), "{text}")?)
}

pub(crate) fn show(world: &World, as_json: bool) -> Result<(), Failure> {
    let view = world.view()?;
    if as_json {
        return json(&view);
    }
    let mut out = stdout().lock();
    let clock = view.speed.map_or_else(|| "manual".to_owned(), |speed| format!("real × {speed}"));
    let seconds = view.now_ns / 1_000_000_000;
    writeln!(out, "{}  driver {}  {seconds} s ({clock})", view.profile, view.driver)?;
    writeln!(out, "card idx bus id           uuid          temp   fan  power   limit  util   memory  state")?;
    for card in &view.cards {
        writeln!(out, "{}", row(card))?;
    }
    Ok(())
}

fn row(card: &CardView) -> String {
    let power = card.power_mw.map_or_else(|| "–".to_owned(), |mw| format!("{} W", mw / 1000));
    let fan = card.fans.first().map_or_else(|| "–".to_owned(), |fan| format!("{} %", fan.percent));
    let state = if card.lost { "lost".to_owned() } else { format!("P{}", card.pstate) };
    let uuid = card.uuid.get(..12).unwrap_or(&card.uuid);
    format!(
        "{:>4} {:>3} {:<16} {uuid}… {:>4} °C {fan:>5} {power:>6} {:>5} W {:>3} % {:>4} MiB  {state}",
        card.slot,
        card.index,
        card.bus_id,
        card.temperature,
        card.power_limit_mw / 1000,
        card.utilization,
        card.memory.used >> 20,
    )
}

pub(crate) fn calls(world: &World, as_json: bool, reset: bool) -> Result<(), Failure> {
    let calls = world.calls();
    if reset {
        world.reset_calls();
    }
    if as_json {
        return json(&calls);
    }
    let mut out = stdout().lock();
    for call in &calls {
        let card = call.card.map_or_else(|| "–".to_owned(), |card| card.to_string());
        writeln!(out, "{:>10}  card {card:>2}  {}", call.count, call.symbol)?;
    }
    Ok(())
}

pub(crate) fn sets(world: &World, as_json: bool) -> Result<(), Failure> {
    let sets = world.sets()?;
    if as_json {
        return json(&sets);
    }
    let mut out = stdout().lock();
    for set in &sets {
        let card = set.card.map_or_else(|| "–".to_owned(), |card| card.to_string());
        let at = set.at_ns / 1_000_000;
        let args: Vec<String> = set.args.iter().map(ToString::to_string).collect();
        let line = format!("{}({}) = {}  pid {}", set.symbol, args.join(", "), set.code, set.pid);
        writeln!(out, "{at:>10} ms  card {card:>2}  {line}")?;
    }
    Ok(())
}
