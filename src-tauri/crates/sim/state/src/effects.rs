//! Effects: what scenario files and live commands do to the rig.
//!
//! An effect has a window [from, until) in simulated time, or is an instant (Xid, driver reload). This file
//! says what one is and which edit of the table it makes; `records` holds the table's own rules.

use crate::error::StateError;
use crate::layout::{EffectRecord, MAX_CARDS, NONE};
use crate::quantise::small;
use crate::records::{Edit, Kind, record};
use crate::symbols::Symbol;

/// One card or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Every card.
    All,
    /// The card in this slot.
    Card(usize),
}

impl From<usize> for Target {
    fn from(card: usize) -> Self {
        Self::Card(card)
    }
}

impl Target {
    fn word(self) -> u32 {
        match self {
            Self::All => NONE,
            Self::Card(card) => small(card),
        }
    }
}

/// A change of the rig. Cards are named by slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Holds a card's utilisation (percent); `None` gives it back to the schedule.
    Load {
        /// Slot.
        card: usize,
        /// 0..=100.
        percent: Option<u32>,
    },
    /// Pins the temperature of a card's core; `None` frees it.
    Temperature {
        /// Slot.
        card: usize,
        /// Degrees Celsius, -20..=130.
        celsius: Option<i32>,
    },
    /// Sets the room's temperature.
    Ambient {
        /// Degrees Celsius, -20..=60.
        celsius: i32,
    },
    /// The card falls off the bus.
    Lose {
        /// Slot.
        card: usize,
    },
    /// A lost card is back.
    Find {
        /// Slot.
        card: usize,
    },
    /// The card is taken out: the count shrinks.
    Remove {
        /// Slot.
        card: usize,
    },
    /// A new card is put into the lowest empty slot.
    Add,
    /// Another card of the same kind takes the slot's place: new UUID, same bus address.
    Swap {
        /// Slot.
        card: usize,
    },
    /// The driver enumerates the slots in this order; slots not named follow in their own order.
    Order {
        /// Slots.
        slots: Vec<usize>,
    },
    /// The driver reports an Xid.
    Xid {
        /// Slot.
        card: usize,
        /// Xid.
        code: u32,
    },
    /// Calls do not return.
    Hang {
        /// Whose calls.
        target: Target,
        /// Only this one.
        symbol: Option<Symbol>,
    },
    /// Calls that hang return.
    Release {
        /// Whose calls.
        target: Target,
    },
    /// Calls return an error.
    Error {
        /// NVML code.
        code: u32,
        /// Only for this card.
        card: Option<usize>,
        /// Only this call, or one field.
        symbol: Option<Symbol>,
    },
    /// No call returns an injected error any more; with a card or symbol, those rules alone end.
    ClearErrors {
        /// Only rules of this card.
        card: Option<usize>,
        /// Only rules of this symbol.
        symbol: Option<Symbol>,
    },
    /// The library no longer fits the kernel module.
    Mismatch {
        /// On or off.
        on: bool,
    },
    /// The driver is reloaded: settings and counters are those of a fresh start.
    Reload,
    /// The blades of a card's fans are blocked.
    BlockFan {
        /// Slot.
        card: usize,
        /// On or off.
        on: bool,
    },
    /// The card has no power telemetry.
    NoPower {
        /// Slot.
        card: usize,
        /// On or off.
        on: bool,
    },
    /// The card's link does no more than this, as over a bad riser; `None` for all it can.
    Link {
        /// Slot.
        card: usize,
        /// Generation, 1..=7, and lanes, 1..=32.
        most: Option<(u32, u32)>,
    },
    /// Each call burns CPU time.
    CallCost {
        /// Microseconds, up to 1 000 000.
        micros: u32,
    },
    /// Who may write.
    Writes {
        /// Anyone, or only a privileged caller.
        anyone: bool,
    },
}

fn in_range(what: &'static str, low: i64, high: i64, found: i64) -> Result<i64, StateError> {
    if (low..=high).contains(&found) { Ok(found) } else { Err(StateError::Range { what, low, high, found }) }
}

fn order_list(slots: &[usize]) -> Result<[u8; MAX_CARDS], StateError> {
    let mut list = [u8::MAX; MAX_CARDS];
    for (place, slot) in slots.iter().enumerate() {
        let known = slots.get(..place).unwrap_or_default().contains(slot);
        match (list.get_mut(place), u8::try_from(*slot)) {
            (Some(cell), Ok(byte)) if *slot < MAX_CARDS && !known => *cell = byte,
            _ => return Err(StateError::BadOrder { slot: *slot }),
        }
    }
    Ok(list)
}

/// The record that one on/off, valued or timed effect appends.
type Drafted = (Kind, u32, i64);

impl Effect {
    /// The slot that must hold a card for the effect to make sense.
    pub(crate) fn card(&self) -> Option<usize> {
        match self {
            Self::Load { card, .. }
            | Self::Temperature { card, .. }
            | Self::Lose { card }
            | Self::Find { card }
            | Self::Remove { card }
            | Self::Swap { card }
            | Self::Xid { card, .. }
            | Self::Hang { target: Target::Card(card), .. }
            | Self::Release { target: Target::Card(card) }
            | Self::BlockFan { card, .. }
            | Self::NoPower { card, .. }
            | Self::Link { card, .. } => Some(*card),
            Self::Error { card, .. } | Self::ClearErrors { card, .. } => *card,
            _ => None,
        }
    }

    /// What the effect does to the table when it comes at `from` and, where it has a window of its own, ends
    /// at `until`. `board` is the number that a board put in gets, `empty` the slot for an added one.
    pub(crate) fn edit(
        &self,
        from: u64,
        until: Option<u64>,
        board: u32,
        empty: Option<usize>,
    ) -> Result<Edit, StateError> {
        if let Some(end) = self.end() {
            return Ok(end);
        }
        if let Self::Order { slots } = self {
            let list = order_list(slots)?;
            return Ok(Edit::Append(EffectRecord { list, ..record(Kind::Order, from, until, NONE, 0) }));
        }
        let (kind, card, value) = match self {
            Self::Add => (Kind::Seat, small(empty.ok_or(StateError::NoFreeSlot)?), i64::from(board)),
            Self::Swap { card } => (Kind::Seat, small(*card), i64::from(board)),
            Self::Remove { card } => (Kind::Seat, small(*card), -1),
            other => other.draft()?,
        };
        let symbol = match self {
            Self::Hang { symbol, .. } | Self::Error { symbol, .. } => symbol.map_or(NONE, Symbol::number),
            _ => NONE,
        };
        Ok(Edit::Append(EffectRecord { symbol, ..record(kind, from, until, card, value) }))
    }

    fn end(&self) -> Option<Edit> {
        let end = |kind, card: Option<u32>| Some(Edit::End { kind, card, symbol: None });
        match self {
            Self::Load { card, percent: None } => end(Kind::Load, Some(small(*card))),
            Self::Temperature { card, celsius: None } => end(Kind::Pin, Some(small(*card))),
            Self::Find { card } => end(Kind::Lost, Some(small(*card))),
            // `all` ends every hang; a card, those of that card and not those of all cards.
            Self::Release { target: Target::All } => end(Kind::Hang, None),
            Self::Release { target } => end(Kind::Hang, Some(target.word())),
            Self::Mismatch { on: false } => end(Kind::Mismatch, None),
            Self::Link { card, most: None } => end(Kind::Link, Some(small(*card))),
            Self::BlockFan { card, on: false } => end(Kind::FanBlocked, Some(small(*card))),
            Self::ClearErrors { card, symbol } => Some(Edit::End {
                kind: Kind::Error,
                card: card.map(small),
                symbol: symbol.map(Symbol::number),
            }),
            _ => None,
        }
    }

    fn draft(&self) -> Result<Drafted, StateError> {
        Ok(match self {
            Self::Load { card, percent } => {
                let percent = i64::from(percent.unwrap_or(0));
                (Kind::Load, small(*card), in_range("load", 0, 100, percent)?)
            }
            Self::Temperature { card, celsius } => {
                let celsius = i64::from(celsius.unwrap_or(0));
                (Kind::Pin, small(*card), in_range("temperature", -20, 130, celsius)?)
            }
            Self::Ambient { celsius } => {
                (Kind::Ambient, NONE, in_range("ambient temperature", -20, 60, i64::from(*celsius))?)
            }
            Self::Lose { card } => (Kind::Lost, small(*card), 0),
            Self::Xid { card, code } => (Kind::Xid, small(*card), in_range("Xid", 1, 999, i64::from(*code))?),
            Self::Hang { target, .. } => (Kind::Hang, target.word(), 0),
            Self::Error { code, card, .. } => {
                let code = in_range("error code", 1, 999, i64::from(*code))?;
                (Kind::Error, card.map_or(NONE, small), code)
            }
            Self::Mismatch { .. } => (Kind::Mismatch, NONE, 0),
            Self::BlockFan { card, .. } => (Kind::FanBlocked, small(*card), 0),
            Self::NoPower { card, on } => (Kind::NoPower, small(*card), i64::from(*on)),
            Self::Link { card, most } => {
                let (generation, width) = most.unwrap_or_default();
                let generation = in_range("link generation", 1, 7, i64::from(generation))?;
                let width = in_range("link width", 1, 32, i64::from(width))?;
                (Kind::Link, small(*card), generation + 256 * width)
            }
            Self::CallCost { micros } => {
                (Kind::CallCost, NONE, in_range("call cost", 0, 1_000_000, i64::from(*micros))?)
            }
            Self::Writes { anyone } => (Kind::Writes, NONE, i64::from(*anyone)),
            _ => (Kind::Reload, NONE, 0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(effect: &Effect, from: u64, until: Option<u64>) -> EffectRecord {
        match effect.edit(from, until, 9, Some(5)) {
            Ok(Edit::Append(record)) => record,
            other => panic!("{effect:?} gave {other:?}"),
        }
    }

    #[test]
    fn effects_become_the_records_that_say_the_same() {
        let hang = Effect::Hang { target: Target::Card(2), symbol: Some(Symbol::DeviceGetName) };
        let record = appended(&hang, 10, Some(30));
        assert_eq!((record.from, record.until, record.card), (10, 30, 2));
        assert_eq!(record.symbol, Symbol::DeviceGetName.number());
        assert_eq!(appended(&Effect::Add, 1, None).card, 5);
        assert_eq!(appended(&Effect::Add, 1, None).value, 9);
        assert_eq!(appended(&Effect::Remove { card: 3 }, 1, None).value, -1);
        // An instant is empty, so it never "holds".
        let xid = appended(&Effect::Xid { card: 1, code: 79 }, 7, None);
        assert_eq!((xid.from, xid.until), (7, 7));
        assert_eq!(appended(&Effect::Reload, 7, None).kind, Kind::Reload as u32);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for effect in [
            Effect::Load { card: 0, percent: Some(101) },
            Effect::Temperature { card: 0, celsius: Some(131) },
            Effect::Ambient { celsius: 61 },
            Effect::Xid { card: 0, code: 0 },
            Effect::Error { code: 1000, card: None, symbol: None },
            Effect::CallCost { micros: 1_000_001 },
            Effect::Link { card: 0, most: Some((0, 8)) },
            Effect::Link { card: 0, most: Some((4, 33)) },
        ] {
            assert!(matches!(effect.edit(0, None, 0, None), Err(StateError::Range { .. })), "{effect:?}");
        }
        for slots in [vec![0, 0], vec![64]] {
            let order = Effect::Order { slots };
            assert!(matches!(order.edit(0, None, 0, None), Err(StateError::BadOrder { .. })));
        }
        assert!(matches!(Effect::Add.edit(0, None, 0, None), Err(StateError::NoFreeSlot)));
    }
}
