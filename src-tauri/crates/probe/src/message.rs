//! What the other threads put on the desk.

use fanfare_rig::{CardEvent, Driver, NvmlCode, Trouble, Unreachable};
use fanfare_units::Stamp;

use crate::cards::CardReader;

/// Something that happened beside the sweeps.
#[derive(Debug)]
pub(crate) enum Message {
    /// A read of the list of cards, or the start of the driver, has begun.
    RosterBegun(Stamp),
    /// The driver is there.
    Driver(Driver),
    /// A card was met for the first time.
    Card(Box<CardReader>),
    /// The list of cards was read.
    RosterRead { unreachable: Vec<Unreachable> },
    /// The list of cards could not be read.
    RosterFailed(NvmlCode),
    /// The driver reported something.
    Event(CardEvent),
    /// The driver cannot be read.
    Trouble(Trouble),
}
