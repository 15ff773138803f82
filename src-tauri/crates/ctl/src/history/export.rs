//! `fanfarectl history export`: what is recorded as CSV, for other programs.
//!
//! A row is a moment of a card: its time in UTC, the card's number and UUID, the values in the driver's own units, and whether they are
//! measured or simulated. That stands in each row and not in a comment above, because rows are sorted, joined and cut, and CSV knows no
//! comments. One hour of sweeps, a day of minutes or thirty days of hours is in memory at a time.
//!
//! A file is written beside its place under another name and takes it once it is whole, so that no half of one is ever taken for all.
//! It takes the place of a file alone: that of a device or a pipe would be gone for every program.

use std::{
    fs::Permissions,
    io::{self, BufWriter, IsTerminal, Write, stdout},
    ops::ControlFlow,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use csv::Writer;
use fanfare_engine::Opening;
use fanfare_history::{Fold, Folding, PastCell, Quantity, Reader, Series};
use jiff::Timestamp;
use tempfile::Builder;

use super::{
    Range,
    args::{ExportArgs, Fineness, Format},
    chosen::{self, Card},
    is_simulated, open, scale,
    work::{self, Meter, Stop},
};
use crate::failure::Failure;

pub(super) async fn run(opening: &Opening, args: &ExportArgs) -> Result<(), Failure> {
    let Format::Csv = args.format;
    let quantities = if args.quantity.is_empty() { Quantity::ALL.to_vec() } else { args.quantity.clone() };
    let order = Order {
        directory: opening.directory.clone(),
        wishes: args.cards.card.clone(),
        quantities,
        range: Range::of(&args.range, Timestamp::now())?,
        level: args.level,
        source: if is_simulated(opening) { "simulated" } else { "measured" },
    };
    let (output, force) = (args.output.clone(), args.force);
    work::run(move |stop| match output {
        None => {
            let meter = Meter::new(stdout().is_terminal());
            order.write(BufWriter::new(stdout().lock()), meter, &stop)
        }
        Some(path) => order.write_file(&path, force, &stop),
    })
    .await
}

/// The file that is to be written over; of a link, the one that it leads to.
fn written_over(path: &Path) -> Result<PathBuf, Failure> {
    match path.metadata() {
        Ok(there) if there.is_file() => Ok(path.canonicalize()?),
        Ok(_) => Err(Failure::NotAFile { path: path.into() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.into()),
        Err(error) => Err(error.into()),
    }
}

/// What is to be written out.
struct Order {
    directory: PathBuf,
    wishes: Vec<String>,
    quantities: Vec<Quantity>,
    range: Range,
    level: Fineness,
    source: &'static str,
}

impl Order {
    fn write_file(&self, path: &Path, force: bool, stop: &Stop) -> Result<(), Failure> {
        let path = &if force { written_over(path)? } else { path.to_path_buf() };
        let exists = || Failure::Exists { path: path.into() };
        // Said before an hour's work and not after; that it holds is seen to at the end.
        if !force && path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = Builder::new()
            .prefix(".fanfare-export-")
            // As any program's file; the system takes off what the owner wants taken off.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))?;
        self.write(BufWriter::new(file.as_file()), Meter::new(false), stop)?;
        file.as_file().sync_all()?;
        let kept = if force { file.persist(path) } else { file.persist_noclobber(path) };
        match kept {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
            Err(error) => Err(error.error.into()),
        }
    }

    fn write(&self, to: impl Write, mut meter: Meter, stop: &Stop) -> Result<(), Failure> {
        let reader = open(&self.directory)?;
        let cards = chosen::cards(&reader, &self.directory, &self.wishes)?;
        let mut rows = Rows { to: Writer::from_writer(to), order: self, cards };
        rows.head()?;
        let mut done = Ok(());
        let from_us = self.range.from.as_microsecond();
        let of = u64::try_from(self.range.to.as_microsecond().saturating_sub(from_us)).unwrap_or_default();
        self.each(&reader, &rows.series(), |row| {
            meter.show(u64::try_from(row.time_us().saturating_sub(from_us)).unwrap_or_default(), of);
            done = if stop.flow().is_break() { Err(Failure::Interrupted) } else { rows.write(row) };
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        done?;
        Ok(rows.to.flush()?)
    }

    fn each(
        &self,
        reader: &Reader,
        series: &[Series],
        mut row: impl FnMut(&Row<'_>) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let Range { from, to } = self.range;
        let cell = |cell: &PastCell<'_>| row(&Row::Cell { start_us: cell.start_us, folds: cell.folds });
        match self.level {
            Fineness::Minute => reader.minutes_between(from, to, series, cell)?,
            Fineness::Hour => reader.hours_between(from, to, series, cell)?,
            Fineness::Raw => reader.walk_between(from, to, series, |past| {
                row(&Row::Sweep { wall_us: past.wall_us, values: past.values })
            })?,
        }
        Ok(())
    }
}

/// A moment of all cards.
enum Row<'r> {
    Sweep { wall_us: i64, values: &'r [Option<i64>] },
    Cell { start_us: i64, folds: &'r [Option<Fold>] },
}

impl Row<'_> {
    const fn time_us(&self) -> i64 {
        match self {
            Self::Sweep { wall_us, .. } => *wall_us,
            Self::Cell { start_us, .. } => *start_us,
        }
    }
}

/// The rows of a file.
struct Rows<'o, W: Write> {
    to: Writer<W>,
    order: &'o Order,
    cards: Vec<Card>,
}

impl<W: Write> Rows<'_, W> {
    /// Card by card, and within a card in the order of the quantities.
    fn series(&self) -> Vec<Series> {
        self.cards.iter().flat_map(|card| card.series(&self.order.quantities)).collect()
    }

    fn head(&mut self) -> Result<(), Failure> {
        let values = self.order.quantities.iter().flat_map(|quantity| columns(*quantity, self.order.level));
        let names = ["time", "card", "uuid"].map(str::to_owned).into_iter().chain(values);
        self.to.write_record(names.chain(["source".to_owned()])).map_err(io_error)
    }

    /// A row for each card that has a value.
    fn write(&mut self, row: &Row<'_>) -> Result<(), Failure> {
        let time = time(row.time_us(), self.order.level)?;
        let each = self.order.quantities.len();
        for (number, card) in self.cards.iter().enumerate() {
            let own = number * each..(number + 1) * each;
            let values: Vec<String> = match row {
                Row::Sweep { values, .. } => {
                    values.get(own).unwrap_or_default().iter().map(|value| field(*value)).collect()
                }
                Row::Cell { folds, .. } => {
                    let folds = folds.get(own).unwrap_or_default().iter().zip(&self.order.quantities);
                    folds.flat_map(|(fold, quantity)| fields(fold.as_ref(), *quantity)).collect()
                }
            };
            if values.iter().all(String::is_empty) {
                continue;
            }
            let number = field(card.number);
            let first = [time.as_str(), &number, &card.uuid];
            let record = first.into_iter().chain(values.iter().map(String::as_str));
            self.to.write_record(record.chain([self.order.source])).map_err(io_error)?;
        }
        Ok(())
    }
}

/// A value, or nothing where it is missing.
fn field(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The columns of a quantity.
fn columns(quantity: Quantity, level: Fineness) -> Vec<String> {
    let name = scale::column(quantity);
    let of: &[&str] = match (level, quantity.folding()) {
        (Fineness::Raw, _) => return vec![name],
        (_, Folding::Extremes) => &["min", "mean", "max", "count"],
        // Those that all values have, and those that any has.
        (_, Folding::Bits) => &["all", "any", "count"],
    };
    of.iter().map(|part| format!("{name}_{part}")).collect()
}

/// The fields of those columns.
fn fields(fold: Option<&Fold>, quantity: Quantity) -> Vec<String> {
    let (min, max) = (field(fold.map(|fold| fold.min)), field(fold.map(|fold| fold.max)));
    let count = field(fold.map(|fold| fold.count));
    match quantity.folding() {
        Folding::Extremes => vec![min, field(fold.map(|fold| format!("{:.3}", fold.mean()))), max, count],
        Folding::Bits => vec![min, max, count],
    }
}

/// RFC 3339 in UTC; a sweep's to the microsecond, as it is kept.
fn time(time_us: i64, level: Fineness) -> Result<String, Failure> {
    let at = Timestamp::from_microsecond(time_us).map_err(io::Error::other)?;
    Ok(match level {
        Fineness::Raw => format!("{at:.6}"),
        Fineness::Minute | Fineness::Hour => format!("{at:.0}"),
    })
}

/// The system's own error, by which a reader that has gone is known.
fn io_error(error: csv::Error) -> Failure {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => io::Error::other(format!("{other:?}")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIDNIGHT_US: i64 = 1_795_996_800_000_000;

    fn written(level: Fineness, row: &Row<'_>) -> String {
        let order = Order {
            directory: PathBuf::new(),
            wishes: Vec::new(),
            quantities: vec![Quantity::Power, Quantity::Throttle],
            range: Range { from: Timestamp::UNIX_EPOCH, to: Timestamp::UNIX_EPOCH },
            level,
            source: "simulated",
        };
        let cards = vec![
            Card { number: Some(1), uuid: "GPU-a".into() },
            Card { number: Some(2), uuid: "GPU-b".into() },
            Card { number: None, uuid: "GPU-c".into() },
        ];
        let mut bytes = Vec::new();
        let mut rows = Rows { to: Writer::from_writer(&mut bytes), order: &order, cards };
        rows.head().unwrap();
        rows.write(row).unwrap();
        drop(rows);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_sweep_is_a_row_for_each_card_and_what_is_missing_is_empty() {
        let values = [Some(0), None, None, None, Some(115_000), Some(4)];
        let row = Row::Sweep { wall_us: MIDNIGHT_US + 1_000_250, values: &values };
        assert_eq!(
            written(Fineness::Raw, &row),
            "time,card,uuid,power_mw,throttle_bits,source\n\
             2026-11-30T00:00:01.000250Z,1,GPU-a,0,,simulated\n\
             2026-11-30T00:00:01.000250Z,,GPU-c,115000,4,simulated\n"
        );
    }

    #[test]
    fn a_minute_has_least_mean_greatest_and_count_and_of_bits_all_and_any() {
        let power = Some(Fold { min: 1, max: 4, sum: 8, count: 3 });
        let bits = Some(Fold { min: 4, max: 0x2c, sum: 0, count: 60 });
        let folds = [power, None, None, None, None, bits];
        let row = Row::Cell { start_us: MIDNIGHT_US + 60_000_000, folds: &folds };
        assert_eq!(
            written(Fineness::Minute, &row),
            "time,card,uuid,power_mw_min,power_mw_mean,power_mw_max,power_mw_count,\
             throttle_bits_all,throttle_bits_any,throttle_bits_count,source\n\
             2026-11-30T00:01:00Z,1,GPU-a,1,2.667,4,3,,,,simulated\n\
             2026-11-30T00:01:00Z,,GPU-c,,,,,4,44,60,simulated\n"
        );
    }
}
