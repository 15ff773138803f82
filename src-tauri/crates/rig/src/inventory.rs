//! Which cards this rig is expected to have.
//!
//! A rig that lost a card must not look like a smaller rig. So every card ever met is remembered by its UUID with the slot it was
//! last seen in, and a card that is not seen is a fact, not a shorter list. A new UUID in a missing card's slot is a new card, and
//! the old one was replaced. Nothing is forgotten by itself; an owner who sold a card says so.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    details::Details,
    identity::{BusId, CardUuid},
    snapshot::{Card, Roster, Snapshot},
};

/// A card as the driver named it in a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its UUID.
    pub uuid: CardUuid,
    /// Its slot, where the driver told it.
    pub slot: Option<BusId>,
    /// Its marketing name, where the driver told it.
    pub name: Option<String>,
    /// Whether it has just been heard from. One that is only named counts as met, or a card that hangs from the first read on
    /// would be no card; but it is not seen, and holds no slot against another.
    pub heard: bool,
}

impl Seen {
    /// A card of a snapshot.
    pub fn of(card: &Card) -> Self {
        Self {
            uuid: card.uuid.clone(),
            slot: card.details.as_ref().and_then(|details| details.bus_id.value().copied()),
            name: card.details.as_ref().and_then(name),
            heard: card.condition().is_heard(),
        }
    }
}

fn name(details: &Details) -> Option<String> {
    details.name.value().cloned()
}

/// Whether a remembered card is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It should be there.
    Expected,
    /// Another card was found in its slot while it was missing.
    Replaced {
        /// That card.
        by: CardUuid,
    },
    /// The owner said that it is gone.
    Forgotten,
}

/// A remembered card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its UUID.
    pub uuid: CardUuid,
    /// The slot it was last seen in.
    pub slot: Option<BusId>,
    /// Its marketing name.
    pub name: Option<String>,
    /// When it was first met.
    pub first_seen: Timestamp,
    /// When it was last seen (kept to the minute on disk).
    pub last_seen: Timestamp,
    /// Whether it is expected.
    pub standing: Standing,
}

/// What a sweep changed in the inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A card that was never met.
    Added {
        /// The card.
        uuid: CardUuid,
    },
    /// A known card in another slot.
    Moved {
        /// The card.
        uuid: CardUuid,
        /// The slot it was in.
        from: BusId,
        /// The slot it is in.
        to: BusId,
    },
    /// Another card sits where a missing one sat.
    Replaced {
        /// The missing card.
        old: CardUuid,
        /// The card in its slot.
        new: CardUuid,
        /// The slot.
        slot: BusId,
    },
    /// A card that had been replaced or forgotten is back.
    Returned {
        /// The card.
        uuid: CardUuid,
    },
}

/// An expected card's seat in the rig, as a list of cards shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The remembered card.
    pub member: Member,
    /// Who sits there.
    pub occupant: Occupant,
}

/// Who sits in an expected card's seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occupant {
    /// The card, whatever is wrong with it.
    Card(Box<Card>),
    /// The list of cards has not been read, so that nobody can tell.
    Awaited,
    /// The list of cards was read, and counts cards that the driver does not hand out: it may be one of them.
    Unreached,
    /// The list of cards was read whole, and the card is not in it.
    Missing,
}

/// Every card ever met, by UUID.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    members: BTreeMap<CardUuid, Member>,
}

impl Inventory {
    /// The inventory of these members.
    pub fn of(members: impl IntoIterator<Item = Member>) -> Self {
        Self { members: members.into_iter().map(|member| (member.uuid.clone(), member)).collect() }
    }

    /// Every remembered card, by UUID.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// One remembered card.
    pub fn member(&self, uuid: &CardUuid) -> Option<&Member> {
        self.members.get(uuid)
    }

    /// Takes in the cards named in one sweep and tells what that changed.
    pub fn observe(&mut self, seen: &[Seen], now: Timestamp) -> Vec<Change> {
        let mut changes = Vec::new();
        for card in seen {
            match self.members.get_mut(&card.uuid) {
                Some(member) if card.heard => changes.extend(member.see(card, now)),
                Some(_) => {}
                None => {
                    self.members.insert(card.uuid.clone(), Member::first_met(card, now));
                    changes.push(Change::Added { uuid: card.uuid.clone() });
                }
            }
        }
        changes.extend(self.replace_missing(seen));
        changes
    }

    /// The owner says that a card is gone. Tells whether it was known and expected.
    pub fn forget(&mut self, uuid: &CardUuid) -> bool {
        let expected = self.members.get_mut(uuid).filter(|member| member.standing == Standing::Expected);
        expected.map(|member| member.standing = Standing::Forgotten).is_some()
    }

    /// The expected cards in slot order, those without a known slot last, as a sweep found them.
    pub fn seats(&self, snapshot: &Snapshot) -> Vec<Seat> {
        self.seats_by(|member| occupant(&member.uuid, snapshot))
    }

    /// The expected cards in the same order while there is no sweep to go by, all with the same `occupant`.
    pub fn seats_with(&self, occupant: &Occupant) -> Vec<Seat> {
        self.seats_by(|_| occupant.clone())
    }

    fn seats_by(&self, occupant: impl Fn(&Member) -> Occupant) -> Vec<Seat> {
        let expected = self.members.values().filter(|member| member.standing == Standing::Expected);
        let mut seats: Vec<Seat> =
            expected.map(|member| Seat { occupant: occupant(member), member: member.clone() }).collect();
        seats.sort_by(|a, b| seat_order(&a.member).cmp(&seat_order(&b.member)));
        seats
    }

    /// Marks each expected card as replaced that was not seen while another was, in its slot.
    fn replace_missing(&mut self, seen: &[Seen]) -> Vec<Change> {
        let mut changes = Vec::new();
        for member in self.members.values_mut().filter(|member| member.standing == Standing::Expected) {
            if seen.iter().any(|card| card.heard && card.uuid == member.uuid) {
                continue;
            }
            let Some(slot) = member.slot else { continue };
            let sits_there = |card: &&Seen| card.heard && card.slot == Some(slot) && card.uuid != member.uuid;
            if let Some(other) = seen.iter().find(sits_there) {
                member.standing = Standing::Replaced { by: other.uuid.clone() };
                changes.push(Change::Replaced { old: member.uuid.clone(), new: other.uuid.clone(), slot });
            }
        }
        changes
    }
}

fn occupant(uuid: &CardUuid, snapshot: &Snapshot) -> Occupant {
    match (snapshot.cards.iter().find(|card| card.uuid == *uuid), snapshot.roster) {
        (Some(card), _) => Occupant::Card(Box::new(card.clone())),
        (None, Roster::Read) if snapshot.unreachable.is_empty() => Occupant::Missing,
        (None, Roster::Read) => Occupant::Unreached,
        (None, Roster::Starting | Roster::Stuck { .. } | Roster::Failed { .. }) => Occupant::Awaited,
    }
}

/// Slots first, in their order; then cards without one, by UUID.
fn seat_order(member: &Member) -> (bool, Option<BusId>, &CardUuid) {
    (member.slot.is_none(), member.slot, &member.uuid)
}

impl Member {
    fn first_met(card: &Seen, now: Timestamp) -> Self {
        Self {
            uuid: card.uuid.clone(),
            slot: card.slot,
            name: card.name.clone(),
            first_seen: now,
            last_seen: now,
            standing: Standing::Expected,
        }
    }

    fn see(&mut self, card: &Seen, now: Timestamp) -> Vec<Change> {
        let mut changes = Vec::new();
        self.last_seen = now;
        if self.standing != Standing::Expected {
            self.standing = Standing::Expected;
            changes.push(Change::Returned { uuid: self.uuid.clone() });
        }
        if let (Some(from), Some(to)) = (self.slot, card.slot)
            && from != to
        {
            changes.push(Change::Moved { uuid: self.uuid.clone(), from, to });
        }
        self.slot = card.slot.or(self.slot);
        self.name = card.name.clone().or(self.name.take());
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uuid(digit: char) -> CardUuid {
        let digits = |n: usize| digit.to_string().repeat(n);
        format!("GPU-{}-{}-{}-{}-{}", digits(8), digits(4), digits(4), digits(4), digits(12)).parse().unwrap()
    }

    fn slot(bus: u8) -> BusId {
        format!("0000:{bus:02x}:00.0").parse().unwrap()
    }

    fn card(digit: char, bus: u8) -> Seen {
        Seen {
            uuid: uuid(digit),
            slot: Some(slot(bus)),
            name: Some("NVIDIA GeForce RTX 4060".into()),
            heard: true,
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn snapshot(roster: Roster) -> Snapshot {
        let at = fanfare_units::Stamp {
            wall: at(0),
            boottime: fanfare_units::Boottime::since_boot(std::time::Duration::ZERO),
            boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
        };
        Snapshot {
            sweep: 1,
            at,
            driver: None,
            roster,
            cards: Vec::new(),
            unreachable: Vec::new(),
            events: Vec::new(),
            events_dropped: 0,
        }
    }

    fn standing(inventory: &Inventory, digit: char) -> Standing {
        inventory.member(&uuid(digit)).unwrap().standing.clone()
    }

    #[test]
    fn a_card_that_is_not_seen_stays_expected() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('a', 1), card('b', 2)], at(0));
        assert_eq!(inventory.observe(&[card('a', 1)], at(10)), []);
        assert_eq!(standing(&inventory, 'b'), Standing::Expected);
        assert_eq!(
            inventory.member(&uuid('b')).unwrap().last_seen,
            at(0),
            "last seen is not touched by an absence"
        );
    }

    #[test]
    fn a_card_that_was_only_named_is_met_and_sees_nothing_and_holds_no_slot() {
        let named = |digit, bus| Seen { heard: false, ..card(digit, bus) };
        let mut inventory = Inventory::default();
        // It hangs from its first read on: it is a card of this rig all the same.
        assert_eq!(inventory.observe(&[named('a', 1)], at(0)), [Change::Added { uuid: uuid('a') }]);
        assert_eq!(inventory.observe(&[named('a', 1)], at(10)), []);
        assert_eq!(inventory.member(&uuid('a')).unwrap().last_seen, at(0), "it was not seen again");
        // The driver still names the lost one while another sits in its slot.
        inventory.observe(&[card('a', 1)], at(20));
        inventory.observe(&[named('a', 1), card('b', 1)], at(30));
        assert_eq!(standing(&inventory, 'a'), Standing::Replaced { by: uuid('b') });
        assert_eq!(standing(&inventory, 'b'), Standing::Expected);
    }

    #[test]
    fn a14_identity_follows_the_uuid_when_the_order_changes() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('a', 1), card('b', 2)], at(0));
        assert_eq!(inventory.observe(&[card('b', 2), card('a', 1)], at(10)), [], "an order is no change");
    }

    #[test]
    fn a_new_card_in_a_missing_cards_slot_replaces_it() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('a', 1), card('b', 2)], at(0));
        assert_eq!(
            inventory.observe(&[card('a', 1), card('c', 2)], at(10)),
            [
                Change::Added { uuid: uuid('c') },
                Change::Replaced { old: uuid('b'), new: uuid('c'), slot: slot(2) }
            ]
        );
        assert_eq!(standing(&inventory, 'b'), Standing::Replaced { by: uuid('c') });
        assert_eq!(standing(&inventory, 'c'), Standing::Expected);
    }

    #[test]
    fn a_replaced_card_that_is_seen_again_is_expected_again() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('b', 2)], at(0));
        inventory.observe(&[card('c', 2)], at(10));
        assert_eq!(
            inventory.observe(&[card('b', 3), card('c', 2)], at(20)),
            [
                Change::Returned { uuid: uuid('b') },
                Change::Moved { uuid: uuid('b'), from: slot(2), to: slot(3) }
            ]
        );
        assert_eq!(standing(&inventory, 'b'), Standing::Expected);
    }

    #[test]
    fn two_cards_that_swapped_slots_moved_and_neither_was_replaced() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('a', 1), card('b', 2)], at(0));
        assert_eq!(
            inventory.observe(&[card('a', 2), card('b', 1)], at(10)),
            [
                Change::Moved { uuid: uuid('a'), from: slot(1), to: slot(2) },
                Change::Moved { uuid: uuid('b'), from: slot(2), to: slot(1) }
            ]
        );
    }

    #[test]
    fn a_card_whose_slot_cannot_be_read_keeps_the_known_one() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('a', 1)], at(0));
        inventory.observe(&[Seen { uuid: uuid('a'), slot: None, name: None, heard: true }], at(10));
        let member = inventory.member(&uuid('a')).unwrap();
        assert_eq!((member.slot, member.name.as_deref()), (Some(slot(1)), Some("NVIDIA GeForce RTX 4060")));
    }

    #[test]
    fn a_card_is_missing_only_once_the_list_of_cards_was_read() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('b', 2), card('a', 1)], at(0));
        let occupants = |roster| -> Vec<(CardUuid, Occupant)> {
            inventory
                .seats(&snapshot(roster))
                .into_iter()
                .map(|seat| (seat.member.uuid, seat.occupant))
                .collect()
        };
        let mut partly = snapshot(Roster::Read);
        partly.unreachable.push(crate::Unreachable { index: 0, reason: crate::Reason::Lost });
        assert!(
            inventory.seats(&partly).iter().all(|seat| seat.occupant == Occupant::Unreached),
            "nobody can tell which it is"
        );
        let failed = Roster::Failed { code: crate::reading::NvmlCode::UNKNOWN };
        assert_eq!(occupants(Roster::Read), [(uuid('a'), Occupant::Missing), (uuid('b'), Occupant::Missing)]);
        assert_eq!(
            occupants(Roster::Starting),
            [(uuid('a'), Occupant::Awaited), (uuid('b'), Occupant::Awaited)]
        );
        assert_eq!(occupants(failed), [(uuid('a'), Occupant::Awaited), (uuid('b'), Occupant::Awaited)]);
    }

    #[test]
    fn only_the_owner_makes_a_card_forgotten() {
        let mut inventory = Inventory::default();
        inventory.observe(&[card('a', 1)], at(0));
        assert!(inventory.forget(&uuid('a')));
        assert!(!inventory.forget(&uuid('a')), "it was forgotten already");
        assert!(!inventory.forget(&uuid('f')), "it was never met");
        assert_eq!(standing(&inventory, 'a'), Standing::Forgotten);
    }
}
