//! The rig: its cards, what was read of them and when, which cards are expected, and what is wrong with one.
//!
//! Nothing here talks to a driver or a disk (the one edge is [`clock`], which reads the machine's clocks). The probe fills these
//! types, the line protocol in [`wire`] carries them, and everyone above reads them. One rule shapes them all: a quantity is
//! measured, or missing with its reason, and nothing turns the second into the first.

mod answer;
mod capability;
pub mod clock;
mod condition;
mod details;
mod identity;
mod inventory;
mod link;
mod quantity;
mod reading;
mod sample;
mod snapshot;
mod strangers;
mod throttle;
mod trouble;
pub mod wire;

pub use answer::Answer;
pub use capability::{Capabilities, Capability};
pub use condition::Condition;
pub use details::{Details, FanDetails, LinkLimits, PowerLimits, Range, Thresholds};
pub use identity::{BusId, BusIdError, CardUuid, CardUuidError};
pub use inventory::{Change, Inventory, Member, Occupant, Seat, Seen, Standing};
pub use link::{LinkState, LinkVerdict, SlotBaseline, judge as judge_link};
pub use quantity::Quantity;
pub use reading::{NvmlCode, Reading, Reason};
pub use sample::{Link, Memory, Process, RecoveryAction, Sample, Utilisation};
pub use snapshot::{Card, CardEvent, Driver, EventKind, Roster, Snapshot, Unreachable};
pub use strangers::strangers;
pub use throttle::{ThrottleReason, ThrottleReasons};
pub use trouble::{Trouble, TroubleCode};
