//! What the simulated rig's marketplace tells, as rentals.

use fanfare_rig::CardUuid;
use serde::Deserialize;

use crate::{
    hub::{Rental, Rentals},
    occupancy::Source,
};

/// Cards that are taken in; no rig has more.
const CARDS_MOST: usize = 64;
/// Characters of a platform's name that are kept.
const NAME_MOST: usize = 40;

/// The answer's shape; what a later build adds is passed over.
#[derive(Debug, Deserialize)]
struct Told {
    cards: Vec<Card>,
}

#[derive(Debug, Deserialize)]
struct Card {
    uuid: CardUuid,
    usage: String,
    platform: Option<String>,
}

/// The rentals in an answer. A card that is told to be anything but rented is left to its processes.
pub(super) fn read(answer: &[u8]) -> Result<Rentals, serde_json::Error> {
    let told: Told = serde_json::from_slice(answer)?;
    let rented = told.cards.into_iter().take(CARDS_MOST).filter(|card| card.usage == "rented");
    Ok(rented
        .filter_map(|card| {
            let platform = card.platform?.chars().take(NAME_MOST).collect();
            Some((card.uuid, Rental { platform, source: Source::Simulation }))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "GPU-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";

    fn card(rest: &str) -> String {
        format!(r#"{{"now_s":7,"cards":[{{"uuid":"{UUID}",{rest}}}]}}"#)
    }

    #[test]
    fn only_a_card_that_is_rented_somewhere_is_a_rental() {
        let rented = card(r#""usage":"rented","platform":"Vast.ai","since_s":-5"#);
        let rental = Rental { platform: "Vast.ai".into(), source: Source::Simulation };
        assert_eq!(read(rented.as_bytes()).unwrap(), Rentals::from([(UUID.parse().unwrap(), rental)]));
        for other in [r#""usage":"idle""#, r#""usage":"own""#, r#""usage":"leased""#, r#""usage":"rented""#] {
            assert_eq!(read(card(other).as_bytes()).unwrap(), Rentals::new(), "{other}");
        }
    }

    #[test]
    fn an_answer_of_another_shape_is_an_error() {
        for answer in ["", "[]", "{}", r#"{"cards":[{"uuid":"GPU-1","usage":"idle"}]}"#, r#"{"cards":[{}]}"#]
        {
            assert!(read(answer.as_bytes()).is_err(), "{answer}");
        }
    }

    #[test]
    fn an_answer_is_taken_in_up_to_its_bounds() {
        let long = card(&format!(r#""usage":"rented","platform":"{}""#, "长".repeat(41)));
        let rentals = read(long.as_bytes()).unwrap();
        assert_eq!(rentals.values().next().unwrap().platform, "长".repeat(40));
        let cards: Vec<String> = (0..65)
            .map(|n| {
                format!(
                    r#"{{"uuid":"GPU-aaaaaaaa-aaaa-aaaa-aaaa-{n:012x}","usage":"rented","platform":"P"}}"#
                )
            })
            .collect();
        assert_eq!(read(format!(r#"{{"cards":[{}]}}"#, cards.join(",")).as_bytes()).unwrap().len(), 64);
    }
}
