//! What is wrong with the rig, the worst first.
//!
//! - What keeps the whole rig from being read is critical, and stands before what it does to single cards: a holder that says
//!   nothing, too, because nobody else may read.
//! - A card that is missing, lost, failing, not handed out or wants a reset earns nothing until somebody acts: critical.
//! - A card or a driver that has not answered for less than ten seconds may only be slow: a warning, or at the driver's start
//!   (which takes seconds without persistence mode) nothing yet. After that it is critical.
//! - What is not kept on disk, a probe that says nothing and a list of cards that cannot be read are warnings.

use std::{cmp::Reverse, time::Duration};

use fanfare_rig::{
    Condition, NvmlCode, Occupant, Reason, Roster, Snapshot, TroubleCode, Unreachable, strangers,
};
use fanfare_units::Stamp;

use super::{
    Level, Matter, MatterCode, Status,
    shown::{nvml_of, wall_ms},
    tile,
};
use crate::{
    occupancy::Usage,
    rig_state::{Disk, FileHealth, ProbeFailure, ProbeState, RigState, Unstored},
    standstill::standstill,
};

/// A driver call that has not returned for this long is no slow one.
const SLOW_AT_MOST: Duration = Duration::from_secs(10);
/// The longest piece of an error's own words that is shown, in bytes; it bounds a frame.
const DETAIL_MOST: usize = 400;

impl Status {
    /// What is wrong with `rig`; `stale` says that its last sweep is an old one.
    pub(super) fn of(rig: &RigState, stale: bool) -> Self {
        let answering = rig.seats.iter().filter(|seat| !stale && tile::answers(seat)).count();
        let strangers = rig.snapshot.as_ref().map(|snapshot| strangers(&rig.seats, &snapshot.unreachable));
        let strangers = strangers.unwrap_or_default();
        let cards = rig.seats.len() + strangers.len();
        let mut matters = of_probe(rig);
        if let Some(snapshot) = &rig.snapshot
            && is_current(&rig.probe)
        {
            matters.extend(of_driver(&rig.probe, snapshot));
            matters.extend(of_strangers(&strangers, answering, snapshot));
            matters.extend(no_cards(rig, snapshot));
        }
        let whole = matters.iter().any(|matter| matter.code == MatterCode::DriverStuck);
        matters.extend(of_cards(rig, whole));
        matters.extend(of_disk(&rig.disk));
        // Stable: among equals the whole rig stays before its cards.
        matters.sort_by_key(|matter| Reverse(matter.level));
        let level =
            matters.first().map_or_else(|| without_matters(rig, answering == cards), |worst| worst.level);
        let rented = |usage: &Usage| matches!(usage, Usage::Rented { .. });
        Self {
            level,
            cards: count(cards),
            answering: count(answering),
            rented: count(rig.occupancy.values().filter(|occupancy| rented(&occupancy.usage)).count()),
            matters,
        }
    }
}

impl Matter {
    const fn of(code: MatterCode, level: Level) -> Self {
        Self { code, level, seats: Vec::new(), nvml: None, since_ms: None, holder: None, detail: None }
    }

    fn since(self, since: &Stamp) -> Self {
        Self { since_ms: Some(wall_ms(since)), ..self }
    }

    fn because(self, detail: &str) -> Self {
        Self { detail: Some(cut(detail)), ..self }
    }
}

/// Whether the last sweep tells how the driver is now.
const fn is_current(probe: &ProbeState) -> bool {
    match probe {
        ProbeState::Reading | ProbeState::Silent { .. } | ProbeState::Stuck { .. } => true,
        ProbeState::Starting
        | ProbeState::HolderSilent { .. }
        | ProbeState::Trouble { .. }
        | ProbeState::Failed { .. } => false,
    }
}

/// What keeps the rig from being read.
fn of_probe(rig: &RigState) -> Vec<Matter> {
    let matter = match &rig.probe {
        ProbeState::Starting | ProbeState::Reading => return Vec::new(),
        ProbeState::Silent { since } => Matter::of(MatterCode::ProbeSilent, Level::Warning).since(since),
        ProbeState::HolderSilent { holder, since } => Matter {
            holder: Some(holder.clone()),
            since_ms: Some(since.as_millisecond()),
            ..Matter::of(MatterCode::HolderSilent, Level::Critical)
        },
        ProbeState::Stuck { since } => Matter::of(MatterCode::DriverStuck, Level::Critical).since(since),
        ProbeState::Trouble { trouble } => Matter {
            nvml: trouble.nvml.map(|code| code.0),
            ..Matter::of(of_trouble(trouble.code), Level::Critical).because(&trouble.detail)
        },
        ProbeState::Failed { failure, detail } => {
            Matter::of(of_failure(*failure), Level::Critical).because(detail)
        }
    };
    vec![matter]
}

const fn of_trouble(code: TroubleCode) -> MatterCode {
    match code {
        TroubleCode::LibraryAbsent => MatterCode::LibraryAbsent,
        TroubleCode::LibraryUnusable => MatterCode::LibraryUnusable,
        TroubleCode::LibraryTooOld => MatterCode::LibraryTooOld,
        TroubleCode::VersionMismatch => MatterCode::VersionMismatch,
        TroubleCode::DriverNotLoaded => MatterCode::DriverNotLoaded,
        TroubleCode::NoPermission => MatterCode::NoPermission,
        TroubleCode::DriverFailed => MatterCode::DriverFailed,
    }
}

const fn of_failure(failure: ProbeFailure) -> MatterCode {
    match failure {
        ProbeFailure::Absent | ProbeFailure::Start => MatterCode::ProbeAbsent,
        ProbeFailure::Crashed => MatterCode::ProbeCrashed,
        ProbeFailure::Version => MatterCode::ProbeVersion,
    }
}

/// What the last sweep says of the driver as a whole.
fn of_driver(probe: &ProbeState, snapshot: &Snapshot) -> Option<Matter> {
    if matches!(probe, ProbeState::Stuck { .. }) {
        return None;
    }
    match (standstill(snapshot), snapshot.roster) {
        // A cold driver takes its time to start; cards that answered before do not.
        (Some(since), _) if snapshot.cards.is_empty() && !has_lasted(&since, snapshot) => None,
        (Some(since), _) => Some(Matter::of(MatterCode::DriverStuck, Level::Critical).since(&since)),
        (None, Roster::Stuck { since }) => {
            Some(Matter::of(MatterCode::ListStuck, Level::Warning).since(&since))
        }
        (None, Roster::Failed { code }) => {
            Some(Matter { nvml: Some(code.0), ..Matter::of(MatterCode::ListFailed, Level::Warning) })
        }
        (None, Roster::Starting | Roster::Read) => None,
    }
}

/// Cards that the driver counts and does not hand out, and that no seat accounts for. With the first one's reason: which of several
/// is which nobody can tell. Where nothing answers beside them, they are the rig.
fn of_strangers(strangers: &[Unreachable], answering: usize, snapshot: &Snapshot) -> Option<Matter> {
    let reason = strangers.first()?.reason;
    let level = if answering == 0 { Level::Critical } else { Level::Warning };
    standstill(snapshot).is_none().then(|| refused(reason, level))
}

/// A card that the driver does not hand out: because a call about it hangs, or with an error.
fn refused(reason: Reason, level: Level) -> Matter {
    match reason {
        Reason::Stuck { since } => Matter::of(MatterCode::CardStuck, level).since(&since),
        _ => Matter { nvml: nvml_of(reason), ..Matter::of(MatterCode::CardUnreached, level) },
    }
}

fn no_cards(rig: &RigState, snapshot: &Snapshot) -> Option<Matter> {
    let none = rig.seats.is_empty() && snapshot.unreachable.is_empty() && snapshot.roster == Roster::Read;
    none.then(|| Matter::of(MatterCode::NoCards, Level::Notice))
}

/// What is not kept is a warning. What was lost before this start stays a notice until the next: the owner may not have looked.
/// The history may be lost, so it is a notice in any case; the ledger may not, so it never is.
fn of_disk(disk: &Disk) -> Vec<Matter> {
    let unstored = disk.unstored.as_ref().map(|unstored| match unstored {
        Unstored::Newer(why) => Matter::of(MatterCode::StateNewer, Level::Warning).because(why),
        Unstored::Refused(why) => Matter::of(MatterCode::NotStored, Level::Warning).because(why),
    });
    let aside = disk.set_aside.as_deref();
    let aside = aside.map(|file| Matter::of(MatterCode::StateSetAside, Level::Notice).because(file));
    let is_reset = !disk.settings_reset.is_empty();
    let reset = is_reset.then(|| Matter::of(MatterCode::SettingsReset, Level::Notice));
    let history = of_file(
        &disk.history,
        Level::Notice,
        [MatterCode::HistoryNotStored, MatterCode::HistoryNewer, MatterCode::HistorySetAside],
    );
    let ledger = of_file(
        &disk.ledger,
        Level::Warning,
        [MatterCode::LedgerNotStored, MatterCode::LedgerNewer, MatterCode::LedgerSetAside],
    );
    [unstored, aside, reset].into_iter().chain(ledger).chain(history).flatten().collect()
}

/// What is wrong with one more file: that it is not written, that a newer program wrote it, that it was set aside.
fn of_file(file: &FileHealth, level: Level, [refused, newer, aside]: [MatterCode; 3]) -> [Option<Matter>; 2] {
    let unstored = file.unstored.as_ref().map(|unstored| match unstored {
        Unstored::Newer(why) => Matter::of(newer, level).because(why),
        Unstored::Refused(why) => Matter::of(refused, level).because(why),
    });
    [unstored, file.set_aside.as_deref().map(|file| Matter::of(aside, level).because(file))]
}

/// What is wrong with single cards, those of one kind and level in one matter. That each is stuck is not said beside `all_stuck`.
fn of_cards(rig: &RigState, all_stuck: bool) -> Vec<Matter> {
    let mut matters: Vec<Matter> = Vec::new();
    for (seat, place) in rig.seats.iter().zip(1_u32..) {
        let matter = match of_card(&seat.occupant, rig) {
            None => continue,
            Some(matter) if all_stuck && matter.code == MatterCode::CardStuck => continue,
            Some(matter) => matter,
        };
        let same = |other: &&mut Matter| {
            (other.code, other.level, other.nvml) == (matter.code, matter.level, matter.nvml)
        };
        match matters.iter_mut().find(same) {
            Some(other) => {
                other.seats.push(place);
                other.since_ms = other.since_ms.min(matter.since_ms);
            }
            None => matters.push(Matter { seats: vec![place], ..matter }),
        }
    }
    matters
}

fn of_card(occupant: &Occupant, rig: &RigState) -> Option<Matter> {
    let card = match occupant {
        Occupant::Awaited => return None,
        Occupant::Missing => return Some(Matter::of(MatterCode::CardMissing, Level::Critical)),
        Occupant::Unreached => return Some(unreached(rig)),
        Occupant::Card(card) => card,
    };
    match card.condition() {
        Condition::Answering => None,
        Condition::Lost => Some(Matter {
            nvml: Some(NvmlCode::GPU_IS_LOST.0),
            ..Matter::of(MatterCode::CardLost, Level::Critical)
        }),
        Condition::NeedsReset => Some(Matter {
            nvml: Some(NvmlCode::RESET_REQUIRED.0),
            ..Matter::of(MatterCode::CardNeedsReset, Level::Critical)
        }),
        Condition::Failing { code } => {
            Some(Matter { nvml: Some(code.0), ..Matter::of(MatterCode::CardFailing, Level::Critical) })
        }
        Condition::Stuck { since } => {
            let lasted = rig.snapshot.as_ref().is_some_and(|snapshot| has_lasted(&since, snapshot));
            let level = if lasted { Level::Critical } else { Level::Warning };
            Some(Matter::of(MatterCode::CardStuck, level).since(&since))
        }
    }
}

/// With the number of the first refusal: which of several is which nobody can tell.
fn unreached(rig: &RigState) -> Matter {
    let refusal = rig.snapshot.as_ref().and_then(|snapshot| snapshot.unreachable.first());
    match refusal {
        Some(card) => refused(card.reason, Level::Critical),
        None => Matter::of(MatterCode::CardUnreached, Level::Critical),
    }
}

/// Whether a call that began at `since` was no slow one any more when the sweep began.
fn has_lasted(since: &Stamp, snapshot: &Snapshot) -> bool {
    snapshot.at.since(since) >= Some(SLOW_AT_MOST)
}

/// Calm if all answer, or waiting for what nobody can know yet.
fn without_matters(rig: &RigState, all_answer: bool) -> Level {
    let listed = rig.snapshot.as_ref().is_some_and(|snapshot| snapshot.roster == Roster::Read);
    if listed && all_answer && rig.probe == ProbeState::Reading { Level::Calm } else { Level::Waiting }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The beginning of `words`, at most [`DETAIL_MOST`] bytes of it.
fn cut(words: &str) -> String {
    if words.len() <= DETAIL_MOST {
        return words.to_owned();
    }
    let mark = "…";
    format!("{}{mark}", &words[..words.floor_char_boundary(DETAIL_MOST - mark.len())])
}

#[cfg(test)]
mod tests;
