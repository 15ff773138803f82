//! A year behind a card, in a data directory that a window then opens.

use std::{fs, path::Path, sync::Arc, time::Duration};

use fanfare_history::{FILE, Quantity, Recorder, Retention, Series, Source, Sweep};
use jiff::Timestamp;

use crate::{
    failure::Failure,
    history::{memory_folder, stamp},
};

const YEAR_S: u64 = 365 * 86_400;
/// Seconds between two samples: each hour has a least and a greatest of its own, and the year is recorded in seconds.
const EVERY_S: u64 = 300;

/// Records the year before now into `directory`, which is made.
pub(super) fn year(directory: &Path, card: &str) -> Result<(), Failure> {
    let folder = memory_folder()?;
    let mut recorder = Recorder::open(folder.path(), Retention::default(), Timestamp::UNIX_EPOCH)?.recorder;
    let source = Source { session: 1, every: Duration::from_secs(EVERY_S) };
    let card: Arc<str> = card.into();
    let begin_s = Timestamp::now().as_second() - i64::try_from(YEAR_S).map_err(|_| Failure::Clock)?;
    for second in (0..YEAR_S).step_by(usize::try_from(EVERY_S).unwrap_or(1)) {
        let values = values_at(second);
        let values = values.map(|(quantity, value)| (Series::new(card.clone(), quantity), Some(value)));
        let at = stamp(begin_s, second)?;
        recorder.record(&Sweep { at, source, values: values.into(), marks: Vec::new() })?;
    }
    recorder.flush()?;
    drop(recorder);
    fs::create_dir_all(directory)?;
    fs::copy(folder.path().join(FILE), directory.join(FILE))?;
    Ok(())
}

/// What is shown of a card: busy and idle by turns of six hours, with noise that differs from second to second.
fn values_at(second: u64) -> [(Quantity, i64); 11] {
    let noise =
        |most: u64| i64::try_from((second.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % most).unwrap_or(0);
    let busy = (second / 21_600) % 4 != 3;
    let by_turns = |at_work: i64, at_rest: i64| if busy { at_work } else { at_rest };
    [
        (Quantity::Temperature, by_turns(66, 38) + noise(5)),
        (Quantity::Power, by_turns(104_000, 11_000) + noise(3_000)),
        (Quantity::PowerLimit, 115_000),
        (Quantity::Utilisation, by_turns(90 + noise(10), 0)),
        (Quantity::MemoryUsed, by_turns(6 << 30, 300 << 20) + noise(1 << 24)),
        (Quantity::FanAsked, by_turns(55, 0)),
        (Quantity::FanReported, by_turns(54 + noise(3), 0)),
        (Quantity::GraphicsClock, by_turns(2_445 + 15 * noise(4), 210)),
        (Quantity::MemoryClock, by_turns(8_251, 405)),
        (Quantity::Throttle, by_turns(4, 1)),
        (Quantity::Tenancy, by_turns(2, 1)),
    ]
}
