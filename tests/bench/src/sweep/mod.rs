//! What a sweep of the probe costs.

pub(crate) mod bare;
pub(crate) mod calls;
pub(crate) mod nvitop;
pub(crate) mod overhead;
pub(crate) mod running;
pub(crate) mod scaling;

use std::time::Duration;

/// Sweeps are measured at this pace: slow enough that the probe sleeps between them, as it does at 1 Hz, and fast enough that a
/// round has enough of them.
pub(crate) const INTERVAL: Duration = Duration::from_millis(100);
/// Sweeps of one round.
pub(crate) const SWEEPS: u64 = 20;
