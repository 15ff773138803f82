//! `promises`: checks `docs/promises` against the sources, or against a test run.
//!
//! Exit codes: 0 all promises are proven; 1 some are not, each said on a line of stderr; 2 the check could not be made.

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use fanfare_house::{
    Finding, HouseError,
    promises::{Catalogue, ResultFiles, Results, rooms, unproven, unrun},
    repository,
};

/// Checks that each promise of docs/promises is proven by something that exists.
#[derive(Debug, Parser)]
struct Arguments {
    /// A folder with cargo.log, binaries.json and vitest.json of a test run: then each proof must have run and passed
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
}

fn main() -> ExitCode {
    match findings(Arguments::parse()) {
        Ok((promises, findings)) if findings.is_empty() => {
            println!("promises: {promises} kept");
            ExitCode::SUCCESS
        }
        Ok((promises, findings)) => {
            for finding in &findings {
                eprintln!("{finding}");
            }
            eprintln!("promises: {} of {promises} not proven as they say", findings.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("promises: {error}");
            ExitCode::from(2)
        }
    }
}

/// The number of promises, and what is wrong with them.
fn findings(arguments: Arguments) -> Result<(usize, Vec<Finding>), HouseError> {
    let root = repository::root();
    let rooms = rooms(&root)?;
    let count = rooms.iter().map(|room| room.promises.len()).sum();
    let catalogue = Catalogue::read(&root, &repository::metadata(&root)?)?;
    let mut findings = unproven(&rooms, &catalogue);
    if let Some(folder) = arguments.results {
        let files = ResultFiles { folder, bench: root.join("docs/bench.json"), page: root.join("ui") };
        findings.extend(unrun(&rooms, &Results::read(&files)?));
    }
    Ok((count, findings))
}
