//! The command line.

use std::path::PathBuf;

use clap::{Args as Arguments, Parser, Subcommand};
use fanfare_engine::profile::Profile;

use crate::history::args::HistoryArgs;

/// The rig from a terminal: its cards, live, and a hardware report.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the driver cannot be read, 4 the data directory \
              is another program's or another user's, 130 a long work was stopped by a signal."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) rig: RigArgs,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// Which rig.
#[derive(Debug, Arguments)]
pub(crate) struct RigArgs {
    /// Whose rig: yours, or the simulated one. By itself the simulated one is taken only on a machine without any NVIDIA device
    /// on which no card was ever met.
    #[arg(long, global = true, value_name = "real|demo")]
    pub(crate) profile: Option<Profile>,

    /// Where the data lie, in place of the usual directory.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// The driver library to load in place of the system's.
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) nvml_lib: Option<PathBuf>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show the cards once.
    Cards(CardsArgs),
    /// Show the cards live, once a second. Press q to leave.
    Watch(WatchArgs),
    /// Write a hardware report to attach to a question: what each card can do, its limits, its errors, what its calls cost. No
    /// serial numbers, host names or network addresses; UUIDs are shortened.
    Report(ReportArgs),
    /// Read the rig without a window, for every other program that shows it, until a signal ends it.
    Serve,
    /// Show what was recorded, write it out, check it, or give free room in its file back.
    History(HistoryArgs),
    /// Say which program reads the rig.
    Status,
}

/// Options of `cards`.
#[derive(Debug, Arguments)]
pub(crate) struct CardsArgs {
    /// As one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `watch`.
#[derive(Debug, Arguments)]
pub(crate) struct WatchArgs {
    /// As one JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,

    /// Leave after this many sweeps.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,

    /// Time between two sweeps, in milliseconds; 1000 if not given. Where another program reads the rig, its pace counts.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(50..=60_000))]
    pub(crate) interval_ms: Option<u64>,
}

/// Options of `report`.
#[derive(Debug, Arguments)]
pub(crate) struct ReportArgs {
    /// How long to read before writing, in seconds.
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) seconds: u64,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_rig_may_be_named_before_or_after_the_verb() {
        for line in
            [["fanfarectl", "--profile", "demo", "cards"], ["fanfarectl", "cards", "--profile", "demo"]]
        {
            assert!(matches!(Args::parse_from(line).rig.profile, Some(Profile::Demo)), "{line:?}");
        }
    }
}
