//! What a sweep of the probe costs.

pub(crate) mod asked_of;
pub(crate) mod bare;
pub(crate) mod calls;
pub(crate) mod nvitop;
pub(crate) mod overhead;
pub(crate) mod reading;
pub(crate) mod running;
pub(crate) mod scaling;

use std::time::Duration;

/// The pace of real life. Between two sweeps caches go cold and the processor sleeps, which is most of a sweep's cost; a faster
/// pace would flatter, and a loop would say nothing.
pub(crate) const REAL_PACE: Duration = Duration::from_secs(1);
/// A pace at which what is only counted is counted sooner.
pub(crate) const COUNTING_PACE: Duration = Duration::from_millis(100);
/// Sweeps of one round; odd, so that one is in the middle.
pub(crate) const SWEEPS: u64 = 5;
