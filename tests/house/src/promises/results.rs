//! What ran in a test run, and how it ended, read from what the runners wrote:
//!
//! - `cargo.log`: all that `cargo test` printed, both streams;
//! - `binaries.json`: Cargo's own list of the test executables (`--no-run --message-format json`), which tells the package of
//!   an executable that the log names only by file;
//! - `cargo-peers.log` and `binaries-peers.json`: the same of the run with the peers, if there was one. Its executables have
//!   names of their own, as Cargo shares less between the parts of a smaller build;
//! - `vitest.json`: Vitest's JSON report;
//! - `docs/bench.json`: the benches' last table (`make bench` writes it; benches are no part of a test run).
//!
//! A test that skips itself says `skipped: <test's path>: <why>`, or fails where skips are failures. One that needs a peer is
//! ignored in the first run and named in the second.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use cargo_metadata::{Message, PackageId};
use serde::Deserialize;

use super::{Proof, catalogue::qualified};
use crate::{HouseError, repository};

/// How a proof ended, the worst last; a test that one run ignored and another ran is judged by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It was left out of the run.
    Ignored,
    /// It ran and holds.
    Passed,
    /// It did not run to its end, and says so.
    Skipped,
    /// It ran and does not hold.
    Failed,
}

/// Where the runners' records are.
#[derive(Debug, Clone)]
pub struct ResultFiles {
    /// The folder of the logs and reports.
    pub folder: PathBuf,
    /// `docs/bench.json`; a bench has not run if the file does not exist.
    pub bench: PathBuf,
    /// The repository's `ui` folder, from which proofs name the page's tests.
    pub page: PathBuf,
}

/// The outcomes of a test run.
#[derive(Debug, Default, Clone)]
pub struct Results {
    outcomes: BTreeMap<Proof, Outcome>,
}

impl Results {
    /// Reads a run's records.
    ///
    /// # Errors
    ///
    /// [`HouseError::Read`] and [`HouseError::Json`] for a record that is missing or broken.
    pub fn read(files: &ResultFiles) -> Result<Self, HouseError> {
        let mut results = Self::default();
        results.add_cargo_run(&files.folder.join("cargo.log"), &files.folder.join("binaries.json"))?;
        let peers = files.folder.join("cargo-peers.log");
        if peers.exists() {
            results.add_cargo_run(&peers, &files.folder.join("binaries-peers.json"))?;
        }
        results.add_vitest(&files.folder.join("vitest.json"), &files.page)?;
        if files.bench.exists() {
            results.add_benches(&files.bench)?;
        }
        Ok(results)
    }

    /// Adds an outcome. Of two outcomes of one proof the worse stays.
    pub fn add(&mut self, proof: Proof, outcome: Outcome) {
        let kept = self.outcomes.entry(proof).or_insert(outcome);
        *kept = outcome.max(*kept);
    }

    /// How a proof ended, if it ran. A bench may have several rows, whose names begin with its own: the worst counts.
    #[must_use]
    pub fn outcome(&self, proof: &Proof) -> Option<Outcome> {
        let Proof::Bench(bench) = proof else { return self.outcomes.get(proof).copied() };
        let rows =
            self.outcomes.iter().filter(|(row, _)| matches!(row, Proof::Bench(name) if is_row(name, bench)));
        rows.map(|(_, outcome)| *outcome).max()
    }

    fn add_cargo_run(&mut self, log: &Path, binaries: &Path) -> Result<(), HouseError> {
        let binaries = Binaries::parse(&repository::read(binaries)?);
        self.add_cargo_log(&repository::read(log)?, &binaries);
        Ok(())
    }

    fn add_cargo_log(&mut self, log: &str, binaries: &Binaries) {
        let mut current = None;
        let mut unfinished = None;
        for line in log.lines() {
            if let Some(file) = running(line) {
                current = binaries.by_file.get(file);
                continue;
            }
            if let Some(script) = line.strip_prefix("script ").and_then(|rest| rest.strip_suffix(" ... ok")) {
                self.add(Proof::Script(script.to_owned()), Outcome::Passed);
            }
            let Some(binary) = current else { continue };
            if let Some(path) = line.strip_prefix("skipped: ").and_then(|rest| rest.split(": ").next()) {
                self.add(binary.proof(path), Outcome::Skipped);
            } else if let Some((path, end)) =
                line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
            {
                // With one test thread the name is printed first, and a test's own words may stand before its end.
                match verdict(end) {
                    Some(outcome) => self.add(binary.proof(path), outcome),
                    None => unfinished = Some(path),
                }
            } else if let Some(path) = unfinished
                && let Some(outcome) = verdict(line)
            {
                self.add(binary.proof(path), outcome);
                unfinished = None;
            }
        }
    }

    fn add_vitest(&mut self, path: &Path, page: &Path) -> Result<(), HouseError> {
        let report: VitestReport = json(path)?;
        for file in report.test_results {
            let name = Path::new(&file.name);
            let file_name = name.strip_prefix(page).unwrap_or(name).display().to_string();
            for test in file.assertion_results {
                let outcome = match test.status.as_str() {
                    "passed" => Outcome::Passed,
                    "failed" => Outcome::Failed,
                    _ => Outcome::Skipped,
                };
                self.add(Proof::Vitest { file: file_name.clone(), name: test.title }, outcome);
            }
        }
        Ok(())
    }

    fn add_benches(&mut self, path: &Path) -> Result<(), HouseError> {
        for row in json::<Vec<BenchRow>>(path)? {
            let outcome = if row.pass { Outcome::Passed } else { Outcome::Failed };
            self.add(Proof::Bench(row.name), outcome);
        }
        Ok(())
    }
}

/// Whether a row of the table is one of a bench: its name, or that and more words.
fn is_row(name: &str, bench: &str) -> bool {
    name.strip_prefix(bench).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// The file of the executable in one of Cargo's lines `Running unittests src/lib.rs (target/debug/deps/x-0123)`.
fn running(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    // Doc-tests belong to no executable: what follows is nobody's.
    if rest.starts_with("Doc-tests ") {
        return Some("");
    }
    let (_, path) = rest.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once('(')?;
    Some(path.rsplit('/').next().unwrap_or(path))
}

fn verdict(end: &str) -> Option<Outcome> {
    let end = end.trim();
    if end == "ok" || end.ends_with(" ok") {
        Some(Outcome::Passed)
    } else if end == "FAILED" || end.ends_with(" FAILED") {
        Some(Outcome::Failed)
    } else if end == "ignored" || end.starts_with("ignored,") {
        Some(Outcome::Ignored)
    } else {
        None
    }
}

/// The test executables by file name.
#[derive(Debug, Default)]
struct Binaries {
    by_file: BTreeMap<String, Binary>,
}

#[derive(Debug)]
struct Binary {
    package: String,
    target: cargo_metadata::Target,
}

impl Binary {
    fn proof(&self, path: &str) -> Proof {
        let path = path.strip_suffix(" - should panic").unwrap_or(path);
        Proof::test(&self.package, &qualified(&self.target, path))
    }
}

impl Binaries {
    fn parse(text: &str) -> Self {
        let mut by_file = BTreeMap::new();
        for message in Message::parse_stream(text.as_bytes()).filter_map(Result::ok) {
            let Message::CompilerArtifact(artifact) = message else { continue };
            let file = artifact.executable.as_deref().and_then(|path| path.file_name());
            if let Some(file) = file.filter(|_| artifact.profile.test) {
                let package = package_name(&artifact.package_id);
                by_file.insert(file.to_owned(), Binary { package, target: artifact.target });
            }
        }
        Self { by_file }
    }
}

/// The package's name in an id: `path+file:///x/rig#fanfare-rig@0.1.0`, or `path+file:///x/fanfare#0.1.0` where the folder
/// has the package's name.
fn package_name(id: &PackageId) -> String {
    let (place, end) = id.repr.rsplit_once('#').unwrap_or(("", &id.repr));
    match end.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => place.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestReport {
    test_results: Vec<VitestFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestFile {
    name: String,
    assertion_results: Vec<VitestTest>,
}

#[derive(Deserialize)]
struct VitestTest {
    title: String,
    status: String,
}

#[derive(Deserialize)]
struct BenchRow {
    name: String,
    pass: bool,
}

fn json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, HouseError> {
    serde_json::from_str(&repository::read(path)?)
        .map_err(|source| HouseError::Json { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests;
