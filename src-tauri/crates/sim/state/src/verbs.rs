//! What one can do to a rig: each verb is one effect, from now on or at an instant to come.

use std::time::Duration;

use crate::effects::{Effect, Target};
use crate::error::StateError;
use crate::symbols::Symbol;
use crate::table;
use crate::world::{World, next_board};

impl World {
    /// Carries out `effect` now; where it has a window, it stays open.
    ///
    /// # Errors
    /// [`StateError::NoCard`] for an empty slot, [`StateError::Range`] for a wrong value,
    /// [`StateError::EffectsFull`], or the lock's errors.
    pub fn apply(&self, effect: &Effect) -> Result<(), StateError> {
        self.apply_for(effect, None)
    }

    /// Carries out `effect` now, for `span` of simulated time (`None`: until it is undone).
    ///
    /// # Errors
    /// As [`World::apply`].
    pub fn apply_for(&self, effect: &Effect, span: Option<Duration>) -> Result<(), StateError> {
        let mut session = self.roomy_session()?;
        if let Some(card) = effect.card() {
            session.card_conditions(card).ok_or(StateError::NoCard { card })?;
        }
        let now = session.now();
        self.put(session, effect, now, span)
    }

    /// Plans `effect` for simulated time `at`, or carries it out now if that has passed. The slot may be
    /// empty still.
    ///
    /// # Errors
    /// As [`World::apply`], but not [`StateError::NoCard`].
    pub fn plan(&self, effect: &Effect, at: Duration, span: Option<Duration>) -> Result<(), StateError> {
        let session = self.roomy_session()?;
        let at = u64::try_from(at.as_nanos()).unwrap_or(u64::MAX).max(session.now());
        self.put(session, effect, at, span)
    }

    /// A session with room in the table of effects, if room can be made.
    fn roomy_session(&self) -> Result<crate::session::Session<'_>, StateError> {
        if table::is_full(self.map(), self.session()?.held()) {
            self.bring_all_up()?;
        }
        self.session()
    }

    fn put(
        &self,
        mut session: crate::session::Session<'_>,
        effect: &Effect,
        from: u64,
        span: Option<Duration>,
    ) -> Result<(), StateError> {
        let until = span.map(|span| from.saturating_add(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)));
        let needs_board = matches!(effect, Effect::Swap { .. } | Effect::Add);
        let board = if needs_board { next_board(self.map()) } else { 0 };
        let empty = if *effect == Effect::Add { session.empty_slot_at(from) } else { None };
        let edit = effect.edit(from, until, board, empty)?;
        table::carry_out(self.map(), session.held(), &edit, from, || session.horizon())?;
        drop(session);
        match edit.seat() {
            // Another board is there at once, not only when somebody next looks: a second change at this very
            // instant would otherwise hide the first.
            Some(slot) => self.session_at(slot).map(drop),
            None => Ok(()),
        }
    }

    /// The card falls off the bus.
    ///
    /// # Errors
    /// As [`World::apply`]; likewise for every verb below.
    pub fn lose(&self, card: usize) -> Result<(), StateError> {
        self.apply(&Effect::Lose { card })
    }

    /// A lost card is back.
    pub fn find(&self, card: usize) -> Result<(), StateError> {
        self.apply(&Effect::Find { card })
    }

    /// The card is taken out.
    pub fn remove(&self, card: usize) -> Result<(), StateError> {
        self.apply(&Effect::Remove { card })
    }

    /// A new card is put into the lowest empty slot.
    pub fn add(&self) -> Result<(), StateError> {
        self.apply(&Effect::Add)
    }

    /// Another card takes the slot's place.
    pub fn swap(&self, card: usize) -> Result<(), StateError> {
        self.apply(&Effect::Swap { card })
    }

    /// The driver enumerates the slots in this order.
    pub fn order(&self, slots: &[usize]) -> Result<(), StateError> {
        self.apply(&Effect::Order { slots: slots.to_vec() })
    }

    /// The driver reports an Xid.
    pub fn xid(&self, card: usize, code: u32) -> Result<(), StateError> {
        self.apply(&Effect::Xid { card, code })
    }

    /// Calls do not return, for `span` of simulated time or until [`World::release`].
    pub fn hang(
        &self,
        target: impl Into<Target>,
        symbol: Option<Symbol>,
        span: Option<Duration>,
    ) -> Result<(), StateError> {
        self.apply_for(&Effect::Hang { target: target.into(), symbol }, span)
    }

    /// Calls that hang return.
    pub fn release(&self, target: impl Into<Target>) -> Result<(), StateError> {
        self.apply(&Effect::Release { target: target.into() })
    }

    /// Calls return `code`.
    pub fn error(&self, code: u32, card: Option<usize>, symbol: Option<Symbol>) -> Result<(), StateError> {
        self.apply(&Effect::Error { code, card, symbol })
    }

    /// No call returns an injected error any more.
    pub fn clear_errors(&self) -> Result<(), StateError> {
        self.apply(&Effect::ClearErrors { card: None, symbol: None })
    }

    /// The library fits the kernel module no longer, or again.
    pub fn mismatch(&self, on: bool) -> Result<(), StateError> {
        self.apply(&Effect::Mismatch { on })
    }

    /// The driver is reloaded.
    pub fn reload(&self) -> Result<(), StateError> {
        self.apply(&Effect::Reload)
    }

    /// Holds the card's utilisation at `percent`; `None` gives it back to the schedule.
    pub fn load(&self, card: usize, percent: Option<u32>) -> Result<(), StateError> {
        self.apply(&Effect::Load { card, percent })
    }

    /// Pins the card's core temperature; `None` frees it.
    pub fn temperature(&self, card: usize, celsius: Option<i32>) -> Result<(), StateError> {
        self.apply(&Effect::Temperature { card, celsius })
    }

    /// Sets the room's temperature.
    pub fn ambient(&self, celsius: i32) -> Result<(), StateError> {
        self.apply(&Effect::Ambient { celsius })
    }

    /// Blocks or frees the blades of the card's fans.
    pub fn block_fan(&self, card: usize, on: bool) -> Result<(), StateError> {
        self.apply(&Effect::BlockFan { card, on })
    }

    /// Takes away or gives back the card's power telemetry.
    pub fn no_power(&self, card: usize, on: bool) -> Result<(), StateError> {
        self.apply(&Effect::NoPower { card, on })
    }

    /// The card's link does no more than this generation and width, as over a bad riser; `None` frees it.
    pub fn link(&self, card: usize, most: Option<(u32, u32)>) -> Result<(), StateError> {
        self.apply(&Effect::Link { card, most })
    }

    /// Each call burns that much CPU time from now on.
    pub fn call_cost(&self, micros: u32) -> Result<(), StateError> {
        self.apply(&Effect::CallCost { micros })
    }

    /// Says who may write.
    pub fn writes(&self, writes: crate::setup::Writes) -> Result<(), StateError> {
        self.apply(&Effect::Writes { anyone: writes == crate::setup::Writes::Anyone })
    }
}
