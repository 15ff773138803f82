//! From readings to what is shown: a value, or the reason that there is none, never one for the other.

use fanfare_rig::{NvmlCode, Reading, Reason};
use fanfare_units::Stamp;

use super::{Missing, Shown};

impl<T> Shown<T> {
    /// There is none, for this reason.
    pub(super) const fn none(missing: Missing) -> Self {
        Self::Missing { missing }
    }
}

impl<T> From<Reading<T>> for Shown<T> {
    fn from(reading: Reading<T>) -> Self {
        match reading {
            Reading::Measured(value) => Self::Value(value),
            Reading::Missing { missing } => Self::none(missing.into()),
        }
    }
}

impl From<Reason> for Missing {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::NotSupported => Self::NotSupported,
            Reason::NoPermission => Self::NoPermission,
            Reason::Lost => Self::Lost,
            Reason::Stuck { since } => Self::Stuck { since_ms: wall_ms(&since) },
            Reason::Error { code } => Self::Error { nvml: code.0 },
        }
    }
}

/// What a reading shows, by way of `f`.
pub(super) fn shown<T: Clone, U>(reading: &Reading<T>, f: impl FnOnce(T) -> U) -> Shown<U> {
    reading.clone().map(f).into()
}

/// Milliseconds since 1970 by the wall.
pub(super) fn wall_ms(stamp: &Stamp) -> i64 {
    stamp.wall.as_millisecond()
}

/// The span from `earlier` to `now` in milliseconds; 0 across boots, between which no state of the rig lives.
pub(super) fn age_ms(earlier: &Stamp, now: &Stamp) -> u64 {
    now.since(earlier).map_or(0, |age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX))
}

/// NVML's number for a reason, where it has one.
pub(super) const fn nvml_of(reason: Reason) -> Option<u32> {
    match reason {
        Reason::NotSupported => Some(NvmlCode::NOT_SUPPORTED.0),
        Reason::NoPermission => Some(NvmlCode::NO_PERMISSION.0),
        Reason::Lost => Some(NvmlCode::GPU_IS_LOST.0),
        Reason::Error { code } => Some(code.0),
        Reason::Stuck { .. } => None,
    }
}
