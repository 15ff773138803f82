//! The cells of a level one by one, in the order of time: for those who write them out.
//!
//! Unlike an answer to a question nothing stands in the place of a level that is gone: what is told is of the level that was asked for.
//! One span is in memory at a time, a day of minutes or thirty days of hours: at most 1,440 cells a series, 0.1 MB. Each span is read
//! in one state of the file, and is shown after that.

use std::{collections::BTreeMap, ops::ControlFlow};

use rusqlite::Connection;

use super::scan::Scan;
use crate::{
    levels::{Fold, Level, Packed},
    quantity::Series,
    roster::{Roster, segments},
    store::HistoryError,
    time::HOUR_US,
};

/// A minute or an hour of some series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastCell<'c> {
    /// When it begins by the wall, in microseconds since 1970.
    pub start_us: i64,
    /// By the series that were asked for, in their order, what their values came to; none where it had none.
    pub folds: &'c [Option<Fold>],
}

/// Shows each cell of a level from one moment of the wall on and before another, until it is told to stop. A cell that a moment lies in is
/// shown whole.
pub(crate) fn cells_between(
    connection: &Connection,
    level: Packed,
    series: &[Series],
    (from_us, to_us): (i64, i64),
    each: &mut dyn FnMut(&PastCell<'_>) -> ControlFlow<()>,
) -> Result<(), HistoryError> {
    let Some((first_us, last_us)) = extent(connection)? else { return Ok(()) };
    let (from_us, to_us) = (from_us.max(first_us), to_us.min(last_us));
    let span_us = level.cells().saturating_mul(level.cell_us());
    let (mut begin_us, mut shown) = (from_us, ControlFlow::Continue(()));
    while begin_us < to_us && shown.is_continue() {
        let end_us = begin_us.div_euclid(span_us).saturating_add(1).saturating_mul(span_us).min(to_us);
        let cells = span(connection, level, series, (begin_us, end_us))?;
        shown = cells.iter().try_for_each(|(start_us, folds)| each(&PastCell { start_us: *start_us, folds }));
        begin_us = end_us;
    }
    Ok(())
}

/// From when until when there is anything, in whole hours; so a question about all time is no long walk through nothing.
fn extent(connection: &Connection) -> Result<Option<(i64, i64)>, HistoryError> {
    let (first, last): (Option<i64>, Option<i64>) = connection.query_row(
        "SELECT min(hour), max(hour) FROM
         (SELECT hour FROM sheet UNION ALL SELECT hour FROM tail UNION ALL SELECT hour FROM fresh
          UNION ALL SELECT span * 24 FROM pack WHERE level = 1 UNION ALL SELECT span * 24 + 23 FROM pack WHERE level = 1
          UNION ALL SELECT span * 720 FROM pack WHERE level = 2 UNION ALL SELECT span * 720 + 719 FROM pack WHERE level = 2)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(first
        .zip(last)
        .map(|(first, last)| (first.saturating_mul(HOUR_US), last.saturating_add(1).saturating_mul(HOUR_US))))
}

type Cells = BTreeMap<i64, Vec<Option<Fold>>>;

fn span(
    connection: &Connection,
    level: Packed,
    series: &[Series],
    (from_us, to_us): (i64, i64),
) -> Result<Cells, HistoryError> {
    let state = connection.unchecked_transaction()?;
    let (roster, segments) = (Roster::read(&state)?, segments(&state)?);
    let foldings: Vec<_> = series.iter().map(|series| series.quantity.folding()).collect();
    let scan = Scan {
        connection: &state,
        segments: &segments,
        held: &[],
        numbers: series.iter().map(|series| roster.number(series)).collect(),
        foldings: foldings.clone(),
        level: match level {
            Packed::Minutes => Level::Minute,
            Packed::Hours => Level::Hour,
        },
        from_us,
        to_us,
    };
    let mut cells = Cells::new();
    scan.cells_alone(&mut |entry| {
        let folds = cells.entry(entry.start_us).or_insert_with(|| vec![None; foldings.len()]);
        if let (Some(fold), Some(folding)) = (folds.get_mut(entry.curve), foldings.get(entry.curve)) {
            *fold = Some(fold.map_or(entry.fold, |before: Fold| before.with(entry.fold, *folding)));
        }
    })?;
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;
    use crate::{
        Quantity, Reader, Recorder, Retention,
        fixtures::{MIDNIGHT, Rig, power, recorder},
    };

    const RIG: Rig = Rig::at_midnight();
    const HOUR: u64 = 3_600;
    const DAY: u64 = 24 * HOUR;

    /// Start in seconds since midnight, least, greatest and count of the first series.
    type Shown = Vec<(i64, Option<(i64, i64, u32)>)>;

    fn push(shown: &mut Shown, cell: &PastCell<'_>) -> ControlFlow<()> {
        let fold = cell.folds[0].map(|fold| (fold.min, fold.max, fold.count));
        shown.push((cell.start_us / 1_000_000 - MIDNIGHT, fold));
        ControlFlow::Continue(())
    }

    fn minutes(reader: &Reader, series: &Series, from: u64, to: u64) -> Shown {
        let mut shown = Shown::new();
        let range = (RIG.wall(from), RIG.wall(to));
        reader
            .minutes_between(range.0, range.1, std::slice::from_ref(series), |cell| push(&mut shown, cell))
            .unwrap();
        shown
    }

    fn hours(reader: &Reader, from: u64, to: u64) -> Shown {
        let mut shown = Shown::new();
        reader
            .hours_between(RIG.wall(from), RIG.wall(to), &[power()], |cell| push(&mut shown, cell))
            .unwrap();
        shown
    }

    #[test]
    fn packed_and_fresh_and_unsealed_minutes_come_in_the_order_of_time() {
        let folder = tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        recorder.flush_lazily();
        let rig = Rig { every: 10, ..RIG };
        rig.run(&mut recorder, 0..DAY + 2 * HOUR + 600);
        recorder.flush().unwrap();
        let reader = Reader::open(folder.path()).unwrap().unwrap();
        // A sweep each ten seconds: a minute that begins at second s holds s to s + 50.
        let minute = |second: i64| (second, Some((second, second + 50, 6)));
        let all: Shown = (0..26 * 60 + 10).map(|number| minute(number * 60)).collect();
        assert_eq!(minutes(&reader, &power(), 0, 3 * DAY), all);
        // From within a minute on, up to the second of another.
        assert_eq!(minutes(&reader, &power(), 90, 181), [minute(60), minute(120), minute(180)]);
        let hour = |second: i64, count| (second, Some((second, second + (i64::from(count) - 1) * 10, count)));
        let expected: Shown =
            (0..26).map(|number| hour(number * 3_600, 360)).chain([hour(93_600, 60)]).collect();
        assert_eq!(hours(&reader, 0, 90 * DAY), expected);
    }

    #[test]
    fn nothing_stands_in_for_minutes_that_are_gone() {
        let folder = tempdir().unwrap();
        let retention = Retention { raw_days: 1, minute_days: 2 };
        let mut recorder =
            Recorder::open(folder.path(), retention, jiff::Timestamp::UNIX_EPOCH).unwrap().recorder;
        recorder.flush_lazily();
        Rig { every: 600, ..RIG }.run(&mut recorder, 0..5 * DAY + 600);
        recorder.flush().unwrap();
        let reader = Reader::open(folder.path()).unwrap().unwrap();
        // Days 0 to 2 have hours alone.
        assert_eq!(minutes(&reader, &power(), 0, 3 * DAY), []);
        assert_eq!(minutes(&reader, &power(), 0, 6 * DAY).len(), 2 * 144 + 1);
        assert_eq!(hours(&reader, 0, 6 * DAY).len(), 121);
    }

    #[test]
    fn a_minute_that_two_segments_share_is_one() {
        let folder = tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        RIG.run(&mut recorder, 0..100);
        // Set back to second 70, which is lived through again.
        Rig { booted: MIDNIGHT - 30, ..RIG }.run(&mut recorder, 100..140);
        recorder.flush().unwrap();
        let reader = Reader::open(folder.path()).unwrap().unwrap();
        // The second minute has 60 to 99 and, by the clock that was set back, 100 to 139 at seconds 70 to 109.
        assert_eq!(minutes(&reader, &power(), 0, 1_000), [(0, Some((0, 59, 60))), (60, Some((60, 139, 80)))]);
    }

    #[test]
    fn a_series_without_values_is_none_beside_others_and_nothing_alone() {
        let folder = tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        RIG.run(&mut recorder, 0..60);
        recorder.flush().unwrap();
        let reader = Reader::open(folder.path()).unwrap().unwrap();
        let heat = Series::new("GPU-1", Quantity::Temperature);
        assert_eq!(minutes(&reader, &heat, 0, 600), []);
        let mut shown = Vec::new();
        reader
            .minutes_between(RIG.wall(0), RIG.wall(600), &[heat, power()], |cell| {
                shown.push(cell.folds.iter().map(Option::is_some).collect::<Vec<_>>());
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(shown, [[false, true]]);
    }

    #[test]
    fn it_stops_when_it_is_told() {
        let folder = tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        RIG.run(&mut recorder, 0..600);
        let reader = Reader::open(folder.path()).unwrap().unwrap();
        let mut shown = 0;
        reader
            .minutes_between(RIG.wall(0), RIG.wall(600), &[power()], |_| {
                shown += 1;
                if shown == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        assert_eq!(shown, 3);
    }
}
