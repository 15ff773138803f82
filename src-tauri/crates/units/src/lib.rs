//! The units every other room speaks: physical quantities and instants as types of their own, with no I/O.
//!
//! A bare number says nothing of its unit, and a rig program that adds milliwatts to watts is wrong by a factor of a thousand
//! without a word. So each quantity is a newtype that names its unit, keeps what the driver gave (integers, never rounded on the
//! way in) and converts only where it is shown.

mod currency;
mod day_cut;
mod electric;
mod memory;
mod money;
mod ratio;
mod stamp;
mod tariff;
mod thermal;

pub use currency::{Currency, CurrencyError, Tender, tender};
pub use day_cut::{DayCut, DayCutError, zone};
pub use electric::{Energy, Watts};
pub use memory::Bytes;
pub use money::{Amount, Money, MoneyError};
pub use ratio::{Duty, Megahertz, Percent, Rpm};
pub use stamp::{BootId, BootIdError, Boottime, Stamp};
pub use tariff::{Period, Price, Prices, Rate, Season, Segment, Tariff, TariffError, TariffPlan};
pub use thermal::Celsius;
