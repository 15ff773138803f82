//! The one line that says what is wrong, or that all is well.

use fanfare_rig::{Condition, Occupant, Reason, Roster, strangers};

use crate::{
    view::RigView,
    words::{self, Language},
};

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
    if let Some(trouble) = &view.trouble {
        // What keeps the whole rig from being read; that each card is missing is in its row.
        return Status { gravity: Gravity::Wrong, text: words::trouble(trouble.code, language).0.into() };
    }
    let mut faults: Vec<String> = (1..)
        .zip(&view.seats)
        .filter_map(|(number, seat)| {
            let fault = fault(&seat.occupant, language)?;
            Some(format!("{}{}{fault}", words::card(number, language), words::colon(language)))
        })
        .collect();
    faults.extend(refusals(view, language));
    match view.snapshot.roster {
        Roster::Stuck { .. } => faults.push(words::roster_stuck(language).into()),
        Roster::Failed { code } => {
            faults.push(format!(
                "{} ({})",
                words::roster_stuck(language),
                words::driver_error(code, language)
            ));
        }
        Roster::Starting | Roster::Read => {}
    }
    match (faults.is_empty(), view.snapshot.roster) {
        (false, _) => Status { gravity: Gravity::Wrong, text: faults.join(" · ") },
        (true, Roster::Starting) => {
            Status { gravity: Gravity::Waiting, text: words::waiting(language).into() }
        }
        (true, _) if view.seats.is_empty() => {
            Status { gravity: Gravity::Wrong, text: words::no_cards(language).into() }
        }
        (true, _) => Status { gravity: Gravity::Well, text: words::all_answer(language).into() },
    }
}

/// Why the driver does not hand cards out. Cards that are known to be lost are in the line already.
fn refusals(view: &RigView, language: Language) -> Option<String> {
    let known = view.seats.iter().filter(|seat| is_lost(&seat.occupant)).count();
    let lost = view.snapshot.unreachable.iter().filter(|card| card.reason == Reason::Lost).count();
    let told = view.snapshot.unreachable.iter().filter(|card| card.reason != Reason::Lost || lost > known);
    let reasons: Vec<String> = told.map(|card| words::reason(card.reason, language)).collect();
    (!reasons.is_empty()).then(|| words::refused(reasons.len(), &counted(&reasons), language))
}

/// Each reason once, in the order of the first of its kind, with its count where there are others beside it.
fn counted(reasons: &[String]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for reason in reasons {
        match kinds.iter_mut().find(|(kind, _)| kind == reason) {
            Some((_, count)) => *count += 1,
            None => kinds.push((reason, 1)),
        }
    }
    match kinds[..] {
        [(only, _)] => only.to_owned(),
        _ => kinds.iter().map(|(kind, count)| format!("{count} × {kind}")).collect::<Vec<_>>().join(", "),
    }
}

fn is_lost(occupant: &Occupant) -> bool {
    matches!(occupant, Occupant::Card(card) if card.condition() == Condition::Lost)
}

/// Whether something is wrong with who sits there.
pub(crate) fn is_fault(occupant: &Occupant) -> bool {
    fault(occupant, Language::English).is_some()
}

fn fault(occupant: &Occupant, language: Language) -> Option<&'static str> {
    match occupant {
        Occupant::Awaited => None,
        Occupant::Missing => Some(words::missing(language)),
        Occupant::Unreached => Some(words::unreached(language)),
        Occupant::Card(card) => match card.condition() {
            Condition::Answering => None,
            Condition::Stuck { .. } => Some(words::stuck(language)),
            Condition::Lost => Some(words::lost(language)),
            Condition::NeedsReset => Some(words::needs_reset(language)),
            Condition::Failing { .. } => Some(words::failing(language)),
        },
    }
}

/// How many cards the rig has: those expected, and those that the driver counts and no row accounts for.
pub(crate) fn cards(view: &RigView) -> usize {
    view.seats.len() + strangers(&view.seats, &view.snapshot.unreachable).len()
}

/// How many of the expected cards answer.
pub(crate) fn answering(view: &RigView) -> usize {
    let answers = |occupant: &Occupant| matches!(occupant, Occupant::Card(card) if card.condition() == Condition::Answering);
    view.seats.iter().filter(|seat| answers(&seat.occupant)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_said_once_with_its_count_where_there_are_several() {
        let table: [(&[&str], &str); 4] = [
            (&["stuck"], "stuck"),
            (&["stuck", "stuck", "stuck"], "stuck"),
            (&["stuck", "lost", "stuck"], "2 × stuck, 1 × lost"),
            (&["lost", "driver error 16 RESET_REQUIRED"], "1 × lost, 1 × driver error 16 RESET_REQUIRED"),
        ];
        for (reasons, said) in table {
            let reasons: Vec<String> = reasons.iter().map(|&reason| reason.to_owned()).collect();
            assert_eq!(counted(&reasons), said);
        }
    }
}
