//! From the probe's lines to snapshots: the slow facts, which come once a minute, are kept and joined to each sweep.

use std::collections::BTreeMap;

use fanfare_rig::{
    Card, CardUuid, Details, Driver, Snapshot,
    wire::{CallCost, CardLine, SweepLine},
};

/// What was last heard of a card's slow facts.
#[derive(Debug)]
struct Known {
    details: Details,
    calls: Vec<CallCost>,
}

/// Joins lines of one probe into snapshots. It holds the slow facts of every card that this probe has met (64 at most).
#[derive(Debug, Default)]
pub struct Assembler {
    driver: Option<Driver>,
    known: BTreeMap<CardUuid, Known>,
}

impl Assembler {
    /// The snapshot of one line, cards in slot order, those without a known slot last.
    pub fn snapshot(&mut self, line: SweepLine) -> Snapshot {
        self.driver = line.driver.or(self.driver.take());
        let mut cards: Vec<Card> = line.cards.into_iter().map(|card| self.card(card)).collect();
        cards.sort_by(|a, b| slot_order(a).cmp(&slot_order(b)));
        Snapshot {
            sweep: line.sweep,
            at: line.at,
            driver: self.driver.clone(),
            roster: line.roster,
            cards,
            unreachable: line.unreachable,
            events: line.events,
            events_dropped: line.events_dropped,
        }
    }

    /// What each driver call on a card has cost so far.
    pub fn calls(&self, uuid: &CardUuid) -> &[CallCost] {
        self.known.get(uuid).map_or(&[], |known| &known.calls)
    }

    fn card(&mut self, line: CardLine) -> Card {
        if let Some(slow) = line.slow {
            self.known.insert(line.uuid.clone(), Known { details: slow.details, calls: slow.calls });
        }
        let details = self.known.get(&line.uuid).map(|known| known.details.clone());
        Card { uuid: line.uuid, details, answer: line.answer }
    }
}

fn slot_order(card: &Card) -> (bool, Option<fanfare_rig::BusId>, &CardUuid) {
    let slot = card.details.as_ref().and_then(|details| details.bus_id.value().copied());
    (slot.is_none(), slot, &card.uuid)
}
