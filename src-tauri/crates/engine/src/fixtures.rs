//! Hand-made rigs for tests: eight cards that answer, and what may be wrong with them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use fanfare_rig::{
    Answer, BusId, Card, CardUuid, Details, Driver, FanDetails, Inventory, Link, LinkLimits, Member, Memory,
    NvmlCode, PowerLimits, Process, Range, Reading, Reason, RecoveryAction, Roster, Sample, Seen, Snapshot,
    Standing, Thresholds, ThrottleReasons, Utilisation,
};
use fanfare_units::{Boottime, Bytes, Celsius, Duty, Energy, Megahertz, Percent, Rpm, Stamp, Watts};
use jiff::Timestamp;

use crate::{
    occupancy::{Occupancy, Source, Usage},
    profile::Profile,
    rig_state::{Disk, ProbeState, RigState},
};

/// The wall clock at boot, in milliseconds since 1970.
pub(crate) const BOOT_MS: i64 = 1_796_000_000_000;

/// So many milliseconds after boot.
pub(crate) fn stamp(milliseconds: u64) -> Stamp {
    Stamp {
        wall: Timestamp::from_millisecond(BOOT_MS + i64::try_from(milliseconds).unwrap()).unwrap(),
        boottime: Boottime::since_boot(Duration::from_millis(milliseconds)),
        boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
    }
}

/// The card of the slot on bus `bus`.
pub(crate) fn uuid(bus: u8) -> CardUuid {
    format!("GPU-00000000-0000-0000-0000-0000000000{bus:02x}").parse().unwrap()
}

pub(crate) fn slot(bus: u8) -> BusId {
    format!("0000:{bus:02x}:00.0").parse().unwrap()
}

/// A sample in which every quantity has a value of its own.
pub(crate) fn sample(at: Stamp) -> Sample {
    let measured = Reading::Measured;
    Sample {
        at,
        temperature: measured(Celsius(64)),
        power: Reading::Measured(Watts::from_milliwatts(101_000)),
        energy: Reading::Measured(Energy::from_millijoules(7_200_000)),
        utilisation: Reading::Measured(Utilisation { gpu: Percent(97), memory: Percent(55) }),
        memory: Reading::Measured(Memory {
            total: Bytes(8_000),
            used: Bytes(5_000),
            reserved: Bytes(400),
            free: Bytes(2_600),
        }),
        clock_graphics: Reading::Measured(Megahertz(2_505)),
        clock_memory: Reading::Measured(Megahertz(8_501)),
        pstate: Reading::Measured(2),
        // Power cap, and a bit of a later driver.
        throttle: Reading::Measured(ThrottleReasons(0x4 | 1 << 40)),
        fans: Reading::Measured(vec![
            Reading::Measured(Duty(61)),
            Reading::missing(Reason::Error { code: NvmlCode(999) }),
        ]),
        link: Link { generation: Reading::Measured(4), width: Reading::Measured(8) },
        processes: Reading::Measured(vec![Process {
            pid: 4_711,
            name: Some("python3".into()),
            memory: Reading::Measured(Bytes(4_900)),
        }]),
        pcie_replays: Reading::Measured(3),
        recovery: Reading::Measured(RecoveryAction::None),
    }
}

/// Slow facts in which every quantity has a value of its own, or is one that a GeForce lacks.
pub(crate) fn details(bus: u8, at: Stamp) -> Details {
    let lacks = Reason::NotSupported;
    Details {
        at,
        name: Reading::Measured("NVIDIA GeForce RTX 4060".into()),
        bus_id: Reading::Measured(slot(bus)),
        vbios: Reading::Measured("95.07.2a.00.11".into()),
        compute_capability: Reading::Measured("8.9".into()),
        persistence: Reading::Measured(true),
        power: PowerLimits {
            limit: Reading::Measured(Watts::from_milliwatts(112_000)),
            default: Reading::Measured(Watts::from_milliwatts(115_000)),
            enforced: Reading::Measured(Watts::from_milliwatts(110_000)),
            range: Reading::Measured(Range {
                min: Watts::from_milliwatts(70_000),
                max: Watts::from_milliwatts(116_000),
            }),
        },
        thresholds: Thresholds {
            shutdown: Reading::Measured(Celsius(100)),
            slowdown: Reading::Measured(Celsius(95)),
            max_operating: Reading::Measured(Celsius(90)),
            target: Reading::Measured(Celsius(83)),
        },
        fans: Reading::Measured(vec![FanDetails {
            manual: Reading::Measured(true),
            target: Reading::Measured(Duty(60)),
            speed: Reading::Measured(Rpm(1_850)),
        }]),
        fan_range: Reading::Measured(Range { min: Duty(30), max: Duty(100) }),
        link: LinkLimits {
            generation_max: Reading::Measured(3),
            card_generation_max: Reading::Measured(4),
            width_max: Reading::Measured(8),
        },
        clock_graphics_max: Reading::Measured(Megahertz(3_105)),
        clock_memory_max: Reading::Measured(Megahertz(8_601)),
        ecc: Reading::missing(lacks),
        mig: Reading::missing(lacks),
    }
}

/// The card of a slot, with its slow facts and this answer.
pub(crate) fn card(bus: u8, answer: Answer) -> Card {
    Card { uuid: uuid(bus), details: Some(details(bus, stamp(0))), answer }
}

/// It answers at `at`.
pub(crate) fn answering(at: u64) -> Answer {
    Answer::Sample(Box::new(sample(stamp(at))))
}

/// It has not answered since.
pub(crate) fn silent(since: u64) -> Answer {
    Answer::Silent { since: stamp(since) }
}

/// It answers every question with this error.
pub(crate) fn failing(at: u64, code: NvmlCode) -> Answer {
    Answer::Sample(Box::new(Sample::missing(stamp(at), code.into())))
}

/// A sweep at `at` over these cards, from a list that was read.
pub(crate) fn snapshot(at: u64, cards: Vec<Card>) -> Snapshot {
    Snapshot {
        sweep: 7,
        at: stamp(at),
        driver: Some(Driver {
            version: Reading::Measured("595.71.05".into()),
            library: Reading::Measured("13.595.71.05".into()),
            cuda: Reading::missing(Reason::NoPermission),
            simulated: false,
        }),
        roster: Roster::Read,
        cards,
        unreachable: Vec::new(),
        events: Vec::new(),
        events_dropped: 0,
    }
}

/// Cards on the buses 1 to 8, last seen at boot.
pub(crate) fn inventory() -> Inventory {
    Inventory::of((1..=8).map(|bus| Member {
        uuid: uuid(bus),
        slot: Some(slot(bus)),
        name: Some("NVIDIA GeForce RTX 4060".into()),
        first_seen: stamp(0).wall,
        last_seen: stamp(0).wall,
        standing: Standing::Expected,
    }))
}

/// The owner's rig of eight as this sweep found it, read once a second; the last answers are of 5 s after boot.
pub(crate) fn rig(snapshot: Snapshot) -> RigState {
    let mut inventory = inventory();
    // Cards beyond the eight were met before, however they do now.
    let met = |card: &Card| Seen {
        uuid: card.uuid.clone(),
        slot: card.details.as_ref().and_then(|details| details.bus_id.value().copied()),
        name: None,
        heard: true,
    };
    inventory.observe(&snapshot.cards.iter().map(met).collect::<Vec<_>>(), stamp(0).wall);
    let idle = Occupancy { usage: Usage::Idle, source: Source::Processes };
    let seats = inventory.seats(&snapshot);
    let names = || seats.iter().map(|seat| seat.member.uuid.clone());
    RigState {
        number: 40,
        profile: Profile::Real,
        interval: Duration::from_secs(1),
        probe: ProbeState::Reading,
        last: names().map(|uuid| (uuid, Arc::new(sample(stamp(5_000))))).collect(),
        occupancy: names().map(|uuid| (uuid, idle.clone())).collect::<BTreeMap<_, _>>(),
        seats,
        snapshot: Some(Arc::new(snapshot)),
        changes: Vec::new(),
        disk: Disk::default(),
    }
}

/// The cards of eight slots, all answering at `at` but those that `other` tells otherwise of.
pub(crate) fn eight(at: u64, other: impl Fn(u8) -> Option<Answer>) -> Vec<Card> {
    (1..=8).map(|bus| card(bus, other(bus).unwrap_or_else(|| answering(at)))).collect()
}
