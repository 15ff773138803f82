//! Which cards are meant, and their order: that of their numbers, as `fanfarectl cards` shows them; then those without a number, which
//! were sold or replaced, by UUID.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use fanfare_engine::state_db::StateDb;
use fanfare_history::{Quantity, Reader, Series};
use fanfare_rig::{Inventory, Occupant};

use crate::failure::Failure;

/// A card that something may be recorded of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Card {
    /// Its number; none for one that is not expected any more.
    pub(super) number: Option<usize>,
    /// Its UUID.
    pub(super) uuid: Arc<str>,
}

impl Card {
    /// Its series of these quantities.
    pub(super) fn series(&self, quantities: &[Quantity]) -> Vec<Series> {
        quantities.iter().map(|quantity| Series::new(Arc::clone(&self.uuid), *quantity)).collect()
    }
}

/// The cards that `wishes` name, all of them if there are none.
///
/// # Errors
/// A wish names no card, or several; or the history cannot be read.
pub(super) fn cards(reader: &Reader, directory: &Path, wishes: &[String]) -> Result<Vec<Card>, Failure> {
    // Without the list of cards there are no numbers, and everything else goes on.
    let kept = StateDb::read(directory).and_then(|db| db.map(|db| db.inventory()).transpose());
    let recorded = reader.series()?.into_iter().map(|series| series.subject).collect();
    let known = known(&kept.ok().flatten().unwrap_or_default(), recorded);
    chosen(known, wishes).map_err(|card| Failure::UnknownCard { card })
}

/// All cards, in their order.
fn known(inventory: &Inventory, recorded: BTreeSet<Arc<str>>) -> Vec<Card> {
    let seats = inventory.seats_with(&Occupant::Awaited);
    let numbered =
        (1..).zip(&seats).map(|(number, seat)| (Some(number), Arc::<str>::from(seat.member.uuid.as_str())));
    let mut cards: Vec<Card> = numbered.map(|(number, uuid)| Card { number, uuid }).collect();
    for uuid in recorded {
        if cards.iter().all(|card| card.uuid != uuid) {
            cards.push(Card { number: None, uuid });
        }
    }
    cards
}

/// Those that are wished for, in the order of the cards, each once; or the wish that names none or several.
fn chosen(known: Vec<Card>, wishes: &[String]) -> Result<Vec<Card>, String> {
    if wishes.is_empty() {
        return Ok(known);
    }
    let mut places = BTreeSet::new();
    for wish in wishes {
        places.insert(place(&known, wish.trim()).ok_or_else(|| wish.clone())?);
    }
    Ok(known
        .into_iter()
        .enumerate()
        .filter(|(place, _)| places.contains(place))
        .map(|(_, card)| card)
        .collect())
}

fn place(known: &[Card], wish: &str) -> Option<usize> {
    if let Ok(number) = wish.parse::<usize>() {
        return known.iter().position(|card| card.number == Some(number));
    }
    if let Some(place) = known.iter().position(|card| *card.uuid == *wish) {
        return Some(place);
    }
    let mut begun = (0..).zip(known).filter(|(_, card)| !wish.is_empty() && card.uuid.starts_with(wish));
    let (first, second) = (begun.next(), begun.next());
    second.is_none().then_some(first?.0)
}

#[cfg(test)]
mod tests {
    use fanfare_rig::Seen;
    use jiff::Timestamp;

    use super::*;

    fn uuid(digit: char) -> String {
        let run = |length| digit.to_string().repeat(length);
        format!("GPU-{}-{}-{}-{}-{}", run(8), run(4), run(4), run(4), run(12))
    }

    /// Two cards in slots, b before a; and c, of which only the history knows.
    fn three() -> Vec<Card> {
        let mut inventory = Inventory::default();
        let seen = [('a', "00000000:02:00.0"), ('b', "00000000:01:00.0")].map(|(digit, slot)| Seen {
            uuid: uuid(digit).parse().unwrap(),
            slot: Some(slot.parse().unwrap()),
            name: None,
            heard: true,
        });
        inventory.observe(&seen, Timestamp::UNIX_EPOCH);
        known(&inventory, BTreeSet::from([uuid('c').into(), uuid('a').into()]))
    }

    fn wished(wishes: &[&str]) -> Result<Vec<Option<usize>>, String> {
        let wishes: Vec<String> = wishes.iter().map(ToString::to_string).collect();
        chosen(three(), &wishes).map(|cards| cards.into_iter().map(|card| card.number).collect())
    }

    #[test]
    fn cards_come_by_their_numbers_and_then_those_that_have_none() {
        let cards = three();
        let expected = [(Some(1), uuid('b')), (Some(2), uuid('a')), (None, uuid('c'))];
        assert_eq!(cards, expected.map(|(number, uuid)| Card { number, uuid: uuid.into() }));
        assert_eq!(wished(&[]), Ok(vec![Some(1), Some(2), None]));
    }

    #[test]
    fn a_card_is_named_by_its_number_its_uuid_or_the_beginning_of_that() {
        assert_eq!(wished(&["2", " 1"]), Ok(vec![Some(1), Some(2)]));
        assert_eq!(wished(&[&uuid('a'), "2"]), Ok(vec![Some(2)]));
        assert_eq!(wished(&["GPU-c"]), Ok(vec![None]));
    }

    #[test]
    fn a_name_of_no_card_or_of_several_is_refused() {
        for wish in ["0", "3", "-1", "GPU-d", "GPU-", "", &uuid('d')] {
            assert_eq!(wished(&["1", wish]), Err(wish.to_owned()));
        }
    }
}
