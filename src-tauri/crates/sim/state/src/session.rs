//! One hold of the lock: everything that is read or changed together.

use std::sync::MutexGuard;
use std::sync::atomic::Ordering;

use crate::advance::Cache;
use crate::conditions::{CardConditions, Conditions};
use crate::error::StateError;
use crate::layout::{self, CardRecord, ClockRecord, EffectRecord, NONE, SetRecord};
use crate::map::{Locked, Map};
use crate::quantise::small;
use crate::reading::{Reading, throughput};
use crate::symbols::Symbol;
use crate::table;
use crate::world::World;

/// The state file, locked, at one instant of simulated time.
///
/// Keep it short: no sleeping, no waiting, no I/O while it lives.
#[derive(Debug)]
pub struct Session<'w> {
    // Dropped in this order: other processes first, then this one's threads.
    lock: Locked<'w>,
    cache: MutexGuard<'w, Cache>,
    world: &'w World,
    now: u64,
}

pub(crate) fn clock(map: &Map) -> ClockRecord {
    map.read(layout::CLOCKS.nth(map.word(layout::CLOCK_ACTIVE).load(Ordering::Acquire) as usize))
}

fn card_place(map: &Map, slot: usize) -> (usize, crate::map::Place<CardRecord>) {
    let copy = (map.word(layout::CARD_ACTIVE.nth(slot)).load(Ordering::Acquire) % 2) as usize;
    (copy, layout::CARDS.nth(slot * 2 + copy))
}

impl<'w> Session<'w> {
    pub(crate) fn open(world: &'w World, cache: MutexGuard<'w, Cache>) -> Result<Self, StateError> {
        let lock = world.map().lock()?;
        let now = crate::clock::now(&clock(world.map()), crate::clock::boottime_ns());
        Ok(Self { lock, cache, world, now })
    }

    /// The effects as they are in the file now.
    fn cache(&mut self) -> &mut Cache {
        let generation = self.world.map().long(layout::GENERATION).load(Ordering::Acquire);
        if !self.cache.is_of(generation) {
            let effects = table::effects(self.world.map(), &self.lock);
            self.cache.replace(generation, effects);
        }
        &mut self.cache
    }

    /// The rig this is a session of.
    #[must_use]
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Simulated time in nanoseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// What holds now.
    pub fn conditions(&mut self) -> &Conditions {
        let (world, now) = (self.world, self.now);
        self.cache().at(world.config(), now)
    }

    /// What holds now for a slot with a card.
    pub fn card_conditions(&mut self, slot: usize) -> Option<CardConditions> {
        self.conditions().card(slot).copied().filter(|card| card.board.is_some())
    }

    /// Brings the card in `slot` towards the present; false if another session must go on.
    #[must_use]
    pub fn bring_up(&mut self, slot: usize) -> bool {
        let card = self.record(slot);
        let (world, now) = (self.world, self.now);
        let (brought, done) = world.rig().advance(self.cache(), slot, &card, now);
        if brought != card {
            self.commit(slot, &brought);
        }
        done
    }

    fn record(&self, slot: usize) -> CardRecord {
        self.world.map().read(card_place(self.world.map(), slot).1)
    }

    /// Writes the copy that is not valid, then makes it the valid one.
    fn commit(&self, slot: usize, card: &CardRecord) {
        let map = self.world.map();
        let other = 1 - card_place(map, slot).0;
        map.write(layout::CARDS.nth(slot * 2 + other), card);
        map.commit(layout::CARD_ACTIVE.nth(slot), small(other));
    }

    /// The readings of the card in `slot`, as of the last step it was brought to ([`Session::bring_up`]).
    pub fn reading(&mut self, slot: usize) -> Option<Reading> {
        let conditions = self.card_conditions(slot)?;
        let card = self.record(slot);
        Some(Reading::of(&card, &conditions, self.world.profile()))
    }

    /// Data that the card in `slot` sends and receives over its link, KB/s.
    #[must_use]
    pub fn throughput(&self, slot: usize) -> (u32, u32) {
        throughput(&self.record(slot), self.world.config().seed)
    }

    /// Puts fan `fan` of `slot` under manual control at `percent`, or under automatic control.
    pub fn set_fan(&mut self, slot: usize, fan: usize, percent: Option<u32>) {
        let mut card = self.record(slot);
        if let (Some(manual), Some(target)) = (card.fan_manual.get_mut(fan), card.fan_target.get_mut(fan)) {
            (*manual, *target) = percent.map_or((0, 0), |percent| (1, percent));
            self.commit(slot, &card);
        }
    }

    /// Sets the power limit of `slot`, in milliwatts.
    pub fn set_power_limit(&mut self, slot: usize, limit_mw: u32) {
        let card = CardRecord { power_limit_mw: limit_mw, ..self.record(slot) };
        self.commit(slot, &card);
    }

    /// Sets the persistence mode of `slot`.
    pub fn set_persistence(&mut self, slot: usize, on: bool) {
        let card = CardRecord { persistence: u32::from(on), ..self.record(slot) };
        self.commit(slot, &card);
    }

    /// Counts one call about `card`.
    pub fn count(&self, symbol: Symbol, card: Option<usize>) {
        table::count(self.world.map(), symbol, card);
    }

    /// Logs one Set call with the arguments after the handle and the code that the caller gets.
    pub fn log_set(&self, symbol: Symbol, card: Option<usize>, args: [i64; 3], code: u32) {
        let record = SetRecord {
            at: self.now,
            args,
            symbol: symbol.number(),
            card: card.map_or(NONE, small),
            pid: std::process::id(),
            code,
        };
        table::log_set(self.world.map(), &self.lock, &record);
    }

    /// Every effect in the table.
    pub(crate) fn effects(&mut self) -> &[EffectRecord] {
        self.cache().effects()
    }

    /// Where the stream of Xids stands: events after this mark are new.
    #[must_use]
    pub fn xid_mark(&self) -> XidMark {
        let next = self.world.map().long(layout::NEXT_SEQ).load(Ordering::Acquire);
        // Of this very instant, those already in the table are old, those yet to be appended are new.
        XidMark { at: self.now, seq: next }
    }

    /// The first Xid of the board in `slot` at or after `mark`, and the mark behind it.
    #[must_use]
    pub fn next_xid(&mut self, slot: usize, mark: XidMark) -> Option<(u32, XidMark)> {
        let now = self.now;
        self.cache()
            .effects()
            .iter()
            .filter(|effect| effect.kind == crate::records::Kind::Xid as u32)
            .filter(|effect| effect.card as usize == slot && effect.from <= now)
            .filter(|effect| (effect.from, effect.seq) >= (mark.at, mark.seq))
            .min_by_key(|effect| (effect.from, effect.seq))
            .map(|effect| {
                let code = u32::try_from(effect.value).unwrap_or(0);
                (code, XidMark { at: effect.from, seq: effect.seq + 1 })
            })
    }

    /// The lowest slot that will have no card at simulated time `at`.
    pub(crate) fn empty_slot_at(&mut self, at: u64) -> Option<usize> {
        let world = self.world;
        self.cache().at(world.config(), at).empty_slot()
    }

    pub(crate) fn held(&self) -> &Locked<'w> {
        &self.lock
    }

    /// The simulated time that the states of all slots have reached.
    pub(crate) fn horizon(&self) -> u64 {
        let steps = (0..layout::MAX_CARDS).map(|slot| self.record(slot).step);
        steps.min().unwrap_or(0).saturating_mul(crate::physics::STEP_NS)
    }
}

/// A place in the stream of Xids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct XidMark {
    at: u64,
    seq: u64,
}
