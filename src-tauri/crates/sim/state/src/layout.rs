//! The state file, byte by byte.
//!
//! Why fixed records and not a serialised document: several processes change the file at once and any of
//! them may be killed between two stores. So each thing that changes has a place of its own and one word
//! that commits it: a flag that says which of two copies is valid (clock, cards, bank of effects), or a
//! count that is raised last (effects in a bank, log of Set calls). A half-written copy is never the valid
//! one. The whole file is about 1 MiB; a new layout gets a new [`VERSION`].

use bytemuck::{Pod, Zeroable};

use crate::map::{Place, Row};
use crate::symbols::SYMBOL_COUNT;

/// First eight bytes of a state file: "FANFARE\x01" read as a little-endian number.
pub const MAGIC: u64 = u64::from_le_bytes(*b"FANFARE\x01");
/// Version of this layout. Another version is refused, never converted: a state file lives for one run.
pub const VERSION: u32 = 1;

/// Slots of the largest rig.
pub const MAX_CARDS: usize = 64;
/// Fans of one card.
pub const MAX_FANS: usize = 4;
/// Bound of the table of effects, in force, past and to come together.
pub const MAX_EFFECTS: usize = 1024;
/// Places in the ring of logged Set calls. One is always spare, so [`SET_LOG_LEN`] can be read.
pub const SET_RING: usize = 1024;
/// How many of the newest Set calls can be read back. The oldest place may be half overwritten by a writer
/// that was killed, so it does not count.
pub const SET_LOG_LEN: usize = SET_RING - 1;
/// Steps in one second of the 100 ms grid: the length of the averaging windows.
pub const WINDOW: usize = 10;
/// "No card", "any card", "any symbol", "no board" in a record.
pub const NONE: u32 = u32::MAX;
/// Column of the call counters that takes calls without a card.
pub const NO_CARD_COLUMN: usize = MAX_CARDS;

/// Identity of the file. Written last when a state is created.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// Whole size of the file in bytes.
    pub size: u64,
    /// [`VERSION`].
    pub version: u32,
    /// Keeps the record free of padding.
    pub spare: u32,
}

/// What was chosen when the state was created; never changes afterwards.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Config {
    /// Seed of identities, card differences, noise and rentals.
    pub seed: u64,
    /// Bit per slot: this card has no power telemetry.
    pub no_power: u64,
    /// Wall time of simulated time 0, in microseconds since 1970 UTC.
    pub wall_origin_us: u64,
    /// Index into [`crate::profile::ALL`].
    pub profile: u32,
    /// Cards at the start.
    pub cards: u32,
    /// 1 if rentals come and go by the schedule.
    pub rentals: u32,
    /// 1 if anyone may write, 0 if the caller needs the privilege.
    pub writes_anyone: u32,
    /// CPU time each call burns, in microseconds.
    pub call_cost_us: u32,
    /// Keeps the record free of padding.
    pub spare: u32,
}

/// The shared clock; see [`crate::clock`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable, PartialEq, Eq)]
pub struct ClockRecord {
    /// Simulated nanoseconds at the base.
    pub base_sim_ns: u64,
    /// CLOCK_BOOTTIME at the base, in nanoseconds.
    pub base_boot_ns: u64,
    /// Speed in thousandths of real time; 0 means a manual clock.
    pub speed_milli: u64,
}

/// One effect; see `records` for the meaning of the fields by kind.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable, PartialEq, Eq)]
pub struct EffectRecord {
    /// Start of the window in simulated nanoseconds; for an instant, the instant.
    pub from: u64,
    /// End of the window, exclusive; `u64::MAX` while open.
    pub until: u64,
    /// Order of arrival, unique in the file.
    pub seq: u64,
    /// The value that the kind carries.
    pub value: i64,
    /// The kind as a number (`records::Kind`).
    pub kind: u32,
    /// Slot, or [`NONE`] for all.
    pub card: u32,
    /// Symbol number, or [`NONE`] for all.
    pub symbol: u32,
    /// Keeps the record free of padding.
    pub spare: u32,
    /// Enumeration order: slots, ended by 255.
    pub list: [u8; MAX_CARDS],
}

/// All that the model knows of one slot's card at a step of the grid.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable, PartialEq)]
pub struct CardRecord {
    /// Step of the grid (100 ms each) that this state belongs to.
    pub step: u64,
    /// Instant at which something that comes at once (another board, a reload) was last carried out.
    pub settled_at: u64,
    /// Newest driver reload that was carried out: its instant.
    pub reload_at: u64,
    /// Newest driver reload that was carried out: its sequence number.
    pub reload_seq: u64,
    /// Time under the software power cap, in ns.
    pub capped_ns: u64,
    /// Time under a thermal slowdown, in ns.
    pub thermal_ns: u64,
    /// Memory of the one process, in bytes.
    pub process_bytes: u64,
    /// Simulated instant at which the process began, in ns.
    pub process_since: u64,
    /// Heatsink temperature, in degrees Celsius.
    pub heatsink_c: f64,
    /// Temperature at the core's sensor, in degrees Celsius.
    pub die_c: f64,
    /// True board power now, in watts.
    pub power_w: f64,
    /// True energy since the driver was loaded, in millijoules.
    pub energy_mj: f64,
    /// Speed that the blades would have unblocked, 0..=1.
    pub blades: f64,
    /// What the automatic fan curve asks for, in percent.
    pub auto_fan: f64,
    /// Last ten sensor samples of board power, in milliwatts.
    pub power_window_mw: [u32; WINDOW],
    /// Last ten samples of core utilisation, in percent.
    pub busy_window: [u32; WINDOW],
    /// Fan speed asked by a manual setting, in percent.
    pub fan_target: [u32; MAX_FANS],
    /// 1 for a fan under manual control.
    pub fan_manual: [u32; MAX_FANS],
    /// Which card sits in the slot; [`NONE`] for an empty one.
    pub board: u32,
    /// Power limit in force, in milliwatts.
    pub power_limit_mw: u32,
    /// 1 if persistence mode is on.
    pub persistence: u32,
    /// 1 while the automatic curve lets the fans turn.
    pub spinning: u32,
    /// Performance state.
    pub pstate: u32,
    /// Steps since the core last had work.
    pub idle_steps: u32,
    /// Graphics and SM clock, in MHz.
    pub graphics_mhz: u32,
    /// Memory clock, in MHz.
    pub memory_mhz: u32,
    /// Video clock, in MHz.
    pub video_mhz: u32,
    /// NVML clocks event reasons.
    pub reasons: u32,
    /// Share of the time in which memory was read or written, in percent.
    pub memory_busy: u32,
    /// Pid of the one process, 0 for none.
    pub pid: u32,
}

/// One logged Set call.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct SetRecord {
    /// Simulated nanoseconds.
    pub at: u64,
    /// Arguments after the device handle.
    pub args: [i64; 3],
    /// Symbol number.
    pub symbol: u32,
    /// Slot, or [`NONE`].
    pub card: u32,
    /// Process that called.
    pub pid: u32,
    /// NVML code that it got.
    pub code: u32,
}

const fn after(offset: usize, bytes: usize) -> usize {
    // A cache line each, so that unlike things never share one and every record is aligned.
    (offset + bytes).div_ceil(64) * 64
}

const LOCK_BYTES: usize = 64;
const HEADER_AT: usize = 0;
const LOCK_AT: usize = after(HEADER_AT, size_of::<Header>());
const WORDS_AT: usize = after(LOCK_AT, LOCK_BYTES);
const CONFIG_AT: usize = after(WORDS_AT, 64);
const CLOCK_AT: usize = after(CONFIG_AT, size_of::<Config>());
const EFFECTS_AT: usize = after(CLOCK_AT, 2 * size_of::<ClockRecord>());
const CARD_FLAGS_AT: usize = after(EFFECTS_AT, 2 * MAX_EFFECTS * size_of::<EffectRecord>());
const CARDS_AT: usize = after(CARD_FLAGS_AT, MAX_CARDS * 4);
const CALLS_AT: usize = after(CARDS_AT, 2 * MAX_CARDS * size_of::<CardRecord>());
const SETS_AT: usize = after(CALLS_AT, SYMBOL_COUNT * (MAX_CARDS + 1) * 8);

/// Bytes of a whole state file.
pub const FILE_SIZE: usize = after(SETS_AT, SET_RING * size_of::<SetRecord>());

/// Identity.
pub const HEADER: Place<Header> = Place::at(HEADER_AT);
/// The robust mutex.
pub const LOCK: Place<[u64; LOCK_BYTES / 8]> = Place::at(LOCK_AT);
/// Raised with each change of the effects, so that caches notice.
pub const GENERATION: Place<u64> = Place::at(WORDS_AT);
/// How often a dead holder's lock was taken over.
pub const RECOVERIES: Place<u64> = Place::at(WORDS_AT + 8);
/// Set calls logged since the start; the place of call n is `n % SET_RING`.
pub const SETS_LOGGED: Place<u64> = Place::at(WORDS_AT + 16);
/// Next sequence number of an effect.
pub const NEXT_SEQ: Place<u64> = Place::at(WORDS_AT + 24);
/// Next number of a board that is put in.
pub const NEXT_BOARD: Place<u32> = Place::at(WORDS_AT + 32);
/// Which clock record is valid.
pub const CLOCK_ACTIVE: Place<u32> = Place::at(WORDS_AT + 36);
/// Which bank of effects is valid.
pub const BANK_ACTIVE: Place<u32> = Place::at(WORDS_AT + 40);
/// Effects in each bank.
pub const BANK_LEN: Row<u32> = Row::at(WORDS_AT + 44, 2);
/// Moved on by every change; threads of all processes sleep on it.
pub const NEWS: Place<u32> = Place::at(WORDS_AT + 52);
/// Choices made at creation.
pub const CONFIG: Place<Config> = Place::at(CONFIG_AT);
/// The two clock records.
pub const CLOCKS: Row<ClockRecord> = Row::at(CLOCK_AT, 2);
/// Both banks of effects, one after the other.
pub const EFFECTS: Row<EffectRecord> = Row::at(EFFECTS_AT, 2 * MAX_EFFECTS);
/// Which record of each card is valid.
pub const CARD_ACTIVE: Row<u32> = Row::at(CARD_FLAGS_AT, MAX_CARDS);
/// The records of the cards: slot × 2 + copy.
pub const CARDS: Row<CardRecord> = Row::at(CARDS_AT, 2 * MAX_CARDS);
/// Call counters: symbol × (cards + 1) + card.
pub const CALLS: Row<u64> = Row::at(CALLS_AT, SYMBOL_COUNT * (MAX_CARDS + 1));
/// Ring of Set calls.
pub const SETS: Row<SetRecord> = Row::at(SETS_AT, SET_RING);
