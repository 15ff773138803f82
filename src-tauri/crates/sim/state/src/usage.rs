//! What the cards are used for, as the schedule and the effects have it: what a marketplace and an owner would know.

use serde::Serialize;

use crate::conditions::CardConditions;
use crate::error::StateError;
use crate::identity::uuid;
use crate::schedule::rental_at;
use crate::world::World;

const SECOND: u64 = 1_000_000_000;

/// What the rig's cards are used for at one instant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RigUsage {
    /// Simulated time in whole seconds.
    pub now_s: u64,
    /// Every card, lost ones included, by slot; 64 at most.
    pub cards: Vec<CardUsage>,
}

/// What one card is used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CardUsage {
    /// UUID as NVML gives it.
    pub uuid: String,
    /// What for.
    #[serde(flatten)]
    pub usage: Usage,
}

/// What a card is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "usage")]
pub enum Usage {
    /// Nothing.
    Idle,
    /// The owner's own work: a load that was put on it by hand.
    Own,
    /// A tenant's work. It goes on while the card is off the bus: a platform does not see that.
    Rented {
        /// The platform's name.
        platform: &'static str,
        /// When it began, in whole seconds of simulated time; below zero if it ran already when the rig was made.
        since_s: i64,
    },
}

impl World {
    /// What the cards are used for now.
    ///
    /// # Errors
    /// The lock's errors.
    pub fn usage(&self) -> Result<RigUsage, StateError> {
        let mut session = self.session()?;
        let (now, config) = (session.now(), *self.config());
        let cards = session.conditions().cards.iter().filter_map(|card| {
            let board = card.board?;
            let usage = usage(card, config.rentals == 1, config.seed, board, now);
            Some(CardUsage { uuid: uuid(config.seed, board), usage })
        });
        Ok(RigUsage { now_s: now / SECOND, cards: cards.collect() })
    }
}

/// As the physics has it: a load that is held by hand, 0 too, takes the place of the schedule.
fn usage(card: &CardConditions, rentals: bool, seed: u64, board: u32, now: u64) -> Usage {
    match card.load {
        Some(0) => Usage::Idle,
        Some(_) => Usage::Own,
        None => rental_at(seed, board, now).filter(|_| rentals).map_or(Usage::Idle, |rental| Usage::Rented {
            platform: rental.platform(),
            since_s: rental.began().div_euclid(i64::try_from(SECOND).unwrap_or(i64::MAX)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Clock, Setup};

    fn world(folder: &tempfile::TempDir, rentals: bool) -> World {
        let setup = Setup { clock: Clock::Manual, rentals, ..Setup::default() };
        World::create(&folder.path().join("rig"), &setup).unwrap()
    }

    #[test]
    fn a_card_is_rented_while_the_schedule_says_so_and_a_process_runs_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let world = world(&folder, true);
        let mut seen = (0, 0);
        for hour in 1..11_u64 {
            world.advance(Duration::from_secs(3_600)).unwrap();
            let usage = world.usage().unwrap();
            assert_eq!(usage.now_s, hour * 3_600);
            for (slot, card) in usage.cards.iter().enumerate() {
                let view = world.card(slot).unwrap().unwrap();
                assert_eq!(card.uuid, view.uuid);
                let rented = matches!(card.usage, Usage::Rented { .. });
                assert_eq!(rented, !view.processes.is_empty(), "slot {slot} at {hour} h");
                if rented { seen.0 += 1 } else { seen.1 += 1 }
            }
        }
        assert!(seen.0 > 15 && seen.1 > 15, "both occur: {seen:?}");
    }

    #[test]
    fn a_load_by_hand_is_the_owners_own_work_until_the_schedule_has_the_card_again() {
        let folder = tempfile::tempdir().unwrap();
        let world = world(&folder, false);
        let third = |world: &World| world.usage().unwrap().cards[3].usage;
        assert_eq!(third(&world), Usage::Idle);
        world.load(3, Some(80)).unwrap();
        assert_eq!(third(&world), Usage::Own);
        world.load(3, Some(0)).unwrap();
        assert_eq!(third(&world), Usage::Idle);
        world.load(3, None).unwrap();
        assert_eq!(third(&world), Usage::Idle);
    }

    #[test]
    fn a_lost_card_stays_rented_and_a_removed_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let world = world(&folder, true);
        let before = world.usage().unwrap();
        world.lose(0).unwrap();
        assert_eq!(world.usage().unwrap(), before);
        world.remove(1).unwrap();
        assert_eq!(world.usage().unwrap().cards.len(), 7);
    }

    #[test]
    fn usage_is_told_in_one_shape() {
        let cards = vec![
            CardUsage { uuid: "GPU-1".into(), usage: Usage::Rented { platform: "Vast.ai", since_s: -5 } },
            CardUsage { uuid: "GPU-2".into(), usage: Usage::Own },
        ];
        assert_eq!(
            serde_json::to_string(&RigUsage { now_s: 7, cards }).unwrap(),
            r#"{"now_s":7,"cards":[{"uuid":"GPU-1","usage":"rented","platform":"Vast.ai","since_s":-5},{"uuid":"GPU-2","usage":"own"}]}"#
        );
    }
}
