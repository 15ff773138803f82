//! The clock that every process shares: real time (CLOCK_BOOTTIME × speed) or moved by hand.
//!
//! Simulated time starts at 0 when a state is created. A real clock is a base and a speed; changing the speed
//! moves the base to the present, so that time goes on without a jump. CLOCK_BOOTTIME counts through suspend,
//! as a card's own time does; a state file that outlives a reboot stands still at its base until the new
//! boot's clock has passed the old one's.

use std::time::Duration;

use crate::layout::ClockRecord;

/// Greatest speed. At 1000 a second of real time is 10 000 steps of each card: a sixth of a core for 64 cards.
pub const MAX_SPEED: f64 = 1000.0;

/// How the clock moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// With CLOCK_BOOTTIME.
    Real,
    /// Only by `advance`.
    Manual,
}

/// CLOCK_BOOTTIME in nanoseconds.
#[must_use]
pub fn boottime_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(now.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// Simulated time in nanoseconds when CLOCK_BOOTTIME shows `boot_ns`.
#[must_use]
pub fn now(clock: &ClockRecord, boot_ns: u64) -> u64 {
    let passed = u128::from(boot_ns.saturating_sub(clock.base_boot_ns));
    let scaled = passed * u128::from(clock.speed_milli) / 1000;
    clock.base_sim_ns.saturating_add(u64::try_from(scaled).unwrap_or(u64::MAX))
}

/// The same instant, from now on at another speed (in thousandths; 0 = manual).
#[must_use]
pub fn rebase(clock: &ClockRecord, boot_ns: u64, speed_milli: u64) -> ClockRecord {
    ClockRecord { base_sim_ns: now(clock, boot_ns), base_boot_ns: boot_ns, speed_milli }
}

/// A manual clock, moved on by `by`; `None` if the clock is real.
#[must_use]
pub fn advanced(clock: &ClockRecord, by: Duration) -> Option<ClockRecord> {
    let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
    (clock.speed_milli == 0)
        .then(|| ClockRecord { base_sim_ns: clock.base_sim_ns.saturating_add(by), ..*clock })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_change_of_speed_makes_no_jump() {
        let start = ClockRecord { base_sim_ns: 0, base_boot_ns: 100 * SECOND, speed_milli: 1000 };
        // 7 s of real time at speed 1 are 7 s.
        let fast = rebase(&start, 107 * SECOND, 60_000);
        assert_eq!(now(&fast, 107 * SECOND), 7 * SECOND);
        // 2 s more at speed 60 are 120 s.
        let frozen = rebase(&fast, 109 * SECOND, 0);
        assert_eq!(now(&frozen, 109 * SECOND), 127 * SECOND);
        // A manual clock ignores real time.
        assert_eq!(now(&frozen, 10_000 * SECOND), 127 * SECOND);
        let real = rebase(&frozen, 10_000 * SECOND, 500);
        // 4 s at half speed are 2 s.
        assert_eq!(now(&real, 10_004 * SECOND), 129 * SECOND);
    }

    #[test]
    fn only_a_manual_clock_is_advanced() {
        let manual = ClockRecord { base_sim_ns: 5, base_boot_ns: 9, speed_milli: 0 };
        assert_eq!(advanced(&manual, Duration::from_nanos(3)).map(|c| c.base_sim_ns), Some(8));
        assert_eq!(advanced(&ClockRecord { speed_milli: 1, ..manual }, Duration::from_nanos(3)), None);
    }

    #[test]
    fn a_clock_from_a_later_boottime_stands_still() {
        let old = ClockRecord { base_sim_ns: 42, base_boot_ns: 900 * SECOND, speed_milli: 1000 };
        assert_eq!(now(&old, 3 * SECOND), 42);
    }
}
