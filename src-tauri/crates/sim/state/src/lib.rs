//! State and model of the simulated NVIDIA driver.
//!
//! A driver keeps its state outside the processes that ask it, so this crate keeps the rig in one mapped file
//! that the simulated library (`fanfare-sim-nvml`), the command line (`fanfare-sim`) and tests open at once:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use fanfare_sim_state::{Clock, Setup, World};
//!
//! # let dir = tempfile::tempdir()?;
//! let world = World::create(
//!     &dir.path().join("rig"),
//!     &Setup { clock: Clock::Manual, rentals: false, ..Setup::default() },
//! )?;
//! world.load(3, Some(100))?;
//! world.advance(Duration::from_secs(1))?;
//! assert_eq!(world.card(3)?.map(|card| card.utilization), Some(100));
//! # Ok(())
//! # }
//! ```
//!
//! - **The file** ([`layout`], `map`): records of fixed size behind one robust lock; every change commits with one
//!   store, so a process killed at any instant leaves a whole state. Any user may open it: the lock has to be
//!   taken to read. It is about 1 MiB and lives for one run; another version is refused.
//! - **The clock** ([`clock`]): real time × speed, or moved by hand.
//! - **The model** ([`physics`], [`schedule`], `fans`): steps along a grid of 100 ms of simulated time, lazily, when
//!   somebody asks ([`World::session_at`]). Readings depend on clock and inputs, never on who asked how often.
//! - **The inputs** ([`effects`], [`conditions`], [`scenario`]): a bounded table of effects with windows in simulated
//!   time. What holds at an instant is a pure function of the table.
//! - **The cards** ([`profile`], [`identity`], [`reading`]): what a kind of card answers, and in which units.
//!
//! Worst cases: a step costs about 0.25 µs, so a day without a reader is 0.2 s of catch-up a card, in holds of the
//! lock of 1 ms each. The lock is waited for no longer than 5 s. At most 64 cards, 1024 effects, 1023 logged Set
//! calls.

mod advance;
pub mod clock;
pub mod conditions;
#[cfg(test)]
mod crash;
pub mod effects;
mod error;
mod fans;
pub mod identity;
pub mod layout;
mod map;
mod news;
mod noise;
pub mod physics;
pub mod profile;
pub mod quantise;
pub mod reading;
mod records;
pub mod scenario;
pub mod schedule;
mod session;
mod setup;
mod symbols;
mod table;
mod usage;
mod verbs;
mod view;
mod world;

pub use clock::Clock;
pub use effects::{Effect, Target};
pub use error::StateError;
pub use reading::Reading;
pub use session::{Session, XidMark};
pub use setup::{Setup, Writes};
pub use symbols::{SYMBOL_COUNT, Symbol};
pub use table::{CallCount, SetCall};
pub use usage::{CardUsage, RigUsage, Usage};
pub use view::{CardView, RigView};
pub use world::World;
