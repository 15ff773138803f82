//! The time series on disk: a series a subject (a card's UUID) and quantity; samples, minutes and hours.
//!
//! It takes plain observations and knows neither cards nor platforms. `history.db` may be lost: whatever must survive it is kept
//! elsewhere.
//!
//! - [`Recorder`] takes [`Sweep`]s and is the only one that writes: one transaction every 50 s, so that a power cut costs at most a
//!   minute. [`Reader`] only looks on.
//! - A segment is a stretch with one clock: a boot, a driver session, and a lead of the wall. Suspends are gaps; a step of the clock
//!   begins a new one.
//! - An hour that is over is sealed: its samples are packed by series, and folded to minutes. A day that is over is packed to a day of
//!   minutes, and folded to hours. [`Retention`] says how long which is kept.
//! - A [`Question`] is answered from the coarsest level that serves, in at most 2,000 points with the least and the greatest kept;
//!   [`Answer::packed`] is its form for the page. `walk` shows the sweeps themselves, in the order in which they were recorded.
//! - A [`Mark`] is what happened at a moment, such as an error that the driver reported; it comes with a sweep, and stays.
//!
//! Numbers, of a day of the simulated rig (eight cards, twelve quantities, a sweep a second; `make bench ONLY=history`): 8.3 million samples
//! in a quarter of a byte each, pages included; 20 to 29 µs of CPU a sweep; 1.2 fsyncs a minute; 7 bytes written for each that stays; a day
//! of one series in 2 ms, a year of minutes in 18 to 32 ms. The longest sweep is the one that seals an hour: 60 to 130 ms.

mod block;
#[cfg(test)]
mod deaths;
#[cfg(test)]
mod fixtures;
mod levels;
mod mark;
mod pack;
mod progress;
mod quantity;
mod query;
mod reader;
mod recorder;
mod retention;
mod roster;
mod segment;
mod store;
mod sweep;
mod tail;
mod time;
mod usage;
mod verify;
mod walk;

pub use block::BlockError;
pub use levels::{Fold, Level};
pub use mark::{MOST_MARKS, Mark, MarkKind, Marks, PastMark};
pub use progress::Progress;
pub use quantity::{Folding, Quantity, Series};
pub use query::{Answer, Curve, MOST_CURVES, MOST_POINTS, PastCell, Question};
pub use reader::Reader;
pub use recorder::{Compacted, Opened, Recorder};
pub use retention::Retention;
pub use store::{FILE, HistoryError, SetAside, VERSION};
pub use sweep::{Counts, Source, Sweep, Taken};
pub use usage::{Stored, Usage};
pub use verify::Verified;
pub use walk::{Past, Position};
