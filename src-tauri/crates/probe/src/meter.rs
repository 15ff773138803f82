//! What each driver call costs: counts, failures and percentiles, kept a card and call.
//!
//! A sweep only notes what its calls took; the notes are folded into histograms when somebody asks, once a minute. A histogram of
//! two significant digits holds 1 µs to 10 s in about 4 KiB, so 64 cards with 45 calls each stay near 12 MiB in the worst case and
//! far below that on a healthy rig.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::{Duration, Instant},
};

use fanfare_rig::{Reading, wire::CallCost};
use hdrhistogram::Histogram;
use nvml_wrapper::error::NvmlError;

use crate::codes;

/// Two significant digits: a percentile is right to 1 %.
const SIGNIFICANT_DIGITS: u8 = 2;
/// Notes kept before they are folded, about a minute's.
const NOTES_MOST: usize = 1_024;

/// Times one card's calls.
#[derive(Debug)]
pub(crate) struct Meter {
    /// When the call at hand began: when the one before it ended, which saves half of the looks at the clock.
    begun: Instant,
    notes: Vec<Note>,
    calls: BTreeMap<&'static str, Cost>,
}

/// One call that was made.
#[derive(Debug)]
struct Note {
    call: &'static str,
    /// Tenths of a microsecond: the cheapest calls take less than one.
    tenths: u32,
    failed: bool,
}

#[derive(Debug)]
struct Cost {
    tenths: Histogram<u32>,
    failed: u64,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self { begun: Instant::now(), notes: Vec::with_capacity(NOTES_MOST), calls: BTreeMap::new() }
    }

    /// Calls follow at once; what passed since the last one is nobody's cost.
    pub(crate) fn begin(&mut self) {
        self.begun = Instant::now();
    }

    /// Makes one call of the driver, under the name of its C function.
    pub(crate) fn time<T>(
        &mut self,
        call: &'static str,
        make: impl FnOnce() -> Result<T, NvmlError>,
    ) -> Reading<T> {
        let result = make();
        let ended = Instant::now();
        self.note(call, ended - self.begun, result.is_err());
        self.begun = ended;
        codes::reading(result)
    }

    /// The costs so far, by name.
    pub(crate) fn costs(&mut self) -> Vec<CallCost> {
        self.fold();
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

    fn note(&mut self, call: &'static str, took: Duration, failed: bool) {
        if self.notes.len() == NOTES_MOST {
            self.fold();
        }
        // Saturates at seven minutes.
        let tenths = u32::try_from(took.as_nanos() / 100).unwrap_or(u32::MAX);
        self.notes.push(Note { call, tenths, failed });
    }

    fn fold(&mut self) {
        for Note { call, tenths, failed } in self.notes.drain(..) {
            let cost = match self.calls.entry(call) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => match Histogram::new(SIGNIFICANT_DIGITS) {
                    Ok(tenths) => new.insert(Cost { tenths, failed: 0 }),
                    // Refused only for a precision above 5; a figure is then lost, no reading is.
                    Err(_) => continue,
                },
            };
            cost.failed += u64::from(failed);
            // The histogram grows to what it is given; only if it cannot does a value count as the highest it can hold.
            if cost.tenths.record(tenths.into()).is_err() {
                cost.tenths.saturating_record(tenths.into());
            }
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
        let mut meter = Meter::new();
        // 9,800 calls of 2 µs and 200 of 5 ms: the median is 2 µs, and the 99th of 100 is a slow one. More than the notes hold.
        for call in 0..10_000 {
            let slow = call % 50 == 49;
            meter.note("fast", Duration::from_micros(if slow { 5_000 } else { 2 }), call == 0);
        }
        meter.note("other", Duration::from_micros(7), false);
        let costs = meter.costs();
        assert_eq!(costs.iter().map(|cost| cost.call.as_str()).collect::<Vec<_>>(), ["fast", "other"]);
        let fast = &costs[0];
        assert_eq!((fast.count, fast.failed), (10_000, 1));
        assert!((1.98..=2.02).contains(&fast.p50_us), "median {} µs", fast.p50_us);
        assert!((4_950.0..=5_050.0).contains(&fast.p99_us), "99th {} µs", fast.p99_us);
    }

    #[test]
    fn a_failed_call_is_a_missing_reading_and_is_counted() {
        let mut meter = Meter::new();
        let reading: Reading<u32> = meter.time("nvmlDeviceGetTemperature", || Err(NvmlError::GpuLost));
        assert_eq!(reading.reason(), Some(fanfare_rig::Reason::Lost));
        assert_eq!(meter.costs()[0].failed, 1);
    }
}
