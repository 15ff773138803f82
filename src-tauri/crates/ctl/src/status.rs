//! The one line that says what is wrong, or that all is well.

use fanfare_engine::RigView;
use fanfare_rig::{Condition, Occupant, Roster};

use crate::words::{self, Language};

/// How grave it is, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gravity {
    Well,
    Waiting,
    Wrong,
}

/// The line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) gravity: Gravity,
    pub(crate) text: String,
}

/// What is wrong with the rig, each card named, in seat order.
pub(crate) fn of(view: &RigView, language: Language) -> Status {
    let mut faults: Vec<String> = (1..)
        .zip(&view.seats)
        .filter_map(|(number, seat)| {
            let fault = fault(&seat.occupant, language)?;
            Some(format!("{}: {fault}", words::card(number, language)))
        })
        .collect();
    if !view.snapshot.unreachable.is_empty() {
        faults.push(words::cards_unreachable(view.snapshot.unreachable.len(), language));
    }
    if matches!(view.snapshot.roster, Roster::Stuck { .. } | Roster::Failed { .. }) {
        faults.push(words::roster_stuck(language).into());
    }
    match (faults.is_empty(), view.snapshot.roster) {
        (false, _) => Status { gravity: Gravity::Wrong, text: faults.join(" · ") },
        (true, Roster::Starting) => {
            Status { gravity: Gravity::Waiting, text: words::waiting(language).into() }
        }
        (true, _) if view.seats.is_empty() => {
            Status { gravity: Gravity::Wrong, text: words::no_cards(language).into() }
        }
        (true, _) => Status { gravity: Gravity::Well, text: words::all_well(language).into() },
    }
}

fn fault(occupant: &Occupant, language: Language) -> Option<&'static str> {
    match occupant {
        Occupant::Awaited => None,
        Occupant::Missing => Some(words::missing(language)),
        Occupant::Card(card) => match card.condition() {
            Condition::Answering => None,
            Condition::Stuck { .. } => Some(words::stuck(language)),
            Condition::Lost => Some(words::lost(language)),
            Condition::NeedsReset => Some(words::needs_reset(language)),
            Condition::Failing { .. } => Some(words::failing(language)),
        },
    }
}

/// How many of the expected cards answer.
pub(crate) fn answering(view: &RigView) -> usize {
    let answers = |occupant: &Occupant| match occupant {
        Occupant::Card(card) => card.condition() == Condition::Answering,
        Occupant::Awaited | Occupant::Missing => false,
    };
    view.seats.iter().filter(|seat| answers(&seat.occupant)).count()
}
