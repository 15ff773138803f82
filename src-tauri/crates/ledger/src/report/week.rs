//! A card's week: what it did by the hour of the week, in the owner's zone.
//!
//! Hours are UTC's, and one belongs where it begins by the owner's clock. In zones that are half an hour off, the second half of it
//! lies in the next hour of the week. The hour that a day has twice holds both; the one that a day does not have gets nothing.

use jiff::{Timestamp, tz::TimeZone};

use crate::{CardHour, Share, account::HOUR_SECONDS};

/// Hours of a week.
const HOURS: usize = 7 * 24;

/// One hour of the week, over all weeks that were looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WeekHour {
    /// While the card did nothing.
    pub idle: Share,
    /// While it worked.
    pub load: Share,
    /// While it was rented.
    pub rented: Share,
    /// While it was known not to be rented.
    pub free: Share,
}

/// A card's hours by the hour of the week.
#[derive(Debug, Clone)]
pub struct Week {
    zone: TimeZone,
    hours: Vec<WeekHour>,
}

impl Week {
    /// One of which nothing is known yet, in the owner's zone.
    pub fn new(zone: TimeZone) -> Self {
        Self { zone, hours: vec![WeekHour::default(); HOURS] }
    }

    /// Adds an hour; one beyond the years that can be named is left out.
    pub fn add(&mut self, hour: &CardHour) {
        let cell = hour_of_week(hour.hour, &self.zone).and_then(|at| self.hours.get_mut(at));
        if let Some(cell) = cell {
            cell.idle += hour.sums.idle;
            cell.load += hour.sums.load;
            cell.rented += hour.sums.rented;
            cell.free += hour.sums.free;
        }
    }

    /// Monday 0:00 first: always 168.
    pub fn hours(&self) -> &[WeekHour] {
        &self.hours
    }
}

/// None for an hour beyond the years that can be named.
fn hour_of_week(hour: i64, zone: &TimeZone) -> Option<usize> {
    let begin = Timestamp::from_second(hour.checked_mul(HOUR_SECONDS)?).ok()?;
    let clock = zone.to_datetime(begin);
    let day = usize::try_from(clock.date().weekday().to_monday_zero_offset()).ok()?;
    Some(day * 24 + usize::try_from(clock.hour()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sums, fixtures::card_hour};

    /// Hours since 1970 of a moment.
    fn hour(at: &str) -> i64 {
        at.parse::<Timestamp>().unwrap().as_second() / 3_600
    }

    fn week(hours: &[CardHour], zone: TimeZone) -> Vec<WeekHour> {
        let mut week = Week::new(zone);
        hours.iter().for_each(|hour| week.add(hour));
        week.hours().to_vec()
    }

    /// An hour at 10 W.
    fn idle_hour(hour: i64) -> CardHour {
        let idle = Share { ms: 3_600_000, mj: 36_000_000 };
        card_hour("a", hour, Sums { counted: idle, idle, ..Sums::default() })
    }

    /// The hours of the week that hold something, with the whole hours in them.
    fn filled(hours: std::ops::Range<i64>, zone: &str) -> Vec<(usize, u64)> {
        let hours: Vec<CardHour> = hours.map(idle_hour).collect();
        let cells = week(&hours, fanfare_units::zone(zone).unwrap());
        assert_eq!(cells.len(), 168);
        let whole = |cell: &WeekHour| cell.idle.ms / 3_600_000;
        cells.iter().map(whole).enumerate().filter(|(_, hours)| *hours > 0).collect()
    }

    #[test]
    fn hours_lie_where_the_owners_clock_says() {
        // 2026-11-30 is a Monday; its midnight in Shanghai is 16:00 of the day before in UTC.
        let midnight = hour("2026-11-29T16:00:00Z");
        assert_eq!(filled(midnight..midnight + 2, "Asia/Shanghai"), [(0, 1), (1, 1)]);
        assert_eq!(filled(midnight..midnight + 2, "UTC"), [(6 * 24 + 16, 1), (6 * 24 + 17, 1)]);
        // Two weeks and an hour: each cell twice, the first three times.
        let weeks = filled(midnight..midnight + 2 * 168 + 1, "Asia/Shanghai");
        assert_eq!(weeks.len(), 168);
        assert_eq!((weeks[0], weeks[1]), ((0, 3), (1, 2)));
        // Half an hour off: 16:00 UTC is 21:30 there.
        assert_eq!(filled(midnight..midnight + 1, "Asia/Kolkata"), [(6 * 24 + 21, 1)]);
    }

    #[test]
    fn a_day_of_25_hours_has_one_hour_twice_and_one_of_23_lacks_one() {
        // Sunday 2024-10-27 in Paris: 22:00 UTC of the day before to 23:00 UTC.
        let day = filled(hour("2024-10-26T22:00:00Z")..hour("2024-10-27T23:00:00Z"), "Europe/Paris");
        let sunday = 6 * 24;
        let expected: Vec<_> =
            (0..24).map(|of_day| (sunday + of_day, if of_day == 2 { 2 } else { 1 })).collect();
        assert_eq!(day, expected);
        // Sunday 2024-03-31: 23:00 UTC of the day before to 22:00 UTC.
        let day = filled(hour("2024-03-30T23:00:00Z")..hour("2024-03-31T22:00:00Z"), "Europe/Paris");
        let expected: Vec<_> =
            (0..24).filter(|of_day| *of_day != 2).map(|of_day| (sunday + of_day, 1)).collect();
        assert_eq!(day, expected);
    }

    #[test]
    fn each_use_is_summed_by_itself_and_a_year_nobody_can_name_is_left_out() {
        let share = |ms| Share { ms, mj: 10 * ms };
        let sums =
            Sums { idle: share(1), load: share(2), rented: share(3), free: share(4), ..Sums::default() };
        let hours = [card_hour("a", 0, sums), card_hour("a", 168, sums), card_hour("a", i64::MAX, sums)];
        let cells = week(&hours, TimeZone::UTC);
        // 1970 began on a Thursday.
        let expected = WeekHour { idle: share(2), load: share(4), rented: share(6), free: share(8) };
        assert_eq!(cells[3 * 24], expected);
        assert_eq!(cells.iter().filter(|cell| **cell != WeekHour::default()).count(), 1);
    }
}
