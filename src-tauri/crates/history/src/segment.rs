//! Stretches of time in which one clock can be trusted.
//!
//! A segment is a boot, a session of the driver, a pace, and the wall's lead over the time since boot. Its sweeps carry the time
//! since boot alone, which never steps back within a boot; the wall follows by the lead. When the wall is set by more than two
//! seconds, a new segment begins; so a step back neither overwrites nor hides what was there before, and a suspend is a plain gap.
//! A slow drift adds up to the same two seconds and begins a new one too, so no moment is named more wrongly than that.

use std::time::Duration;

use fanfare_units::{BootId, Stamp};

use crate::{
    sweep::Source,
    time::{hour_of, micros},
};

/// A step of the wall, or a drift, that a segment does not outlive.
const LARGEST_STEP_US: i64 = 2_000_000;

/// How many of its intervals a segment's sweeps may be apart without a gap.
const INTERVALS_BRIDGED: i64 = 2;

/// A stretch of sweeps with one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its number, rising with time.
    pub(crate) id: u32,
    /// The boot that its times count from.
    pub(crate) boot: BootId,
    /// The driver's session.
    pub(crate) session: u32,
    /// The interval of its sweeps in microseconds.
    pub(crate) every_us: i64,
    /// The wall's lead over the time since boot, in microseconds since 1970.
    pub(crate) lead_us: i64,
}

impl Segment {
    /// The segment that begins with a sweep.
    pub(crate) fn begun_by(id: u32, at: &Stamp, source: Source) -> Self {
        let every_us = i64::try_from(source.every.as_micros()).unwrap_or(i64::MAX / 4);
        Self { id, boot: at.boot, session: source.session, every_us, lead_us: lead(at) }
    }

    /// The wall at a time since boot, both in microseconds.
    pub(crate) const fn wall_us(&self, boottime_us: i64) -> i64 {
        self.lead_us.saturating_add(boottime_us)
    }

    /// The hour of the wall at a time since boot.
    pub(crate) const fn hour(&self, boottime_us: i64) -> i64 {
        hour_of(self.wall_us(boottime_us))
    }

    /// How often its sweeps were made.
    pub(crate) fn every(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.every_us).unwrap_or_default())
    }

    /// For how long a sweep speaks: one that is further away than this from the next has a gap behind it.
    pub(crate) const fn bridged_us(&self) -> i64 {
        self.every_us.saturating_mul(INTERVALS_BRIDGED)
    }

    fn covers(&self, at: &Stamp, source: Source) -> bool {
        let same_pace = u128::try_from(self.every_us).is_ok_and(|every| every == source.every.as_micros());
        self.boot == at.boot
            && self.session == source.session
            && same_pace
            && lead(at).saturating_sub(self.lead_us).saturating_abs() <= LARGEST_STEP_US
    }
}

/// Where a sweep belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Into the segment that is open.
    Open,
    /// Into a new one.
    New,
    /// Nowhere: it is not later than the last of its boot.
    Late,
}

/// Where a sweep belongs, given the open segment and the time of the last sweep in it.
pub(crate) fn place(open: Option<(&Segment, i64)>, at: &Stamp, source: Source) -> Place {
    match open {
        Some((segment, last_us)) if segment.boot == at.boot && micros(at.boottime) <= last_us => Place::Late,
        Some((segment, _)) if segment.covers(at, source) => Place::Open,
        _ => Place::New,
    }
}

fn lead(at: &Stamp) -> i64 {
    at.wall.as_microsecond().saturating_sub(micros(at.boottime))
}

#[cfg(test)]
mod tests {
    use fanfare_units::Boottime;
    use jiff::Timestamp;

    use super::*;

    const SOURCE: Source = Source { session: 1, every: Duration::from_secs(1) };

    fn boot(digit: char) -> BootId {
        digit.to_string().repeat(32).parse().unwrap()
    }

    /// A stamp of a boot at `boottime` ms, when the wall shows 1,000,000 s + `wall` ms.
    fn stamp(of: char, boottime: u64, wall: i64) -> Stamp {
        Stamp {
            wall: Timestamp::from_millisecond(1_000_000_000 + wall).unwrap(),
            boottime: Boottime::since_boot(Duration::from_millis(boottime)),
            boot: boot(of),
        }
    }

    #[test]
    fn a_sweep_goes_where_its_clock_is_the_same() {
        let first = stamp('a', 5_000, 0);
        let open = Segment::begun_by(1, &first, SOURCE);
        let last_us = 9_000_000;
        for (at, source, place_of_it) in [
            (stamp('a', 10_000, 5_000), SOURCE, Place::Open),
            // A suspend of eight hours moves both clocks.
            (stamp('a', 28_810_000, 28_805_000), SOURCE, Place::Open),
            // The wall leads by two seconds more or less, and by a millisecond beyond.
            (stamp('a', 10_000, 7_000), SOURCE, Place::Open),
            (stamp('a', 10_000, 3_000), SOURCE, Place::Open),
            (stamp('a', 10_000, 7_001), SOURCE, Place::New),
            (stamp('a', 10_000, 2_999), SOURCE, Place::New),
            (stamp('a', 10_000, -3_600_000), SOURCE, Place::New),
            (stamp('b', 10_000, 5_000), SOURCE, Place::New),
            // Another boot begins at a smaller time, and that is not late.
            (stamp('b', 10, 5_000), SOURCE, Place::New),
            (stamp('a', 10_000, 5_000), Source { session: 2, ..SOURCE }, Place::New),
            (stamp('a', 10_000, 5_000), Source { every: Duration::from_secs(5), ..SOURCE }, Place::New),
            // Not later than the last, whatever else is new.
            (stamp('a', 9_000, 4_000), SOURCE, Place::Late),
            (stamp('a', 8_999, 4_000), SOURCE, Place::Late),
            (stamp('a', 8_000, -3_600_000), Source { session: 2, ..SOURCE }, Place::Late),
        ] {
            assert_eq!(place(Some((&open, last_us)), &at, source), place_of_it, "{at:?} {source:?}");
        }
        assert_eq!(place(None, &first, SOURCE), Place::New);
    }

    #[test]
    fn the_wall_follows_from_the_time_since_boot() {
        let segment = Segment::begun_by(1, &stamp('a', 5_000, 0), SOURCE);
        // 1,000,000 s is 277 h and 2,800 s.
        assert_eq!(segment.wall_us(5_000_000), 1_000_000_000_000);
        assert_eq!(segment.hour(5_000_000), 277);
        // 800 s later the 278th hour begins.
        assert_eq!((segment.hour(804_999_999), segment.hour(805_000_000)), (277, 278));
        assert_eq!(segment.bridged_us(), 2_000_000);
    }
}
