//! The tables in the file: effects, call counters, log of Set calls. All calls that change something demand
//! the lock, except the counters, which are atomics.

use std::sync::atomic::Ordering;

use crate::error::StateError;
use crate::layout::{
    self, EffectRecord, MAX_CARDS, MAX_EFFECTS, NO_CARD_COLUMN, SET_LOG_LEN, SET_RING, SetRecord,
};
use crate::map::{Locked, Map};
use crate::news;
use crate::quantise::small;
use crate::records::{Edit, Kind, ends, keeps, supersedes};
use crate::symbols::{SYMBOL_COUNT, Symbol};

fn bank(map: &Map) -> usize {
    (map.word(layout::BANK_ACTIVE).load(Ordering::Acquire) % 2) as usize
}

fn bank_len(map: &Map, bank: usize) -> usize {
    (map.word(layout::BANK_LEN.nth(bank)).load(Ordering::Acquire) as usize).min(MAX_EFFECTS)
}

fn place(bank: usize, index: usize) -> crate::map::Place<EffectRecord> {
    layout::EFFECTS.nth(bank * MAX_EFFECTS + index)
}

/// All effects in the table.
pub(crate) fn effects(map: &Map, _held: &Locked<'_>) -> Vec<EffectRecord> {
    let bank = bank(map);
    map.read_many(&layout::EFFECTS, bank * MAX_EFFECTS, bank_len(map, bank))
}

/// Whether appending should be preceded by bringing all cards up to date, so that compaction finds something.
pub(crate) fn is_full(map: &Map, _held: &Locked<'_>) -> bool {
    bank_len(map, bank(map)) >= MAX_EFFECTS
}

/// Carries out an edit at simulated time `at`; `horizon` tells the time that every card's state has reached.
pub(crate) fn carry_out(
    map: &Map,
    held: &Locked<'_>,
    edit: &Edit,
    at: u64,
    horizon: impl Fn() -> u64,
) -> Result<(), StateError> {
    match edit {
        Edit::Append(record) => append(map, held, record, horizon)?,
        Edit::End { kind, card, symbol } => end(map, held, (*kind, *card, *symbol), at),
    }
    map.long(layout::GENERATION).fetch_add(1, Ordering::AcqRel);
    news::announce(map);
    Ok(())
}

fn append(
    map: &Map,
    held: &Locked<'_>,
    record: &EffectRecord,
    horizon: impl Fn() -> u64,
) -> Result<(), StateError> {
    if is_full(map, held) {
        compact(map, held, horizon());
    }
    let bank = bank(map);
    let len = bank_len(map, bank);
    if len >= MAX_EFFECTS {
        return Err(StateError::EffectsFull);
    }
    let seq = map.long(layout::NEXT_SEQ).fetch_add(1, Ordering::AcqRel);
    let record = EffectRecord { seq, ..*record };
    map.write(place(bank, len), &record);
    map.commit(layout::BANK_LEN.nth(bank), small(len + 1));
    // The newer one counts from here on; that the older ones end is only tidiness, so it may come after.
    for (index, older) in effects(map, held).iter().enumerate() {
        if supersedes(&record, older) {
            set_end(map, bank, index, record.from);
        }
    }
    Ok(())
}

fn end(map: &Map, held: &Locked<'_>, (kind, card, symbol): (Kind, Option<u32>, Option<u32>), at: u64) {
    let bank = bank(map);
    for (index, effect) in effects(map, held).iter().enumerate() {
        if ends(effect, kind, card, symbol, at) {
            set_end(map, bank, index, at);
        }
    }
}

/// One aligned store, so an effect's window is never half changed.
fn set_end(map: &Map, bank: usize, index: usize, at: u64) {
    map.commit_long(place(bank, index).until(), at);
}

/// Copies what is kept into the other bank and makes that one valid.
fn compact(map: &Map, held: &Locked<'_>, horizon: u64) {
    let all = effects(map, held);
    let other = 1 - bank(map);
    let mut len = 0;
    for record in all.iter().filter(|record| keeps(record, &all, horizon)) {
        map.write(place(other, len), record);
        len += 1;
    }
    map.commit(layout::BANK_LEN.nth(other), small(len));
    map.commit(layout::BANK_ACTIVE, small(other));
}

/// One counter of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct CallCount {
    /// What was called.
    pub symbol: Symbol,
    /// Slot it was about; `None` for calls about no card, or about one that does not exist.
    pub card: Option<usize>,
    /// How often.
    pub count: u64,
}

fn counter(symbol: Symbol, column: usize) -> crate::map::Place<u64> {
    layout::CALLS.nth(symbol.number() as usize * (MAX_CARDS + 1) + column)
}

/// Counts one call.
pub(crate) fn count(map: &Map, symbol: Symbol, card: Option<usize>) {
    map.long(counter(symbol, card.unwrap_or(NO_CARD_COLUMN))).fetch_add(1, Ordering::Relaxed);
}

/// All counters that are not 0, by symbol, then card.
pub(crate) fn counts(map: &Map) -> Vec<CallCount> {
    let columns = || (0..=MAX_CARDS).map(|column| (column, Some(column).filter(|c| *c != NO_CARD_COLUMN)));
    let read = |symbol, column| map.long(counter(symbol, column)).load(Ordering::Relaxed);
    Symbol::ALL
        .iter()
        .flat_map(|symbol| columns().map(move |(column, card)| (*symbol, column, card)))
        .map(|(symbol, column, card)| CallCount { symbol, card, count: read(symbol, column) })
        .filter(|call| call.count > 0)
        .collect()
}

/// Sets all counters to 0.
pub(crate) fn reset_counts(map: &Map) {
    for index in 0..SYMBOL_COUNT * (MAX_CARDS + 1) {
        map.long(layout::CALLS.nth(index)).store(0, Ordering::Relaxed);
    }
}

/// One logged Set call.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SetCall {
    /// What was called.
    pub symbol: Symbol,
    /// Slot it was about.
    pub card: Option<usize>,
    /// Arguments after the device handle.
    pub args: Vec<i64>,
    /// Process that called.
    pub pid: u32,
    /// NVML code that it got.
    pub code: u32,
    /// Simulated instant, ns.
    pub at_ns: u64,
}

/// Logs one Set call.
pub(crate) fn log_set(map: &Map, _held: &Locked<'_>, record: &SetRecord) {
    let logged = map.long(layout::SETS_LOGGED).load(Ordering::Acquire);
    map.write(layout::SETS.nth(ring_place(logged)), record);
    map.commit_long(layout::SETS_LOGGED, logged + 1);
}

fn ring_place(number: u64) -> usize {
    usize::try_from(number % SET_RING as u64).unwrap_or(0)
}

/// The newest Set calls, oldest first; at most [`SET_LOG_LEN`].
pub(crate) fn sets(map: &Map, _held: &Locked<'_>) -> Vec<SetCall> {
    let logged = map.long(layout::SETS_LOGGED).load(Ordering::Acquire);
    let first = logged.saturating_sub(SET_LOG_LEN as u64);
    (first..logged).filter_map(|number| set_call(&map.read(layout::SETS.nth(ring_place(number))))).collect()
}

fn set_call(record: &SetRecord) -> Option<SetCall> {
    let symbol = Symbol::from_number(record.symbol)?;
    Some(SetCall {
        symbol,
        card: usize::try_from(record.card).ok().filter(|card| *card < MAX_CARDS),
        args: record.args.iter().copied().take(set_arity(symbol)).collect(),
        pid: record.pid,
        code: record.code,
        at_ns: record.at,
    })
}

/// How many arguments a Set call takes after the device handle.
fn set_arity(symbol: Symbol) -> usize {
    match symbol {
        Symbol::DeviceSetFanSpeedV2 | Symbol::DeviceSetFanControlPolicy => 2,
        _ => 1,
    }
}
