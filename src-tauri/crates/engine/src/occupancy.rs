//! What a card is used for, and who says so.
//!
//! A card that computes is busy; that it is rented only a platform can say (or, in the demo, the simulated rig's schedule). So each
//! observation carries its source, and a card of which nobody says anything is unknown, not idle.

use fanfare_rig::Reading;
use serde::{Deserialize, Serialize};

/// What a card is used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Occupancy {
    /// What it is used for.
    pub usage: Usage,
    /// Who says so.
    pub source: Source,
}

/// What a card is used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Usage {
    /// Nobody can say.
    Unknown,
    /// Nothing computes on it.
    Idle,
    /// Something computes on it; for whom is not known.
    Busy,
    /// The owner's own work, as the owner marked it.
    OwnJob,
    /// A tenant's.
    Rented {
        /// The platform's name, as it writes it.
        platform: String,
    },
}

/// Who says what a card is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Nobody: the card does not answer, or its processes cannot be listed.
    Nobody,
    /// The list of processes that compute on it.
    Processes,
    /// The owner.
    Owner,
    /// A platform.
    Platform,
    /// The simulated rig's schedule.
    Simulation,
}

/// What is known of one card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence<'a> {
    /// How many processes compute on it; missing where the driver cannot tell, or the card does not answer.
    pub processes: Reading<usize>,
    /// Whether the owner marked it as doing own work.
    pub own_job: bool,
    /// The platform that says that it is rented, and whether that is the simulation's word.
    pub rented: Option<(&'a str, Source)>,
}

impl Occupancy {
    /// What the evidence comes to. A rental outranks the owner's mark, which outranks the processes: a tenant who pauses is still a
    /// tenant, and a mark that was forgotten must not hide a rental.
    #[must_use]
    pub fn of(evidence: &Evidence<'_>) -> Self {
        match evidence {
            Evidence { rented: Some((platform, source)), .. } => {
                Self { usage: Usage::Rented { platform: (*platform).to_owned() }, source: *source }
            }
            Evidence { own_job: true, .. } => Self { usage: Usage::OwnJob, source: Source::Owner },
            Evidence { processes: Reading::Measured(0), .. } => {
                Self { usage: Usage::Idle, source: Source::Processes }
            }
            Evidence { processes: Reading::Measured(_), .. } => {
                Self { usage: Usage::Busy, source: Source::Processes }
            }
            Evidence { processes: Reading::Missing { .. }, .. } => {
                Self { usage: Usage::Unknown, source: Source::Nobody }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fanfare_rig::Reason;

    use super::*;

    #[test]
    fn who_knows_best_says_what_a_card_is_used_for() {
        let unknown = Reading::missing(Reason::Lost);
        let rented = || Usage::Rented { platform: "Vast.ai".into() };
        let vast = Some(("Vast.ai", Source::Platform));
        let table = [
            (unknown, false, None, Usage::Unknown, Source::Nobody),
            (Reading::Measured(0), false, None, Usage::Idle, Source::Processes),
            (Reading::Measured(2), false, None, Usage::Busy, Source::Processes),
            (Reading::Measured(0), true, None, Usage::OwnJob, Source::Owner),
            (unknown, true, None, Usage::OwnJob, Source::Owner),
            (Reading::Measured(1), true, vast, rented(), Source::Platform),
            (Reading::Measured(0), false, vast, rented(), Source::Platform),
            (unknown, false, Some(("Vast.ai", Source::Simulation)), rented(), Source::Simulation),
        ];
        for (processes, own_job, rented, usage, source) in table {
            let evidence = Evidence { processes, own_job, rented };
            assert_eq!(Occupancy::of(&evidence), Occupancy { usage, source }, "{evidence:?}");
        }
    }
}
