//! The reading side: the repository's files, and its packages as Cargo sees them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use ignore::WalkBuilder;

use crate::{
    HouseError,
    floors::{Graph, Node},
};

/// The repository that this crate stands in.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// A file's text.
///
/// # Errors
///
/// [`HouseError::Read`], for text that is not UTF-8 too.
pub fn read(path: &Path) -> Result<String, HouseError> {
    fs::read_to_string(path).map_err(|source| HouseError::Read { path: path.to_path_buf(), source })
}

/// All files of the repository that Git does not ignore, as paths from its root, sorted.
///
/// # Errors
///
/// [`HouseError::Walk`].
pub fn files(root: &Path) -> Result<Vec<PathBuf>, HouseError> {
    let mut files = Vec::new();
    // Hidden files count (.ci); only Git's own folder does not.
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in walk {
        let entry = entry?;
        if entry.file_type().is_some_and(|kind| kind.is_file())
            && let Ok(path) = entry.path().strip_prefix(root)
        {
            files.push(path.to_path_buf());
        }
    }
    files.sort();
    Ok(files)
}

/// What `cargo metadata` says, from the lock file as it is.
///
/// # Errors
///
/// [`HouseError::Metadata`].
pub fn metadata(root: &Path) -> Result<Metadata, HouseError> {
    Ok(MetadataCommand::new().current_dir(root).exec()?)
}

/// The packages and who depends on whom, by name: two versions of one library count as one.
#[must_use]
pub fn graph(metadata: &Metadata) -> Graph {
    let names: BTreeMap<_, _> =
        metadata.packages.iter().map(|package| (&package.id, package.name.to_string())).collect();
    let mut graph = Graph::default();
    for resolved in metadata.resolve.iter().flat_map(|resolve| &resolve.nodes) {
        let Some(name) = names.get(&resolved.id) else { continue };
        let node = graph.packages.entry(name.clone()).or_insert_with(Node::default);
        node.member |= metadata.workspace_members.contains(&resolved.id);
        for dependency in &resolved.deps {
            let Some(known) = names.get(&dependency.pkg) else { continue };
            let only_tests = dependency.dep_kinds.iter().all(|kind| kind.kind == DependencyKind::Development);
            let edges = if only_tests { &mut node.tests_know } else { &mut node.knows };
            edges.insert(known.clone());
        }
    }
    graph
}
