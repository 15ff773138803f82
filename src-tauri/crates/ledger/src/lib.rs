//! What the rig consumed and earned, as rows that are only ever added. Every figure on the screen is derived from rows. Today it has
//! the energy of cards by the hour; money comes to it later.
//!
//! - [`Account`] makes hours of energy out of a card's readings. It is pure: it neither reads a clock nor keeps a file.
//! - [`Ledger`] keeps closed hours in `ledger.db`, each once; [`LedgerReader`] only looks on. What was posted never changes.
//! - [`WallTerms`] make of a card's energy what the meter at the wall sees; [`CardTotals`] and [`Week`] sum rows up.
//!
//! Energy is in whole millijoules, as the driver counts it: 3.6 × 10⁹ are a kilowatt-hour. Time is in whole milliseconds. A card is
//! named by a text that others give.

mod account;
#[cfg(test)]
mod fixtures;
mod report;
mod store;
mod wall;

pub use account::{Account, At, Cursor, Hour, IDLE_BELOW, Reading, Share, Sums, Tenancy, hour_of};
pub use report::{CardTotals, Week, WeekHour};
pub use store::{CardHour, FILE, Ledger, LedgerError, LedgerReader, Posted, VERSION};
pub use wall::WallTerms;
