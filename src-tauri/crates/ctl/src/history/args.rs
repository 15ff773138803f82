//! The command line of `fanfarectl history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use fanfare_history::{MOST_POINTS, Quantity};
use serde::{
    Deserialize,
    de::{IntoDeserializer, value::Error},
};

use super::moment::Moment;

/// What to do with the history.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    pub(crate) verb: HistoryVerb,
}

/// What to do with the history.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryVerb {
    /// Show the course of quantities as a table: least, mean and greatest of each step.
    Query(QueryArgs),
    /// Write what is recorded as CSV, a row for each moment and card; a missing value is an empty field, and a row that would have no
    /// value is left out.
    Export(ExportArgs),
    /// Read the whole history and check it; ends with code 1 if anything is wrong.
    Verify,
    /// Give room in the file that is free back to the disk. It takes as much again for a while.
    Compact,
}

/// Of which cards.
#[derive(Debug, Clone, Args)]
pub(crate) struct CardArgs {
    /// Cards by their number in `fanfarectl cards`, their UUID, or a beginning of it that no other has; all if not given.
    #[arg(long, value_name = "CARD,…", value_delimiter = ',')]
    pub(crate) card: Vec<String>,
}

/// Of which time.
#[derive(Debug, Clone, Args)]
pub(crate) struct RangeArgs {
    /// From this moment on: RFC 3339 as in 2026-11-30T18:00:00Z, or back from now as in 24h, 7d, 90m.
    #[arg(long, value_name = "TIME", default_value = "24h")]
    pub(crate) from: Moment,

    /// Before this moment: the same, or now.
    #[arg(long, value_name = "TIME", default_value = "now")]
    pub(crate) to: Moment,
}

/// Options of `history query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub(crate) cards: CardArgs,

    /// Quantities.
    #[arg(
        long,
        value_name = "QUANTITY,…",
        value_delimiter = ',',
        value_parser = quantity,
        default_value = "temperature,power,utilisation"
    )]
    pub(crate) quantity: Vec<Quantity>,

    #[command(flatten)]
    pub(crate) range: RangeArgs,

    /// The most rows of a table.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = points)]
    pub(crate) points: usize,

    /// As one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `history export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) cards: CardArgs,

    /// Quantities; all if not given.
    #[arg(long, value_name = "QUANTITY,…", value_delimiter = ',', value_parser = quantity)]
    pub(crate) quantity: Vec<Quantity>,

    #[command(flatten)]
    pub(crate) range: RangeArgs,

    /// How finely.
    #[arg(long, value_enum, default_value_t = Fineness::Minute)]
    pub(crate) level: Fineness,

    /// In which form.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    pub(crate) format: Format,

    /// The file to write, which appears once it is whole; standard output if not given.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write over a file that is there.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// How finely a history is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fineness {
    /// Each sweep.
    Raw,
    /// Least, mean, greatest and count of each minute.
    Minute,
    /// The same of each hour.
    Hour,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values with a head, times in UTC.
    Csv,
}

/// A quantity by the name that it has everywhere.
fn quantity(name: &str) -> Result<Quantity, Error> {
    Quantity::deserialize(name.trim().into_deserializer())
}

/// It is no number of rows that a table can have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("1 to {MOST_POINTS} are possible")]
struct NoPoints;

fn points(text: &str) -> Result<usize, NoPoints> {
    text.parse().ok().filter(|points| (1..=MOST_POINTS).contains(points)).ok_or(NoPoints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_has_the_name_that_it_has_everywhere() {
        assert_eq!(quantity("memory_used"), Ok(Quantity::MemoryUsed));
        assert_eq!(quantity(" tenancy"), Ok(Quantity::Tenancy));
        let refused = quantity("Heat").unwrap_err().to_string();
        assert!(refused.contains("`temperature`"), "it names those that there are: {refused}");
    }

    #[test]
    fn points_have_bounds() {
        for (text, expected) in
            [("1", Some(1)), ("2000", Some(2_000)), ("0", None), ("2001", None), ("-3", None), ("x", None)]
        {
            assert_eq!(points(text).ok(), expected, "{text}");
        }
    }
}
