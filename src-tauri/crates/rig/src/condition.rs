//! What is wrong with a card, by one answer of it.

use fanfare_units::Stamp;
use serde::{Deserialize, Serialize};

use crate::{
    answer::Answer,
    reading::{NvmlCode, Reason},
};

/// What one answer says of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// It answers; single quantities may be missing.
    Answering,
    /// A driver call on it has not returned.
    Stuck {
        /// When the call began.
        since: Stamp,
    },
    /// It fell off the bus.
    Lost,
    /// The driver wants it reset.
    NeedsReset,
    /// Every quantity fails with an error, most often this one.
    Failing {
        /// The error.
        code: NvmlCode,
    },
}

impl Condition {
    /// The worst that `answer` says.
    pub fn of(answer: &Answer) -> Self {
        let sample = match answer {
            Answer::Silent { since } => return Self::Stuck { since: *since },
            Answer::Sample(sample) => sample,
        };
        let reasons = sample.reasons().map(|(_, reason)| reason);
        if reasons.contains(&Some(Reason::Lost)) {
            return Self::Lost;
        }
        if reasons.contains(&Some(Reason::Error { code: NvmlCode::RESET_REQUIRED })) {
            return Self::NeedsReset;
        }
        match every_error(&reasons) {
            Some(code) => Self::Failing { code },
            None => Self::Answering,
        }
    }

    /// Whether the driver has just heard from the card.
    pub const fn is_heard(self) -> bool {
        !matches!(self, Self::Lost | Self::Stuck { .. })
    }
}

/// The commonest error if nothing at all was measured; the least code among equals. A card that supports nothing, or shows this
/// user nothing, is no answering card either: the driver's codes for that say which.
fn every_error(reasons: &[Option<Reason>]) -> Option<NvmlCode> {
    if reasons.contains(&None) {
        return None;
    }
    let codes: Vec<NvmlCode> = reasons
        .iter()
        .filter_map(|reason| match reason {
            Some(Reason::Error { code }) => Some(*code),
            Some(Reason::NotSupported) => Some(NvmlCode::NOT_SUPPORTED),
            Some(Reason::NoPermission) => Some(NvmlCode::NO_PERMISSION),
            _ => None,
        })
        .collect();
    let count = |code: &NvmlCode| codes.iter().filter(|other| *other == code).count();
    codes.iter().copied().max_by_key(|code| (count(code), std::cmp::Reverse(*code)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fanfare_units::{Boottime, Celsius};
    use jiff::Timestamp;

    use super::*;
    use crate::{reading::Reading, sample::Sample};

    fn stamp() -> Stamp {
        Stamp {
            wall: Timestamp::UNIX_EPOCH,
            boottime: Boottime::since_boot(Duration::from_secs(1)),
            boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
        }
    }

    fn all(reason: Reason) -> Sample {
        Sample::missing(stamp(), reason)
    }

    fn condition(sample: Sample) -> Condition {
        Condition::of(&Answer::Sample(Box::new(sample)))
    }

    #[test]
    fn each_kind_of_answer_has_its_condition() {
        let error = |code| Reason::Error { code: NvmlCode(code) };
        let one = |reason| Sample {
            temperature: Reading::Measured(Celsius(60)),
            power: Reading::missing(reason),
            ..all(Reason::NotSupported)
        };
        let table = [
            ("nothing supported", all(Reason::NotSupported), Condition::Failing { code: NvmlCode(3) }),
            ("nothing permitted", all(Reason::NoPermission), Condition::Failing { code: NvmlCode(4) }),
            ("one error among values is no failing card", one(error(999)), Condition::Answering),
            ("one lost quantity is a lost card", one(Reason::Lost), Condition::Lost),
            ("one reset wanted is a card to reset", one(error(16)), Condition::NeedsReset),
            ("every call fails", all(error(999)), Condition::Failing { code: NvmlCode(999) }),
        ];
        for (what, sample, expected) in table {
            assert_eq!(condition(sample), expected, "{what}");
        }
    }

    #[test]
    fn a_card_with_fans_whose_every_call_fails_is_failing() {
        let error = Reason::Error { code: NvmlCode(999) };
        // The number of fans is known from before; each fan's duty fails now, as everything does.
        let sample = Sample { fans: Reading::Measured(vec![Reading::missing(error); 2]), ..all(error) };
        assert_eq!(condition(sample), Condition::Failing { code: NvmlCode(999) });
    }

    #[test]
    fn a_silent_card_is_stuck_since_its_read_began() {
        assert_eq!(Condition::of(&Answer::Silent { since: stamp() }), Condition::Stuck { since: stamp() });
    }

    #[test]
    fn the_commonest_error_names_the_failure() {
        let mut sample = all(Reason::Error { code: NvmlCode(999) });
        sample.power = Reading::missing(Reason::Error { code: NvmlCode(2) });
        assert_eq!(condition(sample), Condition::Failing { code: NvmlCode(999) });
    }
}
