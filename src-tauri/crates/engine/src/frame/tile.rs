//! One card's tile.
//!
//! A card that does not answer, or only with errors, keeps its last values, with their age. One that is not there shows none, nor
//! does one that never answered.

use fanfare_rig::{Answer, Condition, Details, Occupant, Reason, Sample, Seat};
use fanfare_units::Stamp;

use super::{
    Missing, Shown, Tile, TileState, TileValues,
    shown::{age_ms, shown, wall_ms},
};
use crate::{
    occupancy::{Occupancy, Source, Usage},
    rig_state::{ProbeState, RigState},
};

/// What marketing names begin with, which no owner of a rig of them needs to read eight times.
const VENDOR_PREFIXES: [&str; 2] = ["NVIDIA ", "GeForce "];

impl Tile {
    /// The tile of the seat at `place`, counted from 1.
    pub(super) fn of(place: u32, seat: &Seat, rig: &RigState, now: &Stamp) -> Self {
        let uuid = &seat.member.uuid;
        let read = sample(seat, rig).filter(|_| answers(seat) || rig.last.contains_key(uuid));
        let values = read.map(|sample| TileValues::of(sample, details(seat), now));
        Self {
            seat: place,
            uuid: uuid.to_string(),
            name: seat.member.name.as_deref().map(short_name),
            slot: seat.member.slot.map(|slot| slot.to_string()),
            state: TileState::of(seat, rig),
            occupancy: rig.occupancy.get(uuid).cloned().unwrap_or_else(nobody_knows),
            values,
        }
    }
}

impl TileState {
    fn of(seat: &Seat, rig: &RigState) -> Self {
        match &seat.occupant {
            Occupant::Awaited => Self::Waiting,
            Occupant::Unreached => Self::unreached(rig),
            Occupant::Missing => Self::Missing { last_seen_ms: seat.member.last_seen.as_millisecond() },
            Occupant::Card(card) => match card.condition() {
                Condition::Answering => Self::Answering,
                Condition::Stuck { since } => Self::stuck(since, rig),
                Condition::Lost => Self::Lost,
                Condition::NeedsReset => Self::NeedsReset,
                Condition::Failing { code } => Self::Failing { nvml: code.0 },
            },
        }
    }

    /// By the first refusal: which of several is which nobody can tell.
    fn unreached(rig: &RigState) -> Self {
        let refusal = rig.snapshot.as_ref().and_then(|snapshot| snapshot.unreachable.first());
        match refusal.map(|card| card.reason) {
            Some(Reason::Stuck { since }) => Self::stuck(since, rig),
            _ => Self::Unreached,
        }
    }

    /// Stuck since a call began; where the whole driver hangs, since that does, though another probe's calls began later.
    fn stuck(since: Stamp, rig: &RigState) -> Self {
        let since = match rig.probe {
            ProbeState::Stuck { since: first } if first.boottime < since.boottime => first,
            _ => since,
        };
        Self::Stuck { since_ms: wall_ms(&since) }
    }
}

impl TileValues {
    fn of(sample: &Sample, details: Option<&Details>, now: &Stamp) -> Self {
        let limit = details.map(|details| &details.power.enforced);
        Self {
            at_ms: wall_ms(&sample.at),
            age_ms: age_ms(&sample.at, now),
            temperature_c: shown(&sample.temperature, |celsius| celsius.0),
            utilisation_percent: shown(&sample.utilisation, |share| share.gpu.0),
            memory_used_bytes: shown(&sample.memory, |memory| memory.used.0),
            memory_total_bytes: shown(&sample.memory, |memory| memory.usable().0),
            power_mw: shown(&sample.power, |power| power.milliwatts()),
            power_limit_mw: limit
                .map_or(Shown::none(Missing::NotYet), |limit| shown(limit, |power| power.milliwatts())),
            fans_percent: shown(&sample.fans, |fans| {
                fans.iter().map(|fan| shown(fan, |duty| duty.0)).collect()
            }),
            processes: shown(&sample.processes, |processes| {
                u32::try_from(processes.len()).unwrap_or(u32::MAX)
            }),
        }
    }
}

/// What is shown of a seat's card: its answer, or its last one with a value; where it has none, the reasons that it answered.
pub(super) fn sample<'a>(seat: &'a Seat, rig: &'a RigState) -> Option<&'a Sample> {
    let last = || rig.last.get(&seat.member.uuid).map(AsRef::as_ref);
    match &seat.occupant {
        Occupant::Missing => None,
        Occupant::Awaited | Occupant::Unreached => last(),
        Occupant::Card(card) => match (&card.answer, card.condition()) {
            (Answer::Sample(sample), Condition::Answering) => Some(sample),
            (Answer::Sample(sample), _) => last().or(Some(sample)),
            (Answer::Silent { .. }, _) => last(),
        },
    }
}

/// The slow facts of a seat's card, once they were read.
pub(super) fn details(seat: &Seat) -> Option<&Details> {
    match &seat.occupant {
        Occupant::Card(card) => card.details.as_ref(),
        Occupant::Missing | Occupant::Unreached | Occupant::Awaited => None,
    }
}

fn short_name(name: &str) -> String {
    let strip = |name, prefix| str::strip_prefix(name, prefix).unwrap_or(name);
    VENDOR_PREFIXES.into_iter().fold(name, strip).to_owned()
}

const fn nobody_knows() -> Occupancy {
    Occupancy { usage: Usage::Unknown, source: Source::Nobody }
}

/// Whether a seat's card has answered with anything.
pub(super) fn answers(seat: &Seat) -> bool {
    matches!(&seat.occupant, Occupant::Card(card) if card.condition() == Condition::Answering)
}
