//! What was observed while the report was read: capabilities and errors folded over every sweep.

use std::collections::BTreeMap;

use fanfare_rig::{Answer, Capabilities, Card, CardEvent, CardUuid, Quantity, Reason, wire::CallCost};

use crate::view::RigView;

/// Events kept for the report.
const EVENTS_MOST: usize = 100;

/// Everything observed.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// Sweeps seen.
    pub(crate) sweeps: u64,
    /// Times the probe said nothing for three intervals.
    pub(crate) silences: u64,
    /// By card.
    pub(crate) cards: BTreeMap<CardUuid, CardObserved>,
    /// What each driver call on a card has cost.
    pub(crate) calls: BTreeMap<CardUuid, Vec<CallCost>>,
    /// What the driver reported, at most [`EVENTS_MOST`].
    pub(crate) events: Vec<CardEvent>,
    /// The last look.
    pub(crate) last: Option<RigView>,
}

/// One card's part.
#[derive(Debug, Default)]
pub(crate) struct CardObserved {
    pub(crate) capabilities: Capabilities,
    /// Sweeps in which it did not answer by the deadline.
    pub(crate) silent: u64,
    /// How often each quantity was missing for which reason, unsupported ones aside.
    pub(crate) failures: BTreeMap<(Quantity, String), u64>,
}

impl Observed {
    /// Takes in one look.
    pub(crate) fn take(&mut self, view: RigView) {
        self.sweeps += 1;
        for card in &view.snapshot.cards {
            self.cards.entry(card.uuid.clone()).or_default().take(card);
        }
        let room = EVENTS_MOST.saturating_sub(self.events.len());
        self.events.extend(view.snapshot.events.iter().take(room).cloned());
        self.last = Some(view);
    }
}

impl CardObserved {
    fn take(&mut self, card: &Card) {
        let Answer::Sample(sample) = &card.answer else {
            self.silent += 1;
            return;
        };
        self.capabilities = self.capabilities.after(sample);
        for (quantity, reason) in sample.reasons() {
            if let Some(words) = reason.and_then(failure) {
                *self.failures.entry((quantity, words)).or_default() += 1;
            }
        }
    }
}

fn failure(reason: Reason) -> Option<String> {
    match reason {
        Reason::NotSupported => None,
        Reason::NoPermission => Some("no permission".into()),
        Reason::Lost => Some("lost".into()),
        Reason::Stuck { .. } => Some("stuck".into()),
        Reason::Error { code } => Some(format!("error {code}")),
    }
}
