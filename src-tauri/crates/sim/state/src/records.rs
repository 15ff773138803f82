//! The table of effects: bounded, append-only, and whole at every instant.
//!
//! Whether an effect holds at a time is a pure function of the table ([`crate::conditions`]); of several that
//! hold for the same thing the one that began last counts. Undoing an effect sets its end: one store. So a
//! caller killed between any two stores leaves a table that means something.
//!
//! Bound: [`MAX_EFFECTS`](crate::layout::MAX_EFFECTS) entries. When the table is full, entries that ended before every
//! card's state are dropped ([`keeps`]); if none can be dropped, appending fails with
//! [`StateError::EffectsFull`](crate::StateError::EffectsFull).

use crate::layout::{EffectRecord, MAX_CARDS, NONE};

/// How long a past Xid stays in the table for event sets that have not fetched it, in simulated ns.
pub(crate) const XID_KEPT_NS: u64 = 3600 * 1_000_000_000;

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
    /// `value` = greatest generation + 256 × greatest width of the link.
    Link,
}

impl Kind {
    const ALL: [Self; 16] = [
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
        Self::Link,
    ];

    /// The kind of a record; `None` in a damaged file.
    pub(crate) fn of(record: &EffectRecord) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == record.kind)
    }

    fn is_instant(self) -> bool {
        matches!(self, Self::Xid | Self::Reload)
    }
}

/// What an effect does to the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edit {
    /// A new record; if it stays open, older records of the same kind, card and symbol that hold end.
    Append(EffectRecord),
    /// Records of this kind that hold end, narrowed by card and symbol where given.
    End { kind: Kind, card: Option<u32>, symbol: Option<u32> },
}

/// A record with no symbol and no list.
pub(crate) fn record(kind: Kind, from: u64, until: Option<u64>, card: u32, value: i64) -> EffectRecord {
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

impl Edit {
    /// The slot in which the edit puts another board, or none.
    pub(crate) fn seat(&self) -> Option<usize> {
        match self {
            Self::Append(record) if record.kind == Kind::Seat as u32 => Some(record.card as usize),
            _ => None,
        }
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
    use crate::effects::Effect;

    fn appended(effect: &Effect, from: u64, until: Option<u64>) -> EffectRecord {
        match effect.edit(from, until, 9, Some(5)) {
            Ok(Edit::Append(record)) => record,
            other => panic!("{effect:?} gave {other:?}"),
        }
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
