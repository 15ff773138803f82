//! `fanfare-bench`: measures what the product promises in numbers, side by side with its peers in one run.
//!
//! Each bench alternates its two sides for at least fifteen rounds, so that what else the machine does meets both alike, and takes
//! CPU time before wall time. A goal is met only if the worse quartile meets it. Results are printed as one table and kept in
//! `docs/bench.json`; a run of one bench replaces its own rows and leaves the rest.

mod asked;
mod cpu;
mod failure;
mod figure;
mod history;
mod programs;
mod rounds;
mod sweep;
mod window;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

use crate::{failure::Failure, figure::Figure};

/// Measures what the product promises in numbers.
#[derive(Debug, Parser)]
struct Args {
    /// Measure only the benches whose name begins like this.
    #[arg(long, value_name = "NAME", default_value = "")]
    only: String,

    /// List the benches and leave.
    #[arg(long)]
    list: bool,

    /// Be one side of a bench, for another process of this program.
    #[arg(long, hide = true, value_enum)]
    be: Option<sweep::asked_of::Side>,

    /// Record some hours of a simulated rig, for another process of this program.
    #[arg(long, hide = true, value_name = "FOLDER")]
    record: Option<PathBuf>,

    /// Where the results are kept.
    #[arg(long, value_name = "PATH", default_value = "docs/bench.json")]
    results: PathBuf,
}

/// A bench: measures and gives its rows.
type Bench = fn() -> Result<Vec<Figure>, Failure>;

/// Every bench by its name; its rows' names begin with it.
const BENCHES: [(&str, Bench); 13] = [
    ("sweep_calls", sweep::calls::measure),
    ("sweep_overhead_us", sweep::overhead::measure),
    ("sweep_vs_nvitop", sweep::nvitop::measure),
    ("sweep_64_vs_8", sweep::scaling::measure),
    ("history", history::measure),
    ("pss_vs_bare", window::costs::pss),
    ("cpu_visible_vs_bare", window::costs::cpu_visible),
    ("cpu_hidden_vs_bare", window::costs::cpu_hidden),
    ("first_tiles_vs_bare_paint", window::first::measure),
    ("snapshot_to_dom_ms", window::latency::measure),
    ("card_view_ms", window::card::measure),
    ("brush", window::brush::measure),
    ("ui_bundle_kb", window::bundle::measure),
];

fn main() -> ExitCode {
    let args = Args::parse();
    if args.list {
        BENCHES.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    }
    let ran = match (args.be, &args.record) {
        (Some(side), _) => sweep::asked_of::serve(side).map(|()| true),
        (None, Some(folder)) => history::recording::record_some_hours(folder).map(|()| true),
        (None, None) => run(&args),
    };
    match ran {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("a goal was missed");
            ExitCode::FAILURE
        }
        Err(failure) => {
            eprintln!("fanfare-bench: {failure}");
            ExitCode::from(2)
        }
    }
}

/// Measures, prints and keeps; tells whether every goal was met.
fn run(args: &Args) -> Result<bool, Failure> {
    let chosen: Vec<_> = BENCHES.iter().filter(|(name, _)| name.starts_with(&args.only)).collect();
    if chosen.is_empty() {
        return Err(Failure::NoBench(args.only.clone()));
    }
    let mut measured = Vec::new();
    for (name, measure) in chosen {
        eprintln!("measuring {name} …");
        measured.extend(measure()?);
    }
    println!("{}", figure::table(&measured));
    figure::keep(&measured, &args.results)?;
    Ok(measured.iter().all(|figure| figure.pass))
}
