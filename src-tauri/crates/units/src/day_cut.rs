//! Where one day of money ends and the next begins: an hour of a named zone.
//!
//! The owner's day, a platform's day and a tariff's day differ; a figure "today" means nothing without its cut. The cut is an hour
//! on the clock of a zone, not an offset, so a day on which clocks change has 23 or 25 hours and no hour of it is lost or counted
//! twice. Instants stay UTC; only the cut knows the zone.
//!
//! An hour that a day does not have (clocks jump over it) counts from the moment of the jump on; one that a day has twice counts
//! from its first occurrence. So every instant lies in exactly one day, and days follow each other without gap or overlap.
//!
//! Zones are looked up in the system's tz database, else in the one that is built in.

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    tz::{AmbiguousOffset, TimeZone},
};

/// An hour of a named zone at which a day begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayCut {
    zone: TimeZone,
    hour: i8,
}

/// Why there is no such day cut, or no such day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DayCutError {
    /// No zone of this name is known.
    #[error("{0:?} is no time zone: a name such as Asia/Shanghai is wanted")]
    Zone(String),
    /// A day has the hours 0 to 23.
    #[error("{0} is no hour of a day: 0 to 23 is wanted")]
    Hour(u8),
    /// Beyond the years that can be counted, -9999 to 9999.
    #[error("{0} lies at the end of time")]
    Unbounded(Date),
}

/// A zone by its name in the tz database.
///
/// # Errors
/// No zone of this name is known. Only names of places (`Area/City`) and `UTC` are taken: `EST` or `GMT-8` look like zones and know
/// nothing of clocks that change.
pub fn zone(name: &str) -> Result<TimeZone, DayCutError> {
    let unknown = || DayCutError::Zone(name.chars().take(64).collect());
    if matches!(name, "UTC" | "Etc/UTC") {
        return Ok(TimeZone::UTC);
    }
    if !name.contains('/') || name.starts_with("Etc/") {
        return Err(unknown());
    }
    TimeZone::get(name).map_err(|_| unknown())
}

impl DayCut {
    /// Days that begin at `hour` of the zone named `name`.
    ///
    /// # Errors
    /// No zone of this name is known, or a day has no such hour.
    pub fn new(name: &str, hour: u8) -> Result<Self, DayCutError> {
        let cut = i8::try_from(hour).ok().filter(|hour| *hour < 24).ok_or(DayCutError::Hour(hour))?;
        Ok(Self { zone: zone(name)?, hour: cut })
    }

    /// The day in which `at` lies.
    pub fn day_of(&self, at: Timestamp) -> Date {
        let date = at.to_zoned(self.zone.clone()).date();
        // The day of the calendar has begun by the cut unless its own cut is yet to come. Where clocks go back across midnight, the
        // next day's cut may even be past.
        let begun = |date: Date| self.start(date).is_ok_and(|start| start <= at);
        match (date.tomorrow(), date.yesterday()) {
            (Ok(tomorrow), _) if begun(tomorrow) => tomorrow,
            (_, Ok(yesterday)) if !begun(date) => yesterday,
            _ => date,
        }
    }

    /// When `day` begins, and when the next does: half-open, so that each instant lies in one day.
    ///
    /// # Errors
    /// `day` is the first or the last that can be counted.
    pub fn bounds(&self, day: Date) -> Result<(Timestamp, Timestamp), DayCutError> {
        let next = day.tomorrow().map_err(|_| DayCutError::Unbounded(day))?;
        Ok((self.start(day)?, self.start(next)?))
    }

    /// The first instant at which the clock shows the cut's hour or has passed it.
    fn start(&self, day: Date) -> Result<Timestamp, DayCutError> {
        first_instant(&self.zone, day.at(self.hour, 0, 0, 0)).ok_or(DayCutError::Unbounded(day))
    }
}

/// The first instant at which the clock of `zone` shows `clock`, or has jumped over it; `None` at the ends of time.
pub(crate) fn first_instant(zone: &TimeZone, clock: DateTime) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(clock).offset() {
        // Read by the offset that holds after the jump, a skipped clock lies before the jump; the jump is the next change to that
        // offset. Changes of a zone lie weeks apart: two looks are more than enough.
        AmbiguousOffset::Gap { after, .. } => {
            let before_jump = after.to_timestamp(clock).ok()?;
            let mut changes = zone.following(before_jump).take(2);
            changes.find(|change| change.offset() == after).map(|change| change.timestamp())
        }
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(clock).ok(),
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(clock).ok(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::{ToSpan, civil::date};
    use proptest::prelude::*;

    use super::*;

    fn hours(zone: &str, hour: u8, day: Date) -> i64 {
        let (start, end) = DayCut::new(zone, hour).unwrap().bounds(day).unwrap();
        end.duration_since(start).as_secs() / 3_600
    }

    #[test]
    fn a10_a_day_on_which_clocks_change_has_23_or_25_hours() {
        assert_eq!(hours("Europe/Paris", 0, date(2024, 10, 27)), 25);
        assert_eq!(hours("Europe/Paris", 0, date(2024, 3, 31)), 23);
        assert_eq!(hours("Europe/Paris", 0, date(2024, 6, 1)), 24);
        // Cut at 9, the hours of the change belong to the day before.
        assert_eq!(hours("Europe/Paris", 9, date(2024, 10, 26)), 25);
        assert_eq!(hours("Europe/Paris", 9, date(2024, 3, 30)), 23);
        assert_eq!(hours("Asia/Shanghai", 0, date(2024, 10, 27)), 24);
        // Lord Howe Island moves by half an hour: 24.5 h, of which 24 are whole.
        let (start, end) = DayCut::new("Australia/Lord_Howe", 0).unwrap().bounds(date(2024, 4, 7)).unwrap();
        assert_eq!(end.duration_since(start).as_secs(), 24 * 3_600 + 1_800);
    }

    #[test]
    fn a09_an_hour_that_occurs_twice_or_never_is_no_trouble() {
        let instant = |text: &str| text.parse::<Timestamp>().unwrap();
        // Los Angeles, 2022-11-06: 01:00 to 02:00 occurs twice, first at UTC-7. A day cut at 1 begins with the first.
        let twice = DayCut::new("America/Los_Angeles", 1).unwrap();
        assert_eq!(twice.bounds(date(2022, 11, 6)).unwrap().0, instant("2022-11-06T08:00:00Z"));
        for second_or_first in ["2022-11-06T08:29:00Z", "2022-11-06T09:29:00Z"] {
            assert_eq!(twice.day_of(instant(second_or_first)), date(2022, 11, 6));
        }
        // 2022-03-13: 02:00 to 03:00 never occurs. A day cut at 2 begins with the jump, at 10:00 UTC.
        let never = DayCut::new("America/Los_Angeles", 2).unwrap();
        assert_eq!(never.bounds(date(2022, 3, 13)).unwrap().0, instant("2022-03-13T10:00:00Z"));
        assert_eq!(never.day_of(instant("2022-03-13T09:59:59Z")), date(2022, 3, 12));
        assert_eq!(never.day_of(instant("2022-03-13T10:00:00Z")), date(2022, 3, 13));
    }

    #[test]
    fn clocks_that_go_back_across_the_cut_reopen_no_day() {
        // St. John's, 1988-10-30: at 00:01 (UTC-1:30) clocks went back to 22:01 (UTC-3:30).
        let cut = DayCut::new("America/St_Johns", 0).unwrap();
        let midnight: Timestamp = "1988-10-30T01:30:00Z".parse().unwrap();
        assert_eq!(cut.day_of(midnight), date(1988, 10, 30));
        assert_eq!(cut.day_of(midnight + 1.hour()), date(1988, 10, 30), "though the clock shows the 29th");
        assert_eq!(cut.bounds(date(1988, 10, 30)).unwrap().0, midnight);
    }

    #[test]
    fn a_day_that_a_place_left_out_is_empty() {
        // Samoa went from the 29th to the 31st of December 2011.
        assert_eq!(hours("Pacific/Apia", 0, date(2011, 12, 30)), 0);
        assert_eq!(hours("Pacific/Apia", 0, date(2011, 12, 29)), 24);
    }

    #[test]
    fn the_same_instant_lies_in_different_days_of_different_cuts() {
        // A platform counts by UTC, an owner in Japan then cuts at 9 to agree with it.
        let instant: Timestamp = "2026-03-01T23:30:00Z".parse().unwrap();
        for (zone, hour, day) in [
            ("UTC", 0, date(2026, 3, 1)),
            ("Asia/Tokyo", 9, date(2026, 3, 1)),
            ("Asia/Tokyo", 0, date(2026, 3, 2)),
            ("Asia/Shanghai", 8, date(2026, 3, 1)),
            ("America/New_York", 0, date(2026, 3, 1)),
        ] {
            assert_eq!(DayCut::new(zone, hour).unwrap().day_of(instant), day, "{zone} at {hour}");
        }
    }

    #[test]
    fn what_is_no_zone_or_no_hour_is_refused() {
        for name in ["", "Mars/Olympus", "EST", "GMT-8", "Etc/GMT+8", "../../etc/passwd", "+08:00"] {
            assert_eq!(DayCut::new(name, 0), Err(DayCutError::Zone(name.into())), "{name}");
        }
        for hour in [24, 255] {
            assert_eq!(DayCut::new("UTC", hour), Err(DayCutError::Hour(hour)));
        }
        assert!(DayCut::new("Etc/UTC", 23).is_ok());
    }

    #[test]
    fn the_ends_of_time_are_no_panic() {
        let cut = DayCut::new("Asia/Shanghai", 23).unwrap();
        assert_eq!(cut.bounds(Date::MAX), Err(DayCutError::Unbounded(Date::MAX)));
        // 23:00 in Shanghai is 15:00 UTC of the same day; time begins 11 hours later.
        assert_eq!(cut.bounds(Date::MIN), Err(DayCutError::Unbounded(Date::MIN)));
        cut.day_of(Timestamp::MIN);
        cut.day_of(Timestamp::MAX);
    }

    proptest! {
        #[test]
        fn every_instant_lies_in_exactly_one_day(
            second in -2_000_000_000_i64..4_100_000_000,
            zone in prop::sample::select(&["Europe/Paris", "Asia/Shanghai", "America/Los_Angeles", "America/St_Johns",
                "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "UTC"][..]),
            hour in 0_u8..24,
        ) {
            let cut = DayCut::new(zone, hour).unwrap();
            let at = Timestamp::from_second(second).unwrap();
            let day = cut.day_of(at);
            let (start, end) = cut.bounds(day).unwrap();
            prop_assert!(start <= at && at < end, "{at} in {start}..{end}");
            prop_assert_eq!(cut.bounds(day.tomorrow().unwrap()).unwrap().0, end);
        }
    }
}
