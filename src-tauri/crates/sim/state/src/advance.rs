//! Bringing one card up to the present.
//!
//! The model moves lazily: whoever asks about a card steps it along the 100 ms grid to the last grid point
//! that has passed. What a step sees depends on the table of effects and the step's own time, never on when
//! the asking happened, so one caller and a hundred leave the same state.
//!
//! Worst case: a state that nobody read for a day owes 864 000 steps a card. They are worked off in stretches
//! of [`STRETCH`], each under its own hold of the lock, so others wait for one stretch (about 1 ms) at most.

use crate::conditions::{AMBIENT_C, CardConditions, Conditions};
use crate::layout::{CardRecord, Config, EffectRecord, NONE};
use crate::physics::{Inputs, STEP_NS, fresh, reloaded, step, vacant};
use crate::profile::Profile;
use crate::quantise::{float, floor64};
use crate::records::Kind;
use crate::schedule::{FIRST_PID, rental_at};

/// Most steps in one hold of the lock.
pub(crate) const STRETCH: u64 = 4000;

const MIB: u64 = 1 << 20;

/// The fold of the effects that was last made; made anew only outside its span.
#[derive(Debug)]
pub(crate) struct Cache {
    generation: u64,
    effects: Vec<EffectRecord>,
    /// When the board in a slot may change, by slot: the windows' ends of the effects of that kind.
    seats: Vec<(usize, u64)>,
    // In a box: it is taken out and put back at each look, and is some kilobytes long.
    folded: Option<Box<Conditions>>,
}

impl Cache {
    pub(crate) const fn new() -> Self {
        Self { generation: u64::MAX, effects: Vec::new(), seats: Vec::new(), folded: None }
    }

    /// Whether the effects of `generation` are those at hand.
    pub(crate) fn is_of(&self, generation: u64) -> bool {
        self.generation == generation
    }

    pub(crate) fn replace(&mut self, generation: u64, effects: Vec<EffectRecord>) {
        let seated = effects.iter().filter(|effect| effect.kind == Kind::Seat as u32);
        let seats = seated.flat_map(|e| [e.from, e.until].map(|border| (e.card as usize, border))).collect();
        *self = Self { generation, effects, seats, folded: None };
    }

    pub(crate) fn effects(&self) -> &[EffectRecord] {
        &self.effects
    }

    /// The first instant from `from` on at which another board, or none, may sit in `slot`.
    fn next_seat(&self, slot: usize, from: u64) -> Option<u64> {
        let of_slot = self.seats.iter().filter(|(seat, border)| *seat == slot && *border >= from);
        of_slot.map(|(_, border)| *border).min()
    }

    pub(crate) fn at(&mut self, config: &Config, at: u64) -> &Conditions {
        let fresh = self.folded.take().filter(|folded| folded.holds_at(at));
        self.folded.insert(fresh.unwrap_or_else(|| Box::new(Conditions::at(&self.effects, config, at))))
    }
}

/// What is constant while a card is stepped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rig {
    pub(crate) config: Config,
    pub(crate) profile: &'static Profile,
}

impl Rig {
    /// `card` of `slot` brought towards `now` by at most [`STRETCH`] steps, and whether it got there.
    pub(crate) fn advance(
        &self,
        cache: &mut Cache,
        slot: usize,
        card: &CardRecord,
        now: u64,
    ) -> (CardRecord, bool) {
        let goal = now / STEP_NS;
        let stop = goal.min(card.step.saturating_add(STRETCH));
        let mut state = *card;
        while state.step < stop {
            let at = (state.step + 1) * STEP_NS;
            // What begins at the very instant of a grid point acts from the next step on: whoever came before
            // it at that instant has made this step already.
            state = self.settle_until(&state, cache, slot, at - 1);
            let conditions = cache.at(&self.config, at - 1);
            if let Some(here) = conditions.card(slot).filter(|here| here.board.is_some()) {
                let inputs = self.inputs(conditions, here, at);
                state = step(&state, &inputs, self.profile, self.config.seed);
            } else {
                // Nothing happens in an empty slot before a board is put in.
                let seated = cache.next_seat(slot, at).map_or(u64::MAX, |border| border / STEP_NS);
                state.step = stop.min(seated);
            }
        }
        let done = state.step >= goal;
        if done {
            state = self.settle_until(&state, cache, slot, now);
        }
        (state, done)
    }

    /// Carries out everything up to `until` that comes at once, each thing at its own instant: a board that
    /// sits in the slot for less than a step leaves its mark whether or not somebody looked in between.
    fn settle_until(&self, state: &CardRecord, cache: &mut Cache, slot: usize, until: u64) -> CardRecord {
        let mut settled = *state;
        let mut from = (state.step * STEP_NS).max(state.settled_at + 1);
        // At most two borders for each effect in the table.
        while let Some(border) = cache.next_seat(slot, from).filter(|border| *border < until) {
            settled = self.settle(&settled, cache.at(&self.config, border), slot, border);
            from = border + 1;
        }
        self.settle(&settled, cache.at(&self.config, until), slot, until)
    }

    /// Carries out what came at once by `at`: another board in the slot, a driver reload.
    fn settle(&self, state: &CardRecord, conditions: &Conditions, slot: usize, at: u64) -> CardRecord {
        let board = conditions.card(slot).and_then(|card| card.board);
        let mut settled = match board {
            Some(board) if board != state.board => {
                let new = fresh(self.profile, self.config.seed, board, state.step, AMBIENT_C);
                reloaded(&new, self.profile, conditions.reload)
            }
            None if state.board != NONE => vacant(self.profile, state.step),
            _ => *state,
        };
        if conditions.reload > (settled.reload_at, settled.reload_seq) {
            settled = reloaded(&settled, self.profile, conditions.reload);
        }
        let changed = settled.board != state.board || settled.reload_seq != state.reload_seq;
        settled.settled_at = if changed { at } else { state.settled_at };
        settled
    }

    fn inputs(&self, conditions: &Conditions, card: &CardConditions, at: u64) -> Inputs {
        let mut inputs = Inputs {
            busy: 0.0,
            memory_share: 0.5,
            pid: 0,
            process_bytes: 0,
            ambient_c: conditions.ambient_c,
            pin_c: card.pin.map(f64::from),
            fan_blocked: card.fan_blocked,
        };
        let Some(board) = card.board.filter(|_| !card.lost) else { return inputs };
        if let Some(percent) = card.load {
            inputs.busy = f64::from(percent) / 100.0;
            if percent > 0 {
                // A job of the owner's own: a process that no rental explains.
                inputs.pid = FIRST_PID - 1 - board;
                inputs.process_bytes = self.footprint(0.25);
            }
        } else if self.config.rentals == 1
            && let Some(rental) = rental_at(self.config.seed, board, at)
        {
            let demand = rental.demand(at);
            inputs.busy = demand.busy;
            inputs.memory_share = demand.memory_share;
            inputs.pid = rental.pid;
            inputs.process_bytes = self.footprint(demand.footprint);
        }
        inputs
    }

    /// That share of the frame buffer that is free at idle, in bytes.
    fn footprint(&self, share: f64) -> u64 {
        let memory = &self.profile.memory;
        floor64(float(memory.total - memory.reserved - memory.idle_used) * share) * MIB
    }
}
