//! The report's text: Markdown, so that it reads well where it is pasted.

use std::fmt::{Display, Write};

use fanfare_engine::profile::Why;
use fanfare_rig::{
    Capability, Card, CardUuid, Condition, Details, EventKind, LinkState, LinkVerdict, Occupant, Quantity,
    Range, Reading, Reason, Roster, SlotBaseline, ThrottleReasons, judge_link, wire::CallCost,
};

use super::observed::{CardObserved, Observed};
use crate::{
    session::Session,
    view::{RigView, is_simulated},
};

/// The whole report.
pub(crate) fn write(observed: &Observed, session: &Session) -> String {
    let mut text = String::from("# Fanfare hardware report\n\n");
    if let Some(view) = &observed.last {
        rig(&mut text, view, observed, session);
        for seat in &view.seats {
            seat_section(&mut text, seat, observed);
        }
        events(&mut text, observed);
    }
    text
}

/// A line of a list. Writing into a `String` cannot fail, so its result is nothing to act on.
fn line(text: &mut String, name: &str, value: impl Display) {
    let _ = writeln!(text, "- {name}: {value}");
}

fn rig(text: &mut String, view: &RigView, observed: &Observed, session: &Session) {
    let kernel = rustix::system::uname();
    let driver = view.snapshot.driver.as_ref();
    let version = |pick: fn(&fanfare_rig::Driver) -> &Reading<String>| {
        driver.map_or_else(|| "not read".into(), |driver| reading(pick(driver)))
    };
    if is_simulated(session.profile, view) {
        text.push_str("**Simulated driver: every number here is made up.**\n\n");
    }
    line(text, "Fanfare", env!("CARGO_PKG_VERSION"));
    line(text, "profile", format_args!("{}, {}", session.profile, why_profile(session.why)));
    line(
        text,
        "kernel",
        format_args!("{} {}", kernel.sysname().to_string_lossy(), kernel.release().to_string_lossy()),
    );
    line(text, "driver", version(|driver| &driver.version));
    line(text, "NVML", version(|driver| &driver.library));
    line(text, "CUDA", version(|driver| &driver.cuda));
    line(text, "list of cards", roster(view.snapshot.roster));
    line(text, "expected cards", view.seats.len());
    line(text, "sweeps observed", observed.sweeps);
    line(text, "silences of the probe", observed.silences);
    for card in &view.snapshot.unreachable {
        line(text, "unreachable card", why(card.reason));
    }
}

fn seat_section(text: &mut String, seat: &fanfare_rig::Seat, observed: &Observed) {
    let name = seat.member.name.as_deref().unwrap_or("unknown card");
    let slot = seat.member.slot.map_or_else(|| "unknown slot".into(), |slot| slot.to_string());
    let _ = writeln!(text, "\n## {slot} {name} ({})\n", seat.member.uuid.short());
    let card = match &seat.occupant {
        Occupant::Card(card) => card,
        Occupant::Missing => return line(text, "state", "missing"),
        Occupant::Unreached => return line(text, "state", "unreachable, or missing"),
        Occupant::Awaited => return line(text, "state", "not known: the list of cards was not read"),
    };
    line(text, "state", condition(card.condition()));
    if let Some(details) = &card.details {
        limits(text, details);
    }
    link(text, card);
    if let Some(seen) = observed.cards.get(&card.uuid) {
        capabilities(text, card, seen);
        failures(text, seen, observed.sweeps);
    }
    calls(text, observed.calls.get(&card.uuid).map_or(&[], Vec::as_slice));
}

fn limits(text: &mut String, details: &Details) {
    line(text, "VBIOS", reading(&details.vbios));
    line(text, "compute capability", reading(&details.compute_capability));
    line(text, "persistence", reading(&details.persistence));
    line(text, "ECC", reading(&details.ecc));
    line(text, "MIG", reading(&details.mig));
    line(text, "power limit set", reading(&details.power.limit));
    line(text, "power limit by default", reading(&details.power.default));
    line(text, "power limit in force", reading(&details.power.enforced));
    line(text, "power limit range", range(&details.power.range));
    line(text, "temperature, shut-down", reading(&details.thresholds.shutdown));
    line(text, "temperature, slow-down", reading(&details.thresholds.slowdown));
    line(text, "temperature, highest operating", reading(&details.thresholds.max_operating));
    line(text, "temperature, target", reading(&details.thresholds.target));
    line(text, "fan duty range", range(&details.fan_range));
    match &details.fans {
        Reading::Missing { missing } => line(text, "fans", why(*missing)),
        Reading::Measured(fans) => {
            line(text, "fans", fans.len());
            for (number, fan) in (1..).zip(fans) {
                let words = format!("manual {}, intended {}", reading(&fan.manual), reading(&fan.speed));
                line(text, &format!("fan {number}"), words);
            }
        }
    }
    line(text, "highest graphics clock", reading(&details.clock_graphics_max));
    line(text, "highest memory clock", reading(&details.clock_memory_max));
    line(text, "PCIe generation, card and slot", reading(&details.link.generation_max));
    line(text, "PCIe generation, card alone", reading(&details.link.card_generation_max));
    line(text, "PCIe lanes, card and slot", reading(&details.link.width_max));
}

/// The link now, judged without a history: so only a link that is narrow from the start can be named.
fn link(text: &mut String, card: &Card) {
    let generation = card.read(|sample| &sample.link.generation);
    let width = card.read(|sample| &sample.link.width);
    let (Some(generation), Some(width)) = (generation.value().copied(), width.value().copied()) else {
        return;
    };
    let verdict = judge_link(LinkState { generation, width }, SlotBaseline::default(), None);
    let words = match verdict {
        LinkVerdict::AlwaysNarrow { .. } => "narrow: a riser, a slot's setting, or a bad seat",
        LinkVerdict::Unjudged
        | LinkVerdict::Sound
        | LinkVerdict::Narrowed { .. }
        | LinkVerdict::Slowed { .. } => "not judged: that takes a minute under load",
    };
    line(text, "PCIe link now", format_args!("generation {generation} x{width} ({words})"));
}

fn capabilities(text: &mut String, card: &Card, seen: &CardObserved) {
    let fanfare_rig::Answer::Sample(sample) = &card.answer else { return };
    text.push_str("\n| quantity | capability | now |\n|---|---|---|\n");
    for (quantity, capability) in seen.capabilities.iter(sample) {
        let _ = writeln!(text, "| {} | {} | {} |", name(quantity), known(capability), now(sample, quantity));
    }
}

fn failures(text: &mut String, seen: &CardObserved, sweeps: u64) {
    text.push('\n');
    line(text, "sweeps without an answer", format_args!("{} of {sweeps}", seen.silent));
    for ((quantity, words), count) in &seen.failures {
        line(
            text,
            &format!("failed {}", name(*quantity)),
            format_args!("{words}, {count} of {sweeps} sweeps"),
        );
    }
}

fn calls(text: &mut String, calls: &[CallCost]) {
    if calls.is_empty() {
        // An engine that has just begun has no figures worth telling.
        return line(text, "call times", "not known yet");
    }
    text.push_str("\n| call | made | failed | median µs | 99 % below µs |\n|---|---:|---:|---:|---:|\n");
    for cost in calls {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} | {:.1} |",
            cost.call, cost.count, cost.failed, cost.p50_us, cost.p99_us
        );
    }
}

fn events(text: &mut String, observed: &Observed) {
    if observed.events.is_empty() {
        return;
    }
    text.push_str("\n## Events\n\n");
    for event in &observed.events {
        let card = event.uuid.as_ref().map_or("unknown card", CardUuid::short);
        match event.kind {
            EventKind::Xid(number) => line(text, card, format_args!("Xid {number}")),
            EventKind::Other(bits) => line(text, card, format_args!("event {bits:#x}")),
        }
    }
}

const fn why_profile(why: Why) -> &'static str {
    match why {
        Why::Asked => "as asked for",
        Why::DevicePresent => "an NVIDIA device is present",
        Why::CardsRemembered => "cards were met before",
        Why::CannotTell => "it cannot be told whether there are cards",
        Why::NothingToShow => "no NVIDIA device, and never a card",
    }
}

fn roster(roster: Roster) -> String {
    match roster {
        Roster::Starting => "not read yet".into(),
        Roster::Read => "read".into(),
        Roster::Stuck { since } => format!("stuck since {}", since.wall),
        Roster::Failed { code } => format!("failed: error {code}"),
    }
}

fn condition(condition: Condition) -> String {
    match condition {
        Condition::Answering => "answering".into(),
        Condition::Stuck { since } => format!("stuck since {}", since.wall),
        Condition::Lost => "lost".into(),
        Condition::NeedsReset => "needs a reset".into(),
        Condition::Failing { code } => format!("failing: error {code}"),
    }
}

/// The mask with the names of its bits.
fn throttle(reasons: ThrottleReasons) -> String {
    let names: Vec<String> = reasons.iter().map(|reason| format!("{reason:?}")).collect();
    if names.is_empty() {
        format!("{:#x}", reasons.0)
    } else {
        format!("{:#x} {}", reasons.0, names.join(", "))
    }
}

fn reading<T: Display>(reading: &Reading<T>) -> String {
    match reading {
        Reading::Measured(value) => value.to_string(),
        Reading::Missing { missing } => why(*missing),
    }
}

fn range<T: Display>(range: &Reading<Range<T>>) -> String {
    match range {
        Reading::Measured(Range { min, max }) => format!("{min} to {max}"),
        Reading::Missing { missing } => why(*missing),
    }
}

fn why(reason: Reason) -> String {
    match reason {
        Reason::NotSupported => "not supported".into(),
        Reason::NoPermission => "no permission".into(),
        Reason::Lost => "lost".into(),
        Reason::Stuck { .. } => "stuck".into(),
        Reason::Error { code } => format!("error {code}"),
    }
}

fn known(capability: Capability) -> String {
    match capability {
        Capability::Unknown => "unknown".into(),
        Capability::Supported => "yes".into(),
        Capability::NotSupported => "no".into(),
        Capability::Refused => "refused to this user".into(),
        Capability::Failing(reason) => format!("failing: {}", why(reason)),
    }
}

const fn name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Temperature => "temperature",
        Quantity::Power => "power",
        Quantity::Energy => "energy counter",
        Quantity::Utilisation => "utilisation",
        Quantity::Memory => "video memory",
        Quantity::ClockGraphics => "graphics clock",
        Quantity::ClockMemory => "memory clock",
        Quantity::Pstate => "performance state",
        Quantity::Throttle => "throttle reasons",
        Quantity::Fans => "fan duties",
        Quantity::LinkGeneration => "PCIe generation",
        Quantity::LinkWidth => "PCIe lanes",
        Quantity::Processes => "compute processes",
        Quantity::PcieReplays => "PCIe replays",
        Quantity::Recovery => "recovery action",
    }
}

fn now(sample: &fanfare_rig::Sample, quantity: Quantity) -> String {
    match quantity {
        Quantity::Temperature => reading(&sample.temperature),
        Quantity::Power => reading(&sample.power),
        Quantity::Energy => reading(&sample.energy),
        Quantity::Utilisation => reading(&sample.utilisation.map(|busy| busy.gpu)),
        Quantity::Memory => reading(&sample.memory.map(|memory| memory.used)),
        Quantity::ClockGraphics => reading(&sample.clock_graphics),
        Quantity::ClockMemory => reading(&sample.clock_memory),
        Quantity::Pstate => reading(&sample.pstate.map(|state| format!("P{state}"))),
        Quantity::Throttle => reading(&sample.throttle.map(throttle)),
        Quantity::Fans => match &sample.fans {
            Reading::Measured(fans) => fans.iter().map(reading).collect::<Vec<_>>().join(", "),
            Reading::Missing { missing } => why(*missing),
        },
        Quantity::LinkGeneration => reading(&sample.link.generation),
        Quantity::LinkWidth => reading(&sample.link.width),
        Quantity::Processes => match &sample.processes {
            Reading::Measured(processes) => processes.len().to_string(),
            Reading::Missing { missing } => why(*missing),
        },
        Quantity::PcieReplays => reading(&sample.pcie_replays),
        Quantity::Recovery => reading(&sample.recovery.map(|action| format!("{action:?}"))),
    }
}
