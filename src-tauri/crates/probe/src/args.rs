//! The command line.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::Parser;

/// Reads the cards through NVML and prints one JSON line a sweep. Ends when standard input ends.
#[derive(Debug, Clone, Parser)]
#[command(version)]
pub(crate) struct Args {
    /// The driver library to load in place of the system's.
    #[arg(long, value_name = "PATH")]
    nvml_lib: Option<PathBuf>,

    /// Time between the beginnings of two sweeps, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(10..=60_000))]
    interval_ms: u32,

    /// Read slow facts and the list of cards once in this many sweeps.
    #[arg(long, value_name = "SWEEPS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    slow_every: u32,
}

impl Args {
    /// Time between the beginnings of two sweeps.
    pub(crate) fn interval(&self) -> Duration {
        Duration::from_millis(u64::from(self.interval_ms))
    }

    /// How long a sweep waits for silent cards: three quarters of the interval.
    pub(crate) fn deadline(&self) -> Duration {
        self.interval() * 3 / 4
    }

    /// How long a sweep goes on with the readers it has before it sends more: a twentieth of the interval.
    pub(crate) fn patience(&self) -> Duration {
        self.interval() / 20
    }

    /// How many sweeps lie between two reads of a card's slow facts.
    pub(crate) fn slow_every(&self) -> u64 {
        u64::from(self.slow_every)
    }

    /// Time between two reads of the list of cards.
    pub(crate) fn roster_interval(&self) -> Duration {
        self.interval() * self.slow_every
    }

    /// The library to load: a path, or the name that the system's loader knows.
    pub(crate) fn library(&self) -> OsString {
        self.nvml_lib.clone().map_or_else(|| OsString::from("libnvidia-ml.so.1"), PathBuf::into_os_string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budgets_follow_from_the_interval() {
        let args = Args::parse_from(["fanfare-probe", "--interval-ms", "200", "--slow-every", "10"]);
        assert_eq!(args.interval(), Duration::from_millis(200));
        assert_eq!(args.deadline(), Duration::from_millis(150));
        assert_eq!(args.patience(), Duration::from_millis(10));
        assert_eq!(args.roster_interval(), Duration::from_secs(2));
    }

    #[test]
    fn an_interval_that_would_flood_the_driver_is_refused() {
        for bad in ["0", "9", "60001", "-1", "fast"] {
            assert!(
                Args::try_parse_from(["fanfare-probe", "--interval-ms", bad]).is_err(),
                "{bad} was taken"
            );
        }
    }
}
