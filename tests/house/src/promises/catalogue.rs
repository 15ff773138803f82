//! What proofs exist, read from the sources: nothing is built for it.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use cargo_metadata::{Metadata, Target};
use syn::visit::Visit;

use super::{Proof, rust_tests, vitest};
use crate::{HouseError, repository};

/// All proofs that exist in the repository.
#[derive(Debug, Default, Clone)]
pub struct Catalogue {
    proofs: BTreeSet<Proof>,
    /// String literals of the bench package: a bench is named by one. Tests alone could not tell a bench from a word.
    bench_words: BTreeSet<String>,
    files: BTreeSet<PathBuf>,
}

impl Catalogue {
    /// Reads the sources of a repository.
    ///
    /// # Errors
    ///
    /// [`HouseError::Rust`] for a source that does not parse, [`HouseError::Read`], [`HouseError::Walk`].
    pub fn read(root: &Path, metadata: &Metadata) -> Result<Self, HouseError> {
        let mut catalogue = Self { files: repository::files(root)?.into_iter().collect(), ..Self::default() };
        for package in metadata.workspace_packages() {
            for target in &package.targets {
                for path in rust_tests::of_crate(target.src_path.as_std_path())? {
                    catalogue.add_test(&package.name, &qualified(target, &path));
                }
            }
        }
        for file in catalogue.files.clone() {
            if file.starts_with("tests/bench") && file.extension().is_some_and(|end| end == "rs") {
                catalogue.bench_words.extend(literals(&root.join(&file))?);
            }
            let name = file.to_string_lossy();
            if let Some(page_file) = name.strip_prefix("ui/").filter(|name| name.ends_with(".test.ts")) {
                let text = repository::read(&root.join(&file))?;
                let tests = vitest::names(&text).into_iter();
                catalogue.proofs.extend(tests.map(|name| Proof::Vitest { file: page_file.to_owned(), name }));
            }
        }
        Ok(catalogue)
    }

    /// Adds a Rust test.
    pub fn add_test(&mut self, package: &str, path: &str) {
        self.proofs.insert(Proof::test(package, path));
    }

    /// Whether the proof exists.
    #[must_use]
    pub fn has(&self, proof: &Proof) -> bool {
        match proof {
            Proof::Test { .. } | Proof::Vitest { .. } => self.proofs.contains(proof),
            Proof::Bench(name) => self.bench_words.contains(name),
            Proof::Script(file) => self.files.contains(Path::new(file)),
        }
    }
}

/// A test's path as a proof writes it: for a target under `tests/`, after the target's name.
pub(super) fn qualified(target: &Target, path: &str) -> String {
    if target.is_test() { format!("{}::{path}", target.name) } else { path.to_owned() }
}

fn literals(path: &Path) -> Result<BTreeSet<String>, HouseError> {
    struct Literals(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Literals {
        fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
            self.0.insert(literal.value());
        }
    }
    let mut literals = Literals(BTreeSet::new());
    literals.visit_file(&rust_tests::parse(path)?);
    Ok(literals.0)
}
