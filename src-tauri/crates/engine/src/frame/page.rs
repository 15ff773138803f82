//! A card's page, made from what is known of the card.

use fanfare_rig::{
    CardUuid, Details, FanDetails, Occupant, Range, Reading, RecoveryAction, Sample, Seat, ThrottleReason,
    ThrottleReasons,
};
use fanfare_units::{Celsius, Duty, Stamp, Watts};
use serde::Serialize;

use super::{
    CardPage, Group, GroupCode, Missing, ProcessLine, Row, RowCode, Shown, Tile, Unit, Value,
    shown::{age_ms, shown},
    tile,
};
use crate::rig_state::RigState;

/// Where a card's values come from; either may not have been read yet.
#[derive(Clone, Copy)]
struct Known<'a> {
    sample: Option<&'a Sample>,
    details: Option<&'a Details>,
}

impl CardPage {
    /// The page of a card as of `now`; `None` if no such card is expected. A card that does not answer keeps its last values; of
    /// one that is not there only the name is told.
    pub fn of(rig: &RigState, uuid: &CardUuid, now: &Stamp) -> Option<Self> {
        let (place, seat) = (1_u32..).zip(&rig.seats).find(|(_, seat)| seat.member.uuid == *uuid)?;
        let known = Known { sample: tile::sample(seat, rig), details: tile::details(seat) };
        let groups = match seat.occupant {
            Occupant::Missing | Occupant::Unreached => vec![remembered(seat)],
            Occupant::Card(_) | Occupant::Awaited => groups(known, seat),
        };
        Some(Self {
            tile: Tile::of(place, seat, rig, now),
            details_age_ms: known.details.map(|details| age_ms(&details.at, now)),
            groups,
            processes: known.sampled(
                |sample| &sample.processes,
                |processes| processes.iter().map(ProcessLine::of).collect(),
            ),
        })
    }
}

impl ProcessLine {
    fn of(process: &fanfare_rig::Process) -> Self {
        Self {
            pid: process.pid,
            name: process.name.as_deref().map(str::to_owned),
            memory_bytes: shown(&process.memory, |bytes| bytes.0),
        }
    }
}

impl<'a> Known<'a> {
    fn sampled<T: Clone + 'a, U>(
        self,
        quantity: impl FnOnce(&'a Sample) -> &'a Reading<T>,
        f: impl FnOnce(T) -> U,
    ) -> Shown<U> {
        self.sample.map_or(Shown::none(Missing::NotYet), |sample| shown(quantity(sample), f))
    }

    fn detailed<T: Clone + 'a, U>(
        self,
        quantity: impl FnOnce(&'a Details) -> &'a Reading<T>,
        f: impl FnOnce(T) -> U,
    ) -> Shown<U> {
        self.details.map_or(Shown::none(Missing::NotYet), |details| shown(quantity(details), f))
    }

    fn fans(self, f: impl Fn(FanDetails) -> Shown<Value>) -> Shown<Value> {
        let each = |fans: Vec<FanDetails>| Value::Each { values: fans.into_iter().map(f).collect() };
        self.detailed(|details| &details.fans, each)
    }
}

fn groups(known: Known<'_>, seat: &Seat) -> Vec<Group> {
    vec![
        heat(known),
        power(known),
        work(known),
        memory(known),
        fans(known),
        link(known),
        identity(known, seat),
    ]
}

fn heat(known: Known<'_>) -> Group {
    let celsius = |celsius: Celsius| number(celsius.0, Unit::Celsius);
    group(
        GroupCode::Heat,
        [
            (RowCode::Temperature, known.sampled(|sample| &sample.temperature, celsius)),
            (RowCode::TemperatureTarget, known.detailed(|details| &details.thresholds.target, celsius)),
            (RowCode::TemperatureMax, known.detailed(|details| &details.thresholds.max_operating, celsius)),
            (RowCode::TemperatureSlowdown, known.detailed(|details| &details.thresholds.slowdown, celsius)),
            (RowCode::TemperatureShutdown, known.detailed(|details| &details.thresholds.shutdown, celsius)),
        ],
    )
}

fn power(known: Known<'_>) -> Group {
    let watts = |power: Watts| number(power.milliwatts(), Unit::Milliwatts);
    let range = |range: Range<Watts>| Value::Range {
        min: range.min.milliwatts().into(),
        max: range.max.milliwatts().into(),
        unit: Unit::Milliwatts,
    };
    let energy =
        known.sampled(|sample| &sample.energy, |energy| large(energy.millijoules(), Unit::Millijoules));
    group(
        GroupCode::Power,
        [
            (RowCode::Power, known.sampled(|sample| &sample.power, watts)),
            (RowCode::PowerLimitEnforced, known.detailed(|details| &details.power.enforced, watts)),
            (RowCode::PowerLimit, known.detailed(|details| &details.power.limit, watts)),
            (RowCode::PowerLimitDefault, known.detailed(|details| &details.power.default, watts)),
            (RowCode::PowerLimitRange, known.detailed(|details| &details.power.range, range)),
            (RowCode::Energy, energy),
        ],
    )
}

fn work(known: Known<'_>) -> Group {
    let megahertz = |clock: fanfare_units::Megahertz| number(clock.0, Unit::Megahertz);
    let share = |percent: fanfare_units::Percent| number(percent.0, Unit::Percent);
    group(
        GroupCode::Work,
        [
            (RowCode::Utilisation, known.sampled(|sample| &sample.utilisation, |busy| share(busy.gpu))),
            (RowCode::MemoryActivity, known.sampled(|sample| &sample.utilisation, |busy| share(busy.memory))),
            (RowCode::ClockGraphics, known.sampled(|sample| &sample.clock_graphics, megahertz)),
            (RowCode::ClockGraphicsMax, known.detailed(|details| &details.clock_graphics_max, megahertz)),
            (RowCode::ClockMemory, known.sampled(|sample| &sample.clock_memory, megahertz)),
            (RowCode::ClockMemoryMax, known.detailed(|details| &details.clock_memory_max, megahertz)),
            (RowCode::Pstate, known.sampled(|sample| &sample.pstate, |state| number(state, Unit::Pstate))),
            (RowCode::Throttle, known.sampled(|sample| &sample.throttle, throttle)),
            (RowCode::Recovery, known.sampled(|sample| &sample.recovery, recovery)),
        ],
    )
}

fn memory(known: Known<'_>) -> Group {
    let bytes = |quantity: fn(fanfare_rig::Memory) -> fanfare_units::Bytes| {
        known.sampled(|sample| &sample.memory, |memory| large(quantity(memory).0, Unit::Bytes))
    };
    group(
        GroupCode::Memory,
        [
            (RowCode::MemoryUsed, bytes(|memory| memory.used)),
            (RowCode::MemoryReserved, bytes(|memory| memory.reserved)),
            (RowCode::MemoryFree, bytes(|memory| memory.free)),
            (RowCode::MemoryTotal, bytes(|memory| memory.total)),
        ],
    )
}

fn fans(known: Known<'_>) -> Group {
    let duty = |duty: Duty| number(duty.0, Unit::Percent);
    let duties = known.sampled(
        |sample| &sample.fans,
        |fans| Value::Each { values: fans.iter().map(|fan| shown(fan, duty)).collect() },
    );
    let range = known.detailed(
        |details| &details.fan_range,
        |range| Value::Range { min: range.min.0.into(), max: range.max.0.into(), unit: Unit::Percent },
    );
    group(
        GroupCode::Fans,
        [
            (RowCode::FanDuty, duties),
            (RowCode::FanSpeed, known.fans(|fan| shown(&fan.speed, |speed| number(speed.0, Unit::Rpm)))),
            (RowCode::FanManual, known.fans(|fan| shown(&fan.manual, flag))),
            (RowCode::FanRange, range),
        ],
    )
}

fn link(known: Known<'_>) -> Group {
    let generation = |generation: u32| number(generation, Unit::Generation);
    let lanes = |lanes: u32| number(lanes, Unit::Lanes);
    let replays = known.sampled(|sample| &sample.pcie_replays, |count| large(count, Unit::Count));
    group(
        GroupCode::Link,
        [
            (RowCode::LinkGeneration, known.sampled(|sample| &sample.link.generation, generation)),
            (RowCode::LinkGenerationMax, known.detailed(|details| &details.link.generation_max, generation)),
            (
                RowCode::CardGenerationMax,
                known.detailed(|details| &details.link.card_generation_max, generation),
            ),
            (RowCode::LinkWidth, known.sampled(|sample| &sample.link.width, lanes)),
            (RowCode::LinkWidthMax, known.detailed(|details| &details.link.width_max, lanes)),
            (RowCode::PcieReplays, replays),
        ],
    )
}

fn identity(known: Known<'_>, seat: &Seat) -> Group {
    let mut group = remembered(seat);
    let facts = [
        (RowCode::Vbios, known.detailed(|details| &details.vbios, text)),
        (RowCode::ComputeCapability, known.detailed(|details| &details.compute_capability, text)),
        (RowCode::Persistence, known.detailed(|details| &details.persistence, flag)),
        (RowCode::Ecc, known.detailed(|details| &details.ecc, flag)),
        (RowCode::Mig, known.detailed(|details| &details.mig, flag)),
    ];
    group.rows.extend(facts.into_iter().map(row));
    group
}

/// What is known of a card that is not there.
fn remembered(seat: &Seat) -> Group {
    let known = |text: Option<String>| {
        text.map_or(Shown::none(Missing::NotYet), |text| Shown::Value(Value::Text { text }))
    };
    group(
        GroupCode::Identity,
        [
            (RowCode::Name, known(seat.member.name.clone())),
            (RowCode::Uuid, known(Some(seat.member.uuid.to_string()))),
            (RowCode::BusId, known(seat.member.slot.map(|slot| slot.to_string()))),
        ],
    )
}

fn group<const N: usize>(code: GroupCode, rows: [(RowCode, Shown<Value>); N]) -> Group {
    Group { code, rows: rows.into_iter().map(row).collect() }
}

fn row((code, value): (RowCode, Shown<Value>)) -> Row {
    Row { code, value }
}

fn number(number: impl Into<i64>, unit: Unit) -> Value {
    Value::Number { number: number.into(), unit }
}

/// A counter; beyond 2^63 it stands still, 2^10 times beyond what the page can tell apart.
fn large(number: u64, unit: Unit) -> Value {
    Value::Number { number: i64::try_from(number).unwrap_or(i64::MAX), unit }
}

const fn flag(on: bool) -> Value {
    Value::Flag { on }
}

const fn text(text: String) -> Value {
    Value::Text { text }
}

/// The reasons in force; `other` stands for all that only a later driver has a name for.
fn throttle(reasons: ThrottleReasons) -> Value {
    let named = ThrottleReason::ALL.iter().fold(0, |mask, (_, bit)| mask | bit);
    let mut codes: Vec<String> = reasons.iter().map(|reason| code(&reason)).collect();
    if reasons.0 & !named != 0 {
        codes.push("other".into());
    }
    Value::Codes { codes }
}

/// A number that only a later driver has a name for stays a number.
fn recovery(action: RecoveryAction) -> Value {
    match action {
        RecoveryAction::Other(other) => number(other, Unit::Count),
        action => Value::Codes { codes: vec![code(&action)] },
    }
}

/// A plain variant's name as it is written everywhere else.
fn code(variant: &impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}
