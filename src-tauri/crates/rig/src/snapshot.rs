//! One sweep over the whole rig: every card's answer, and what happened since the last.

use fanfare_units::Stamp;
use serde::{Deserialize, Serialize};

use crate::{
    answer::Answer,
    condition::Condition,
    details::Details,
    identity::CardUuid,
    reading::{NvmlCode, Reading, Reason},
    sample::Sample,
};

/// The rig at one sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Number of the sweep, counted by its probe from 1.
    pub sweep: u64,
    /// When the sweep began.
    pub at: Stamp,
    /// The driver that answered; `None` until it has.
    pub driver: Option<Driver>,
    /// Whether the list of cards could be read.
    pub roster: Roster,
    /// Every card the probe has met, in slot order, cards without a known slot last.
    pub cards: Vec<Card>,
    /// Cards the driver counts but will not hand out, so that no UUID is known.
    pub unreachable: Vec<Unreachable>,
    /// What the driver reported since the last sweep.
    pub events: Vec<CardEvent>,
    /// How many such reports were dropped because there were too many.
    pub events_dropped: u64,
}

/// Whether the list of cards could be read. Cards met before go on in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Roster {
    /// The driver is being started, or the list read for the first time.
    Starting,
    /// It was read at the last try.
    Read,
    /// The try that is running has not returned.
    Stuck {
        /// When it began.
        since: Stamp,
    },
    /// The last try failed.
    Failed {
        /// What the driver answered.
        code: NvmlCode,
    },
}

/// The driver that answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Driver {
    /// Version of the kernel driver, such as `595.71.05`.
    pub version: Reading<String>,
    /// Version of the library.
    pub library: Reading<String>,
    /// Version of CUDA it speaks.
    pub cuda: Reading<String>,
    /// Whether this is the simulated driver. Simulated figures must say so wherever they are shown.
    pub simulated: bool,
}

/// One card of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Its name for life.
    pub uuid: CardUuid,
    /// Its slow facts, as last read; `None` until they have been.
    pub details: Option<Details>,
    /// Its answer to this sweep.
    pub answer: Answer,
}

impl Card {
    /// What is wrong with it, by this one answer.
    pub fn condition(&self) -> Condition {
        Condition::of(&self.answer)
    }

    /// One quantity of the answer; of a silent card it is missing as stuck.
    pub fn read<T: Clone>(&self, quantity: impl FnOnce(&Sample) -> &Reading<T>) -> Reading<T> {
        match &self.answer {
            Answer::Sample(sample) => quantity(sample).clone(),
            Answer::Silent { since } => Reading::missing(Reason::Stuck { since: *since }),
        }
    }
}

/// A card the driver counts but will not hand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreachable {
    /// Its place in this one enumeration; it may differ at the next boot and is never stored.
    pub index: u32,
    /// Why there is no card: what the driver answered, or that it does not answer.
    pub reason: Reason,
}

/// Something the driver reported of its own accord.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardEvent {
    /// When the probe received it.
    pub at: Stamp,
    /// The card, if the driver named one that the probe knows.
    pub uuid: Option<CardUuid>,
    /// What it was.
    pub kind: EventKind,
}

/// What the driver reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// An Xid error, by its number.
    Xid(u64),
    /// Another event, by its type bits in `nvml.h`.
    Other(u64),
}
