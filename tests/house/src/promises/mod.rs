//! What the product promises, and the proof of each promise.
//!
//! `docs/promises/<room>.toml` holds `[[promise]]` tables with `id`, `says` and `proof`, a list of [`Proof`]s. Two checks:
//!
//! - before anything is built, each proof must name something that exists ([`unproven`] with a [`Catalogue`] of the sources);
//! - after a test run, each must have run and passed ([`unrun`] with the [`Results`] of that run).

mod catalogue;
mod proof;
mod results;
mod rust_tests;
mod vitest;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde::Deserialize;

pub use catalogue::Catalogue;
pub use proof::{Proof, ProofError};
pub use results::{Outcome, ResultFiles, Results};

use crate::{Finding, HouseError, repository};

/// One promise.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// Unique in the whole house.
    pub id: String,
    /// The promise, in a sentence.
    pub says: String,
    /// What proves it, as [`Proof`] reads it.
    pub proof: Vec<String>,
}

/// The promises of one room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The file, from the repository's root.
    pub file: PathBuf,
    /// In the file's order.
    pub promises: Vec<Promise>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoomFile {
    promise: Vec<Promise>,
}

/// The folder of the promises, from the repository's root.
const FOLDER: &str = "docs/promises";

/// All promises of the repository.
///
/// # Errors
///
/// [`HouseError::Toml`] for a file that is not as it should be, with its line; [`HouseError::Read`].
pub fn rooms(root: &Path) -> Result<Vec<Room>, HouseError> {
    let files = repository::files(&root.join(FOLDER))?;
    let toml_files = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml"));
    toml_files
        .map(|name| {
            let file = Path::new(FOLDER).join(name);
            let text = repository::read(&root.join(&file))?;
            let room: RoomFile =
                toml::from_str(&text).map_err(|source| HouseError::Toml { path: file.clone(), source })?;
            Ok(Room { file, promises: room.promise })
        })
        .collect()
}

/// Promises that are not well-formed, or name a proof that does not exist.
#[must_use]
pub fn unproven(rooms: &[Room], catalogue: &Catalogue) -> Vec<Finding> {
    let mut ids = BTreeSet::new();
    let mut findings = Vec::new();
    for (place, promise) in places(rooms) {
        if !ids.insert(&promise.id) {
            findings.push(Finding::new(&place, "the id is used twice"));
        }
        if promise.says.trim().is_empty() {
            findings.push(Finding::new(&place, "says nothing"));
        }
        if promise.proof.is_empty() {
            findings.push(Finding::new(&place, "has no proof"));
        }
        for text in &promise.proof {
            match text.parse::<Proof>() {
                Err(error) => findings.push(Finding::new(&place, format!("{text}: {error}"))),
                Ok(proof) if !catalogue.has(&proof) => {
                    findings.push(Finding::new(&place, format!("{text}: there is no such proof")));
                }
                Ok(_) => {}
            }
        }
    }
    findings
}

/// Promises whose proof did not run, did not pass, or was skipped in a test run.
#[must_use]
pub fn unrun(rooms: &[Room], results: &Results) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, promise) in places(rooms) {
        for text in &promise.proof {
            let Ok(proof) = text.parse::<Proof>() else { continue };
            let says = match results.outcome(&proof) {
                Some(Outcome::Passed) => continue,
                Some(Outcome::Failed) => "failed",
                Some(Outcome::Skipped) => "was skipped",
                Some(Outcome::Ignored) => "was left out of the run",
                None => "did not run",
            };
            findings.push(Finding::new(&place, format!("{text}: {says}")));
        }
    }
    findings
}

fn places(rooms: &[Room]) -> impl Iterator<Item = (String, &Promise)> {
    rooms.iter().flat_map(|room| {
        room.promises.iter().map(|promise| (format!("{} [{}]", room.file.display(), promise.id), promise))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(promises: &[(&str, &str, &[&str])]) -> Vec<Room> {
        let promises = promises
            .iter()
            .map(|(id, says, proof)| Promise {
                id: (*id).to_owned(),
                says: (*says).to_owned(),
                proof: proof.iter().map(|text| (*text).to_owned()).collect(),
            })
            .collect();
        vec![Room { file: "docs/promises/rig.toml".into(), promises }]
    }

    fn says(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.says.as_str()).collect()
    }

    #[test]
    fn a_promise_needs_a_unique_id_a_sentence_and_a_proof_that_exists() {
        let mut catalogue = Catalogue::default();
        catalogue.add_test("fanfare-rig", "card::tests::is_known");
        let rooms = room(&[
            ("good", "It is known.", &["test:fanfare-rig::card::tests::is_known"]),
            ("good", "Again.", &["test:fanfare_rig::card::tests::is_known"]),
            ("mute", " ", &["test:fanfare-rig::card::tests::is_known"]),
            ("bare", "Believe me.", &[]),
            ("gone", "It was known.", &["test:fanfare-rig::card::tests::was_known"]),
            ("odd", "By magic.", &["magic:wand"]),
        ]);
        assert_eq!(
            says(&unproven(&rooms, &catalogue)),
            [
                "the id is used twice",
                "says nothing",
                "has no proof",
                "test:fanfare-rig::card::tests::was_known: there is no such proof",
                "magic:wand: a proof starts with test:, bench:, vitest: or script:",
            ]
        );
    }

    #[test]
    fn a_proof_must_have_run_and_passed() {
        let mut results = Results::default();
        results.add(Proof::test("fanfare-rig", "passed"), Outcome::Passed);
        results.add(Proof::test("fanfare-rig", "failed"), Outcome::Failed);
        results.add(Proof::test("fanfare-rig", "skipped"), Outcome::Skipped);
        let rooms = room(&[(
            "p",
            "All well.",
            &[
                "test:fanfare-rig::passed",
                "test:fanfare-rig::failed",
                "test:fanfare-rig::skipped",
                "test:fanfare-rig::absent",
            ],
        )]);
        assert_eq!(
            says(&unrun(&rooms, &results)),
            [
                "test:fanfare-rig::failed: failed",
                "test:fanfare-rig::skipped: was skipped",
                "test:fanfare-rig::absent: did not run",
            ]
        );
    }
}
