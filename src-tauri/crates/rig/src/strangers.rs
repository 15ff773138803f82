//! Cards that the driver counts and does not hand out, beyond those that are known to be in trouble.
//!
//! They have no UUID, so no seat: a rig that hid them would count seven of seven cards where one of eight hangs.

use crate::{
    condition::Condition,
    inventory::{Occupant, Seat},
    reading::Reason,
    snapshot::Unreachable,
};

/// The unreachable cards that no seat accounts for. A seat whose card is lost accounts for one that is told to be lost, and a seat
/// whose card is looked for accounts for any: it may be that one.
pub fn strangers(seats: &[Seat], unreachable: &[Unreachable]) -> Vec<Unreachable> {
    let seats_of = |wanted: fn(&Occupant) -> bool| seats.iter().filter(|seat| wanted(&seat.occupant)).count();
    let mut lost = seats_of(|one| matches!(one, Occupant::Card(card) if card.condition() == Condition::Lost));
    let mut looked_for = seats_of(|one| *one == Occupant::Unreached);
    let mut accounted_for = |card: &Unreachable| {
        let seats = if card.reason == Reason::Lost && lost > 0 { &mut lost } else { &mut looked_for };
        let is_one = *seats > 0;
        *seats = seats.saturating_sub(1);
        is_one
    };
    unreachable.iter().filter(|card| !accounted_for(card)).copied().collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fanfare_units::{Boottime, Stamp};
    use jiff::Timestamp;

    use super::*;
    use crate::{
        answer::Answer,
        inventory::{Member, Standing},
        reading::NvmlCode,
        sample::Sample,
        snapshot::Card,
    };

    const FAILS: Reason = Reason::Error { code: NvmlCode(999) };

    fn seat(occupant: Occupant) -> Seat {
        let member = Member {
            uuid: "GPU-00000000-0000-0000-0000-000000000001".parse().unwrap(),
            slot: None,
            name: None,
            first_seen: Timestamp::UNIX_EPOCH,
            last_seen: Timestamp::UNIX_EPOCH,
            standing: Standing::Expected,
        };
        Seat { member, occupant }
    }

    fn lost() -> Occupant {
        let at = Stamp {
            wall: Timestamp::UNIX_EPOCH,
            boottime: Boottime::since_boot(Duration::ZERO),
            boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
        };
        let answer = Answer::Sample(Box::new(Sample::missing(at, Reason::Lost)));
        let uuid = "GPU-00000000-0000-0000-0000-000000000001".parse().unwrap();
        Occupant::Card(Box::new(Card { uuid, details: None, answer }))
    }

    #[test]
    fn each_seat_in_trouble_accounts_for_one_unreachable_card() {
        let table: [(&str, Vec<Occupant>, Vec<Reason>, usize); 7] = [
            ("a rig without seats", vec![], vec![FAILS, Reason::Lost], 2),
            ("the lost one is known", vec![lost()], vec![Reason::Lost], 0),
            ("one is known, two are told", vec![lost()], vec![Reason::Lost, Reason::Lost], 1),
            ("a lost one is not one that fails", vec![lost()], vec![FAILS], 1),
            ("it may be the one looked for", vec![Occupant::Unreached], vec![FAILS], 0),
            ("also a lost one may", vec![Occupant::Unreached], vec![Reason::Lost], 0),
            (
                "two seats, three cards",
                vec![lost(), Occupant::Unreached],
                vec![FAILS, Reason::Lost, FAILS],
                1,
            ),
        ];
        for (what, occupants, reasons, strangers_left) in table {
            let seats: Vec<Seat> = occupants.into_iter().map(seat).collect();
            let unreachable: Vec<Unreachable> =
                (0..).zip(reasons).map(|(index, reason)| Unreachable { index, reason }).collect();
            assert_eq!(strangers(&seats, &unreachable).len(), strangers_left, "{what}");
        }
    }
}
