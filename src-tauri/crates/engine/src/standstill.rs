//! Whether the whole driver stands still, as opposed to one card.

use fanfare_rig::{Condition, Reason, Roster, Snapshot};
use fanfare_units::Stamp;

/// Since when nothing in the driver has moved: no card answers and at least one is stuck (a lost one counts for neither), or no
/// card was ever met and the driver's start, or the look-up of every card, does not return. `None` if anything moves.
///
/// The moment is that of the oldest call that is out, so it stays the same while the standstill lasts.
pub(crate) fn standstill(snapshot: &Snapshot) -> Option<Stamp> {
    if snapshot.cards.is_empty() {
        return match snapshot.roster {
            Roster::Stuck { since } => Some(since),
            Roster::Read => oldest(snapshot.unreachable.iter().map(|card| match card.reason {
                Reason::Stuck { since } => Word::Stuck(since),
                _ => Word::Answers,
            })),
            Roster::Starting | Roster::Failed { .. } => None,
        };
    }
    oldest(snapshot.cards.iter().map(|card| match card.condition() {
        Condition::Stuck { since } => Word::Stuck(since),
        Condition::Lost => Word::Lost,
        Condition::Answering | Condition::NeedsReset | Condition::Failing { .. } => Word::Answers,
    }))
}

/// What one card says of the driver.
enum Word {
    Answers,
    Lost,
    Stuck(Stamp),
}

/// The oldest of the stuck ones, unless one answers.
fn oldest(words: impl Iterator<Item = Word>) -> Option<Stamp> {
    let mut oldest: Option<Stamp> = None;
    for word in words {
        match word {
            Word::Answers => return None,
            Word::Lost => {}
            Word::Stuck(since) if oldest.is_none_or(|old| since.boottime < old.boottime) => {
                oldest = Some(since);
            }
            Word::Stuck(_) => {}
        }
    }
    oldest
}
