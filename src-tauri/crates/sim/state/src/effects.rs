//! Effects: what scenario files and live commands do to the rig, as a bounded, append-only table.
//!
//! An effect has a window [from, until) in simulated time, or is an instant (Xid, driver reload). Whether it
//! holds at a time is a pure function of the table ([`crate::conditions`]); of several that hold for the same
//! thing the one that began last counts. Undoing an effect sets its end: one store. So a caller killed between
//! any two stores leaves a table that means something.
//!
//! Bound: [`MAX_EFFECTS`] entries. When the table is full, entries that ended before every card's state are
//! dropped ([`keeps`]); if none can be dropped, appending fails with [`StateError::EffectsFull`].

use crate::error::StateError;
use crate::layout::{EffectRecord, MAX_CARDS, NONE};
use crate::quantise::small;
use crate::symbols::Symbol;

pub use crate::layout::MAX_EFFECTS;

/// How long a past Xid stays in the table for event sets that have not fetched it, in simulated ns.
pub const XID_KEPT_NS: u64 = 3600 * 1_000_000_000;

/// What a record in the table stands for; the number is part of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    /// `value` = utilisation in percent.
    Load = 1,
    /// `value` = temperature in degrees Celsius.
    Pin,
    /// `value` = ambient temperature in degrees Celsius.
    Ambient,
    /// The card has fallen off the bus.
    Lost,
    /// `value` = board in the slot, or -1 for none.
    Seat,
    /// `list` = slots in the order of enumeration.
    Order,
    /// Instant; `value` = Xid.
    Xid,
    /// Calls do not return.
    Hang,
    /// `value` = code that calls return.
    Error,
    /// Library and kernel module differ.
    Mismatch,
    /// Instant.
    Reload,
    /// The blades do not turn.
    FanBlocked,
    /// `value` = 1 if power telemetry is absent, 0 if present.
    NoPower,
    /// `value` = CPU time per call in microseconds.
    CallCost,
    /// `value` = 1 if anyone may write.
    Writes,
}

impl Kind {
    const ALL: [Self; 15] = [
        Self::Load,
        Self::Pin,
        Self::Ambient,
        Self::Lost,
        Self::Seat,
        Self::Order,
        Self::Xid,
        Self::Hang,
        Self::Error,
        Self::Mismatch,
        Self::Reload,
        Self::FanBlocked,
        Self::NoPower,
        Self::CallCost,
        Self::Writes,
    ];

    /// The kind of a record; `None` in a damaged file.
    pub(crate) fn of(record: &EffectRecord) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == record.kind)
    }

    fn is_instant(self) -> bool {
        matches!(self, Self::Xid | Self::Reload)
    }
}

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

/// What an effect does to the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edit {
    /// A new record; if it stays open, older records of the same kind, card and symbol that hold end.
    Append(EffectRecord),
    /// Records of this kind that hold end, narrowed by card and symbol where given.
    End { kind: Kind, card: Option<u32>, symbol: Option<u32> },
}

fn record(kind: Kind, from: u64, until: Option<u64>, card: u32, value: i64) -> EffectRecord {
    EffectRecord {
        from,
        until: if kind.is_instant() { from } else { until.unwrap_or(u64::MAX) },
        seq: 0,
        value,
        kind: kind as u32,
        card,
        symbol: NONE,
        spare: 0,
        list: [u8::MAX; MAX_CARDS],
    }
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
            | Self::NoPower { card, .. } => Some(*card),
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
            Self::Add => {
                (Kind::Seat, small(empty.ok_or(StateError::NoFreeSlot)?), i64::from(board))
            }
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
            Self::Xid { card, code } => {
                (Kind::Xid, small(*card), in_range("Xid", 1, 999, i64::from(*code))?)
            }
            Self::Hang { target, .. } => (Kind::Hang, target.word(), 0),
            Self::Error { code, card, .. } => {
                let code = in_range("error code", 1, 999, i64::from(*code))?;
                (Kind::Error, card.map_or(NONE, small), code)
            }
            Self::Mismatch { .. } => (Kind::Mismatch, NONE, 0),
            Self::BlockFan { card, .. } => (Kind::FanBlocked, small(*card), 0),
            Self::NoPower { card, on } => (Kind::NoPower, small(*card), i64::from(*on)),
            Self::CallCost { micros } => {
                (Kind::CallCost, NONE, in_range("call cost", 0, 1_000_000, i64::from(*micros))?)
            }
            Self::Writes { anyone } => (Kind::Writes, NONE, i64::from(*anyone)),
            _ => (Kind::Reload, NONE, 0),
        })
    }
}

/// Whether `record` holds at `at` (an instant never "holds").
pub(crate) fn holds(record: &EffectRecord, at: u64) -> bool {
    record.from <= at && at < record.until
}

/// Whether appending `newer` makes `older` end at the start of `newer`.
pub(crate) fn supersedes(newer: &EffectRecord, older: &EffectRecord) -> bool {
    newer.until == u64::MAX
        && older.kind == newer.kind
        && older.card == newer.card
        && older.symbol == newer.symbol
        && older.seq != newer.seq
        && holds(older, newer.from)
}

/// Whether an [`Edit::End`] at `at` ends `record`.
pub(crate) fn ends(
    record: &EffectRecord,
    kind: Kind,
    card: Option<u32>,
    symbol: Option<u32>,
    at: u64,
) -> bool {
    record.kind == kind as u32
        && card.is_none_or(|card| card == record.card)
        && symbol.is_none_or(|symbol| symbol == record.symbol)
        && holds(record, at)
}

/// Whether compaction keeps `record`, when every card's state has reached `horizon`: what is open, still to
/// come, the newest reload, and Xids that are recent or that still mark a card as sick.
pub(crate) fn keeps(record: &EffectRecord, all: &[EffectRecord], horizon: u64) -> bool {
    let newest = |same_card: bool| {
        !all.iter().any(|other| {
            other.kind == record.kind
                && (!same_card || other.card == record.card)
                && (other.from, other.seq) > (record.from, record.seq)
                && other.from <= horizon
        })
    };
    match Kind::of(record) {
        None => false,
        Some(Kind::Reload) => record.from > horizon || newest(false),
        Some(Kind::Xid) => {
            let critical = crate::conditions::recovery_of(record.value) != 0;
            record.from.saturating_add(XID_KEPT_NS) > horizon || (critical && newest(true))
        }
        Some(_) => record.until > horizon,
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
        ] {
            assert!(matches!(effect.edit(0, None, 0, None), Err(StateError::Range { .. })), "{effect:?}");
        }
        for slots in [vec![0, 0], vec![64]] {
            let order = Effect::Order { slots };
            assert!(matches!(order.edit(0, None, 0, None), Err(StateError::BadOrder { .. })));
        }
        assert!(matches!(Effect::Add.edit(0, None, 0, None), Err(StateError::NoFreeSlot)));
    }

    #[test]
    fn an_open_effect_supersedes_its_like_and_a_timed_one_does_not() {
        let old = EffectRecord { seq: 1, ..appended(&Effect::Load { card: 1, percent: Some(10) }, 0, None) };
        let new = EffectRecord { seq: 2, ..appended(&Effect::Load { card: 1, percent: Some(20) }, 5, None) };
        let timed = EffectRecord { until: 9, ..new };
        let other = EffectRecord { card: 2, ..new };
        assert!(supersedes(&new, &old));
        assert!(!supersedes(&timed, &old));
        assert!(!supersedes(&other, &old));
        assert!(!supersedes(&old, &new));
    }

    #[test]
    fn compaction_keeps_what_can_still_matter() {
        let past = appended(&Effect::Load { card: 1, percent: Some(10) }, 0, Some(100));
        let future = appended(&Effect::Load { card: 1, percent: Some(10) }, 500, Some(600));
        let reload = |from, seq| EffectRecord { seq, ..appended(&Effect::Reload, from, None) };
        let (first, second) = (reload(10, 1), reload(20, 2));
        let late = XID_KEPT_NS + 1000;
        let harmless = appended(&Effect::Xid { card: 0, code: 31 }, 10, None);
        let sick = appended(&Effect::Xid { card: 0, code: 79 }, 10, None);
        let all = [past, future, first, second, harmless, sick];
        assert!(keeps(&past, &all, 99) && !keeps(&past, &all, 100));
        assert!(keeps(&future, &all, 100));
        assert!(!keeps(&first, &all, 100) && keeps(&second, &all, 100));
        assert!(keeps(&harmless, &all, 100) && !keeps(&harmless, &all, late));
        assert!(keeps(&sick, &all, late));
    }
}
