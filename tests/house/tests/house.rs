//! The repository as it stands, checked.

#![allow(clippy::expect_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::{Path, PathBuf};

use fanfare_house::{
    Finding, files,
    floors::violations,
    promises::{Catalogue, rooms, unproven},
    repository,
};

/// Each file with its text. Files that are no text (icons, screenshots) are left out.
fn texts() -> Vec<(PathBuf, String)> {
    let root = repository::root();
    let files = repository::files(&root).expect("the tree can be walked");
    assert!(files.contains(&"Cargo.toml".into()), "this is not the repository: {}", root.display());
    let with_text = |path: PathBuf| repository::read(&root.join(&path)).ok().map(|text| (path, text));
    files.into_iter().filter_map(with_text).collect()
}

/// Findings of a check of each file's text.
fn in_texts(check: impl Fn(&Path, &str) -> Vec<Finding>) -> Vec<Finding> {
    texts().iter().flat_map(|(path, text)| check(path, text)).collect()
}

#[track_caller]
fn assert_none(findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}

#[test]
fn every_room_keeps_to_its_floor() {
    let metadata = repository::metadata(&repository::root()).expect("cargo metadata");
    let graph = repository::graph(&metadata);
    // A graph that was read wrongly would have nothing to say: the shell does reach Tauri.
    assert!(graph.packages["fanfare"].knows.contains("tauri"));
    assert_none(&violations(&graph));
}

#[test]
fn unsafe_code_stands_in_the_listed_files_alone() {
    assert_none(&in_texts(|path, text| files::unlisted_unsafe(path, text).into_iter().collect()));
    let texts = texts();
    assert_none(&files::unused_entries(texts.iter().map(|(path, text)| (path.as_path(), text.as_str()))));
}

#[test]
fn no_source_file_is_too_long() {
    assert_none(&in_texts(|path, text| files::too_long(path, text).into_iter().collect()));
}

#[test]
fn every_module_says_what_it_is_for() {
    assert_none(&in_texts(|path, text| files::headless(path, text).into_iter().collect()));
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    assert_none(&in_texts(files::foreign_words));
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let manifests = in_texts(|path, text| {
        let is_manifest = path.file_name().is_some_and(|name| name == "Cargo.toml");
        let finding = is_manifest.then(|| files::without_lints(path, text).expect("a manifest is TOML"));
        finding.flatten().into_iter().collect()
    });
    assert_none(&manifests);
}

#[test]
fn every_promise_names_a_proof_that_exists() {
    let root = repository::root();
    let metadata = repository::metadata(&root).expect("cargo metadata");
    let catalogue = Catalogue::read(&root, &metadata).expect("the sources can be read");
    let rooms = rooms(&root).expect("the promises can be read");
    assert!(rooms.iter().any(|room| !room.promises.is_empty()), "no promises were found");
    assert_none(&unproven(&rooms, &catalogue));
}
