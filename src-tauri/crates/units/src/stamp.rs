//! When a reading began: by the wall, by the time since boot, and in which boot.
//!
//! The wall clock names the moment but may step; the boot-time clock (`CLOCK_BOOTTIME`, which also counts a suspend) measures
//! spans but means nothing in another boot. So a stamp carries both and the boot they belong to, and a span exists only between
//! stamps of one boot.

use std::{fmt, str::FromStr, time::Duration};

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

/// Time since boot, suspends included, in whole microseconds: exact in a JSON number for 285 years.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Boottime {
    microseconds: u64,
}

impl Boottime {
    /// A time since boot; what lies below a microsecond is dropped, what lies beyond 584,000 years is held at that.
    pub fn since_boot(elapsed: Duration) -> Self {
        Self { microseconds: u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX) }
    }

    /// The time since boot.
    pub const fn as_duration(self) -> Duration {
        Duration::from_micros(self.microseconds)
    }

    /// The span from `earlier` to this; zero if `earlier` is the later one.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.microseconds.saturating_sub(earlier.microseconds))
    }
}

/// One boot of one machine, as the kernel names it in `/proc/sys/kernel/random/boot_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct BootId(u128);

/// The text is no boot id: 32 hexadecimal digits, hyphens allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no boot id: 32 hexadecimal digits are wanted")]
pub struct BootIdError(String);

impl FromStr for BootId {
    type Err = BootIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
        let all_hexadecimal = digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let refused = || BootIdError(text.chars().take(64).collect());
        if !all_hexadecimal {
            return Err(refused());
        }
        u128::from_str_radix(&digits, 16).map(Self).map_err(|_| refused())
    }
}

impl TryFrom<String> for BootId {
    type Error = BootIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Serialize for BootId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The moment a reading began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// UTC, for naming the moment; it may step.
    pub wall: Timestamp,
    /// For spans, within one boot.
    #[serde(rename = "boottime_us")]
    pub boottime: Boottime,
    /// Which boot `boottime` counts from.
    pub boot: BootId,
}

impl Stamp {
    /// The span from `earlier` to this one, or `None` across boots, where no span is known.
    pub fn since(&self, earlier: &Self) -> Option<Duration> {
        (self.boot == earlier.boot).then(|| self.boottime.since(earlier.boottime))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOT: &str = "0123456789abcdef0123456789abcdef";
    const OTHER_BOOT: &str = "1123456789abcdef0123456789abcdef";

    fn stamp(boot: &str, milliseconds: u64, wall: i64) -> Stamp {
        Stamp {
            wall: Timestamp::from_second(wall).unwrap(),
            boottime: Boottime::since_boot(Duration::from_millis(milliseconds)),
            boot: boot.parse().unwrap(),
        }
    }

    #[test]
    fn a_span_comes_from_boottime_even_when_the_wall_steps_back() {
        let earlier = stamp(BOOT, 10_000, 5_000);
        let later = stamp(BOOT, 12_500, 4_000);
        assert_eq!(later.since(&earlier), Some(Duration::from_millis(2_500)));
    }

    #[test]
    fn no_span_is_known_across_boots() {
        assert_eq!(stamp(OTHER_BOOT, 12_500, 0).since(&stamp(BOOT, 10_000, 0)), None);
    }

    #[test]
    fn a_stamp_out_of_order_is_no_negative_span() {
        assert_eq!(stamp(BOOT, 1, 0).since(&stamp(BOOT, 2, 0)), Some(Duration::ZERO));
    }

    #[test]
    fn the_kernels_spelling_of_a_boot_id_is_read() {
        let hyphened: BootId = "01234567-89ab-cdef-0123-456789abcdef\n".parse().unwrap();
        assert_eq!(hyphened.to_string(), BOOT);
    }

    #[test]
    fn other_texts_are_no_boot_id() {
        for text in ["", "0123", "g123456789abcdef0123456789abcdef", "+123456789abcdef0123456789abcdef"] {
            assert!(text.parse::<BootId>().is_err(), "{text:?} was taken for a boot id");
        }
    }

    #[test]
    fn a_stamp_survives_its_json() {
        let json = serde_json::to_string(&stamp(BOOT, 1_500, 1_796_000_000)).unwrap();
        // 1,796,000,000 s after 1970 is 2026-11-30T00:53:20Z.
        let expected = r#"{"wall":"2026-11-30T00:53:20Z","boottime_us":1500000,"boot":"0123456789abcdef0123456789abcdef"}"#;
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Stamp>(&json).unwrap(), stamp(BOOT, 1_500, 1_796_000_000));
    }
}
