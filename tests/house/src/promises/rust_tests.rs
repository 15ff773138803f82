//! The tests of a crate, found in its sources: functions with an attribute whose last word is `test`, in all modules of the
//! crate, and those inside a `proptest!`. Tests made by other macros are not seen, so no promise can name one.

use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, File, Item};

use crate::{HouseError, repository};

/// The paths of all tests of the crate with this root file, as libtest prints them.
///
/// # Errors
///
/// [`HouseError::Rust`] for a file that does not parse, [`HouseError::Read`] for a module without its file.
pub(super) fn of_crate(root: &Path) -> Result<Vec<String>, HouseError> {
    let mut tests = Vec::new();
    let module = Module { file: root.to_path_buf(), folder: folder_of(root, true), path: String::new() };
    module.collect(&parse(root)?.items, &mut tests)?;
    Ok(tests)
}

/// A source file, parsed.
pub(super) fn parse(path: &Path) -> Result<File, HouseError> {
    let text = repository::read(path)?;
    syn::parse_file(&text).map_err(|source| HouseError::Rust { path: path.to_path_buf(), source })
}

/// A module: the file it stands in, the folder of its child modules' files, and its path with a trailing `::`.
struct Module {
    file: PathBuf,
    folder: PathBuf,
    path: String,
}

impl Module {
    fn collect(&self, items: &[Item], tests: &mut Vec<String>) -> Result<(), HouseError> {
        for item in items {
            match item {
                Item::Fn(function) if is_test(&function.attrs) => {
                    tests.push(format!("{}{}", self.path, function.sig.ident));
                }
                Item::Macro(call) if last_word(&call.mac.path) == "proptest" => {
                    let names = names_of_functions(call.mac.tokens.clone());
                    tests.extend(names.into_iter().map(|name| format!("{}{name}", self.path)));
                }
                Item::Mod(module) => self.collect_child(module, tests)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn collect_child(&self, module: &syn::ItemMod, tests: &mut Vec<String>) -> Result<(), HouseError> {
        let name = module.ident.to_string();
        let path = format!("{}{name}::", self.path);
        if let Some((_, items)) = &module.content {
            let child = Self { file: self.file.clone(), folder: self.folder.join(&name), path };
            return child.collect(items, tests);
        }
        let file = self.file_of(module, &name);
        // A file that a build script writes is not in the sources, and holds no tests.
        if !file.exists() {
            return Ok(());
        }
        let items = parse(&file)?.items;
        Self { folder: folder_of(&file, false), file, path }.collect(&items, tests)
    }

    fn file_of(&self, module: &syn::ItemMod, name: &str) -> PathBuf {
        if let Some(given) = path_attribute(&module.attrs) {
            return self.file.with_file_name(given);
        }
        let flat = self.folder.join(format!("{name}.rs"));
        if flat.exists() { flat } else { self.folder.join(name).join("mod.rs") }
    }
}

/// Where the child modules of a file are: beside a crate's root and a `mod.rs`, else in the folder of the file's own name.
fn folder_of(file: &Path, is_root: bool) -> PathBuf {
    let beside = is_root || file.file_name().is_some_and(|name| name == "mod.rs");
    if beside { file.parent().map(Path::to_path_buf).unwrap_or_default() } else { file.with_extension("") }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| last_word(attribute.path()) == "test")
}

fn last_word(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("path"))?;
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(literal) = &pair.value else { return None };
    let syn::Lit::Str(text) = &literal.lit else { return None };
    Some(text.value())
}

/// The words after each `fn` at the top of a token stream.
fn names_of_functions(tokens: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    let mut after_fn = false;
    for token in tokens {
        let word = if let TokenTree::Ident(ident) = &token { ident.to_string() } else { String::new() };
        if after_fn && !word.is_empty() {
            names.push(word.clone());
        }
        after_fn = word == "fn";
    }
    names
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn tests_are_found_in_every_module_of_a_crate() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "lib.rs",
            "mod flat; mod deep; #[path = \"elsewhere.rs\"] mod named; mod generated;
             #[test] fn top() {}  fn helper() {}
             #[cfg(test)] mod tests { #[tokio::test(flavor = \"current_thread\")] async fn asynchronous() {} }",
        );
        write("flat.rs", "mod child; #[test] #[ignore] fn in_flat() {}");
        write("flat/child.rs", "#[test] fn in_child() {}");
        write(
            "deep/mod.rs",
            "mod more; proptest! { #![proptest_config(c())] #[test] fn holds(a in 0..9) { fn_call() } }",
        );
        write("deep/more.rs", "#[test] fn in_more() {}");
        write("elsewhere.rs", "#[test] fn in_named() {}");
        let mut found = of_crate(&folder.path().join("lib.rs")).unwrap();
        found.sort();
        assert_eq!(
            found,
            [
                "deep::holds",
                "deep::more::in_more",
                "flat::child::in_child",
                "flat::in_flat",
                "named::in_named",
                "tests::asynchronous",
                "top",
            ]
        );
    }

    #[test]
    fn a_source_that_does_not_parse_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.rs");
        fs::write(&path, "fn {").unwrap();
        let error = of_crate(&path).unwrap_err().to_string();
        assert!(error.contains("lib.rs: "), "{error}");
    }
}
