//! What each driver call costs: counts, failures and percentiles, kept a card and call.
//!
//! A histogram of two significant digits holds 1 µs to 10 s in about 4 KiB, so 64 cards with 45 calls each stay near 12 MiB in
//! the worst case and far below that on a healthy rig.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use fanfare_rig::{Reading, wire::CallCost};
use hdrhistogram::Histogram;
use nvml_wrapper::error::NvmlError;

use crate::codes;

/// Two significant digits: a percentile is right to 1 %.
const SIGNIFICANT_DIGITS: u8 = 2;

/// Times one card's calls.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    calls: BTreeMap<&'static str, Cost>,
}

#[derive(Debug)]
struct Cost {
    /// Tenths of a microsecond: the cheapest calls take less than one.
    tenths: Histogram<u32>,
    failed: u64,
}

impl Meter {
    /// Makes one call of the driver, under the name of its C function.
    pub(crate) fn time<T>(
        &mut self,
        call: &'static str,
        make: impl FnOnce() -> Result<T, NvmlError>,
    ) -> Reading<T> {
        let begun = Instant::now();
        let result = make();
        self.record(call, begun.elapsed(), result.is_err());
        codes::reading(result)
    }

    /// The costs so far, by name.
    pub(crate) fn costs(&self) -> Vec<CallCost> {
        self.calls
            .iter()
            .map(|(call, cost)| CallCost {
                call: (*call).to_owned(),
                count: cost.tenths.len(),
                failed: cost.failed,
                p50_us: microseconds(cost.tenths.value_at_quantile(0.5)),
                p99_us: microseconds(cost.tenths.value_at_quantile(0.99)),
            })
            .collect()
    }

    fn record(&mut self, call: &'static str, took: Duration, failed: bool) {
        let cost = match self.calls.entry(call) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => match Histogram::new(SIGNIFICANT_DIGITS) {
                Ok(tenths) => new.insert(Cost { tenths, failed: 0 }),
                // Refused only for a precision above 5; a figure is then lost, no reading is.
                Err(_) => return,
            },
        };
        cost.failed += u64::from(failed);
        let tenths = u64::try_from(took.as_nanos() / 100).unwrap_or(u64::MAX);
        // The histogram grows to what it is given; only if it cannot does a value count as the highest it can hold.
        if cost.tenths.record(tenths).is_err() {
            cost.tenths.saturating_record(tenths);
        }
    }
}

fn microseconds(tenths: u64) -> f64 {
    tenths as f64 / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_failures_are_kept_by_call() {
        let mut meter = Meter::default();
        // 98 calls of 2 µs and two of 5 ms: the median is 2 µs, and the 99th of 100 is a slow one.
        for _ in 0..98 {
            meter.record("fast", Duration::from_micros(2), false);
        }
        meter.record("fast", Duration::from_millis(5), true);
        meter.record("fast", Duration::from_millis(5), false);
        meter.record("other", Duration::from_micros(7), false);
        let costs = meter.costs();
        assert_eq!(costs.iter().map(|cost| cost.call.as_str()).collect::<Vec<_>>(), ["fast", "other"]);
        let fast = &costs[0];
        assert_eq!((fast.count, fast.failed), (100, 1));
        assert!((1.98..=2.02).contains(&fast.p50_us), "median {} µs", fast.p50_us);
        assert!((4_950.0..=5_050.0).contains(&fast.p99_us), "99th {} µs", fast.p99_us);
    }

    #[test]
    fn a_failed_call_is_a_missing_reading_and_is_counted() {
        let mut meter = Meter::default();
        let reading: Reading<u32> = meter.time("nvmlDeviceGetTemperature", || Err(NvmlError::GpuLost));
        assert_eq!(reading.reason(), Some(fanfare_rig::Reason::Lost));
        assert_eq!(meter.costs()[0].failed, 1);
    }
}
