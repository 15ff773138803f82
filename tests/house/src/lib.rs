//! Checks of the repository itself, run by `make lint`: what a reviewer should not have to look for.
//!
//! - [`floors`]: which crate may know which, and who may reach `tauri` and the driver's bindings;
//! - [`files`]: length, module heads, the files that may hold unsafe code, words that do not belong here;
//! - [`promises`]: that each promise of `docs/promises` is proven by a test or bench that exists and ran.
//!
//! Each check is a pure function from text or a graph to [`Finding`]s; [`repository`] does the reading. Reading is bounded by
//! the repository's own size, and nothing is built.

pub mod files;
pub mod floors;
pub mod promises;
pub mod repository;

use std::{fmt, io, path::PathBuf};

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// A path from the repository's root, a package or a promise.
    pub place: String,
    /// What is wrong there.
    pub says: String,
}

impl Finding {
    /// A finding at a place.
    pub fn new(place: impl Into<String>, says: impl Into<String>) -> Self {
        Self { place: place.into(), says: says.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.says)
    }
}

/// Why a check could not be made at all.
#[derive(Debug, thiserror::Error)]
pub enum HouseError {
    /// A file or folder could not be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A source file is not Rust.
    #[error("{path}: {source}")]
    Rust {
        /// The file.
        path: PathBuf,
        /// Where parsing stopped.
        source: syn::Error,
    },
    /// A promise file, or a manifest, is not as it should be.
    #[error("{path}: {source}")]
    Toml {
        /// The file.
        path: PathBuf,
        /// Where parsing stopped.
        source: toml::de::Error,
    },
    /// A result file is not as it should be.
    #[error("{path}: {source}")]
    Json {
        /// The file.
        path: PathBuf,
        /// Where parsing stopped.
        source: serde_json::Error,
    },
    /// `cargo metadata` failed.
    #[error("cargo metadata: {0}")]
    Metadata(#[from] cargo_metadata::Error),
    /// The tree could not be walked.
    #[error("walking the tree: {0}")]
    Walk(#[from] ignore::Error),
}
