//! Hours, days and other cells of the wall, in UTC: microseconds since 1970, cut by whole division.
//!
//! No zone has a say here. An owner's day is made of these hours by whoever shows it.

use fanfare_units::Boottime;

/// Microseconds in a minute.
pub(crate) const MINUTE_US: i64 = 60_000_000;
/// Microseconds in an hour.
pub(crate) const HOUR_US: i64 = 60 * MINUTE_US;
/// Hours in a day of UTC.
pub(crate) const HOURS_A_DAY: i64 = 24;

/// A time since boot in microseconds; what lies beyond 292,000 years is held at that.
pub(crate) fn micros(boottime: Boottime) -> i64 {
    i64::try_from(boottime.as_duration().as_micros()).unwrap_or(i64::MAX)
}

/// The hour of a moment, counted from 1970.
pub(crate) const fn hour_of(wall_us: i64) -> i64 {
    wall_us.div_euclid(HOUR_US)
}

/// The day of an hour, both counted from 1970.
pub(crate) const fn day_of(hour: i64) -> i64 {
    hour.div_euclid(HOURS_A_DAY)
}
