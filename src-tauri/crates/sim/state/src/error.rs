//! What can go wrong between a process and the simulated driver's state file.

use std::path::PathBuf;

use crate::layout::{MAX_CARDS, MAX_EFFECTS};

/// Why the state file could not be used or changed.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file could not be created, opened, sized or mapped.
    #[error("{}: {source}", path.display())]
    Io {
        /// The state file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no state file of the simulated driver (wrong magic number).
    #[error("{} is not a state file of the simulated driver", path.display())]
    NotAState {
        /// The file in question.
        path: PathBuf,
    },
    /// The file was written by another version of this crate.
    #[error("{} has layout version {found}, this program knows {expected}", path.display())]
    Version {
        /// The file in question.
        path: PathBuf,
        /// Version word in the file.
        found: u32,
        /// Version word of this program.
        expected: u32,
    },
    /// The file is shorter or longer than its version demands.
    #[error("{} holds {found} bytes, its layout needs {expected}", path.display())]
    Size {
        /// The file in question.
        path: PathBuf,
        /// Bytes found.
        found: u64,
        /// Bytes needed.
        expected: u64,
    },
    /// The lock could not be had in time: its holder is stopped, or the file is damaged.
    #[error("the lock of the state file was not released within {seconds} s")]
    LockTimeout {
        /// The limit that passed.
        seconds: u64,
    },
    /// A pthread call on the shared lock failed.
    #[error("the lock of the state file failed: {source}")]
    Lock {
        /// What the system said.
        source: std::io::Error,
    },
    /// The table of effects is full even after compaction.
    #[error("the table of effects is full ({MAX_EFFECTS} entries still in force or yet to come)")]
    EffectsFull,
    /// The card number is not a slot of this rig, or its slot is empty.
    #[error("no card in slot {card}")]
    NoCard {
        /// The slot that was named.
        card: usize,
    },
    /// Every slot is taken.
    #[error("all {MAX_CARDS} slots are taken")]
    NoFreeSlot,
    /// The order names a slot twice, or one that does not exist.
    #[error("an order names each slot at most once, below {MAX_CARDS}; {slot} is wrong")]
    BadOrder {
        /// The slot that was wrong.
        slot: usize,
    },
    /// The clock runs by itself, so it cannot be advanced by hand.
    #[error("the clock is real; only a manual clock can be advanced")]
    ClockIsReal,
    /// A value is outside what the model takes.
    #[error("{what} must lie in {low}..={high}, not {found}")]
    Range {
        /// Name of the value.
        what: &'static str,
        /// Smallest permitted.
        low: i64,
        /// Largest permitted.
        high: i64,
        /// What was given.
        found: i64,
    },
    /// A symbol that the simulated library does not export.
    #[error("the simulated driver has no symbol `{name}`")]
    UnknownSymbol {
        /// The name that was given.
        name: String,
    },
    /// A profile that does not exist.
    #[error("no profile `{name}` (there are: {known})")]
    UnknownProfile {
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A scenario file is wrong.
    #[error(transparent)]
    Scenario(#[from] crate::scenario::ScenarioError),
}
