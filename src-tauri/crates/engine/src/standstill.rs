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

#[cfg(test)]
mod tests {
    use fanfare_rig::{NvmlCode, Unreachable};

    use super::*;
    use crate::fixtures::{eight, failing, silent, snapshot, stamp};

    #[test]
    fn the_driver_stands_still_if_one_is_stuck_and_none_answers() {
        let all = |bus: u8| Some(silent(8_000 + u64::from(bus)));
        let lost = || failing(9_000, NvmlCode::GPU_IS_LOST);
        let table = [
            ("all answer", eight(9_000, |_| None), None),
            ("seven are stuck", eight(9_000, |bus| all(bus).filter(|_| bus != 8)), None),
            ("all are stuck, the first since 8.001 s", eight(9_000, all), Some(stamp(8_001))),
            (
                "the first is lost, and the others are stuck",
                eight(9_000, |bus| if bus == 1 { Some(lost()) } else { all(bus) }),
                Some(stamp(8_002)),
            ),
            ("all are lost", eight(9_000, |_| Some(lost())), None),
            (
                "one fails, which is an answer",
                eight(9_000, |bus| if bus == 1 { Some(failing(9_000, NvmlCode::UNKNOWN)) } else { all(bus) }),
                None,
            ),
        ];
        for (case, cards, since) in table {
            assert_eq!(standstill(&snapshot(9_000, cards)), since, "{case}");
        }
    }

    #[test]
    fn without_a_card_the_start_and_the_look_ups_tell() {
        let stuck = |index, since| Unreachable { index, reason: Reason::Stuck { since: stamp(since) } };
        let lost = Unreachable { index: 0, reason: Reason::Lost };
        let read = Roster::Read;
        let table = [
            (Roster::Starting, vec![], None),
            (Roster::Failed { code: NvmlCode::UNKNOWN }, vec![], None),
            (Roster::Stuck { since: stamp(3_000) }, vec![], Some(stamp(3_000))),
            (read, vec![], None),
            (read, vec![stuck(0, 5_000), stuck(1, 4_000)], Some(stamp(4_000))),
            (read, vec![lost, stuck(1, 4_000)], None),
        ];
        for (roster, unreachable, since) in table {
            let snapshot = Snapshot { roster, unreachable, ..snapshot(9_000, vec![]) };
            assert_eq!(standstill(&snapshot), since, "{snapshot:?}");
        }
    }
}
