//! What a card's sensors can do, learned from what they answered.
//!
//! "Not supported" is a fact of the board and must never look like a fault; "failed just now" must never look like a fact of the
//! board. One answer cannot tell them apart for good, so capabilities are folded over answers: a value proves support for ever.

use serde::{Deserialize, Serialize};

use crate::{quantity::Quantity, reading::Reason, sample::Sample};

/// Whether a card can give one quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// It never answered; nothing is known.
    Unknown,
    /// It was measured at least once.
    Supported,
    /// The driver says that it has no such sensor.
    NotSupported,
    /// The driver refuses it to this user.
    Refused,
    /// So far it only failed, last like this.
    Failing(Reason),
}

impl Capability {
    /// What is known after one more answer.
    #[must_use]
    pub const fn after(self, missing: Option<Reason>) -> Self {
        match (self, missing) {
            (_, None) | (Self::Supported, _) => Self::Supported,
            (_, Some(Reason::NotSupported)) => Self::NotSupported,
            (_, Some(Reason::NoPermission)) => Self::Refused,
            // A card that falls off the bus takes no sensor away.
            (Self::NotSupported | Self::Refused, Some(_)) => self,
            (Self::Unknown | Self::Failing(_), Some(reason)) => Self::Failing(reason),
        }
    }
}

/// The capabilities of one card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities([Capability; Quantity::COUNT]);

impl Default for Capabilities {
    fn default() -> Self {
        Self([Capability::Unknown; Quantity::COUNT])
    }
}

impl Capabilities {
    /// What is known after one more sample.
    #[must_use]
    pub fn after(mut self, sample: &Sample) -> Self {
        for (capability, (_, missing)) in self.0.iter_mut().zip(sample.reasons()) {
            *capability = capability.after(missing);
        }
        self
    }

    /// Every quantity with what is known of it, in the order of [`Sample::reasons`].
    pub fn iter<'a>(&'a self, sample: &Sample) -> impl Iterator<Item = (Quantity, Capability)> + use<'a> {
        sample.reasons().map(|(quantity, _)| quantity).into_iter().zip(self.0.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::NvmlCode;

    #[test]
    fn a_value_proves_support_and_a_failure_disproves_nothing() {
        let lost = Some(Reason::Lost);
        let failed = Some(Reason::Error { code: NvmlCode(999) });
        let none = Some(Reason::NotSupported);
        let refused = Some(Reason::NoPermission);
        let table: [(&[Option<Reason>], Capability); 8] = [
            (&[], Capability::Unknown),
            (&[None], Capability::Supported),
            (&[None, lost, failed, none], Capability::Supported),
            (&[none], Capability::NotSupported),
            (&[none, lost], Capability::NotSupported),
            (&[refused, failed], Capability::Refused),
            (&[failed], Capability::Failing(Reason::Error { code: NvmlCode(999) })),
            (&[lost, None], Capability::Supported),
        ];
        for (answers, expected) in table {
            let learned = answers.iter().fold(Capability::Unknown, |known, answer| known.after(*answer));
            assert_eq!(learned, expected, "{answers:?}");
        }
    }
}
