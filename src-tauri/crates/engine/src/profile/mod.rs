//! The owner's rig or the demo: fixed when the process starts.
//!
//! The two never mix: each has its own directory, and the demo starts by itself only where there is nothing it could hide, that
//! is on a machine without any NVIDIA device on which no real card was ever met. Any other trouble shows the real rig with its
//! error and its missing cards; there the demo is a choice.

mod pci;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

pub use pci::{PciEvidence, look_for_nvidia};

/// Whose rig is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// The owner's rig, through the system's driver.
    Real,
    /// The simulated rig.
    Demo,
}

/// A word that names no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no profile: real or demo")]
pub struct NoProfile(String);

impl FromStr for Profile {
    type Err = NoProfile;

    /// The profile, as it is typed and displayed.
    fn from_str(typed: &str) -> Result<Self, NoProfile> {
        [Self::Real, Self::Demo]
            .into_iter()
            .find(|profile| profile.to_string() == typed)
            .ok_or_else(|| NoProfile(typed.chars().take(64).collect()))
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Real => "real",
            Self::Demo => "demo",
        })
    }
}

/// Whether the real profile ever met a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acquaintance {
    /// It has no memory of any card.
    None,
    /// It met at least one.
    Met,
    /// What it remembers cannot be read.
    Unreadable,
}

/// What the decision rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// What the user asked for.
    pub asked: Option<Profile>,
    /// What the PCI bus shows.
    pub pci: PciEvidence,
    /// What the real profile remembers.
    pub acquaintance: Acquaintance,
}

/// Why a profile was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The user asked for it.
    Asked,
    /// An NVIDIA device is on the bus.
    DevicePresent,
    /// No device is there now, but a card was met before.
    CardsRemembered,
    /// What is on the bus, or what is remembered, cannot be told.
    CannotTell,
    /// No NVIDIA device, and never a card.
    NothingToShow,
}

/// The profile for this process.
pub const fn choose(evidence: Evidence) -> (Profile, Why) {
    match evidence {
        Evidence { asked: Some(profile), .. } => (profile, Why::Asked),
        Evidence { pci: PciEvidence::Nvidia, .. } => (Profile::Real, Why::DevicePresent),
        Evidence { acquaintance: Acquaintance::Met, .. } => (Profile::Real, Why::CardsRemembered),
        Evidence { pci: PciEvidence::Unreadable, .. }
        | Evidence { acquaintance: Acquaintance::Unreadable, .. } => (Profile::Real, Why::CannotTell),
        Evidence { pci: PciEvidence::NoNvidia, acquaintance: Acquaintance::None, .. } => {
            (Profile::Demo, Why::NothingToShow)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_as_it_is_shown_and_no_other_word_is_one() {
        for profile in [Profile::Real, Profile::Demo] {
            assert_eq!(profile.to_string().parse(), Ok(profile));
        }
        for word in ["", "Demo", "demo ", "simulated"] {
            assert_eq!(word.parse::<Profile>(), Err(NoProfile(word.into())));
        }
    }

    #[test]
    fn the_demo_starts_by_itself_only_where_there_is_nothing_to_hide() {
        use Acquaintance as A;
        use PciEvidence as P;
        let table = [
            (None, P::NoNvidia, A::None, Profile::Demo, Why::NothingToShow),
            (None, P::NoNvidia, A::Met, Profile::Real, Why::CardsRemembered),
            (None, P::NoNvidia, A::Unreadable, Profile::Real, Why::CannotTell),
            (None, P::Nvidia, A::None, Profile::Real, Why::DevicePresent),
            (None, P::Nvidia, A::Met, Profile::Real, Why::DevicePresent),
            (None, P::Unreadable, A::None, Profile::Real, Why::CannotTell),
            (None, P::Unreadable, A::Met, Profile::Real, Why::CardsRemembered),
            (Some(Profile::Demo), P::Nvidia, A::Met, Profile::Demo, Why::Asked),
            (Some(Profile::Real), P::NoNvidia, A::None, Profile::Real, Why::Asked),
        ];
        for (asked, pci, acquaintance, profile, why) in table {
            let evidence = Evidence { asked, pci, acquaintance };
            assert_eq!(choose(evidence), (profile, why), "{evidence:?}");
        }
    }
}
