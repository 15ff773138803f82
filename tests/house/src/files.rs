//! What a source file may look like: its length, its head, unsafe code, and words that belong to one machine.

use std::path::Path;

use crate::Finding;

/// The most lines of a source file. A file has one subject, and one subject fits.
pub const MOST_LINES: usize = 500;

/// The only files that may allow unsafe code, each with its reason at its head: the thin calls into the real driver, how the
/// probe leaves while a call hangs, and the simulated driver's C interface and shared memory. An entry that ends in `/` is a
/// folder.
pub const MAY_BE_UNSAFE: &[&str] = &[
    "src-tauri/crates/probe/src/leave.rs",
    "src-tauri/crates/probe/src/raw.rs",
    "src-tauri/crates/sim/nvml/",
    "src-tauri/crates/sim/state/src/map.rs",
];

/// Files whose paths and hosts are data or lists of others, not ours.
const NOT_OURS: &[&str] = &["Cargo.lock"];

/// A source file that is too long. Others have no limit.
#[must_use]
pub fn too_long(path: &Path, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    (is_source(path) && lines > MOST_LINES).then(|| {
        Finding::new(path.display().to_string(), format!("has {lines} lines; the most is {MOST_LINES}"))
    })
}

/// A Rust module in a `src` folder that does not start by saying what it is for. A module of tests is for what it tests.
#[must_use]
pub fn headless(path: &Path, text: &str) -> Option<Finding> {
    let in_src = path.components().any(|part| part.as_os_str() == "src");
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    let is_tests = path.file_name().is_some_and(|name| name == "tests.rs");
    (in_src && is_rust && !is_tests && !text.starts_with("//! "))
        .then(|| Finding::new(path.display().to_string(), "does not start with a `//!` head"))
}

/// A Rust file outside the list that allows unsafe code.
#[must_use]
pub fn unlisted_unsafe(path: &Path, text: &str) -> Option<Finding> {
    let listed = MAY_BE_UNSAFE.iter().any(|entry| is_of(path, entry));
    (!listed && allows_unsafe(path, text)).then(|| {
        Finding::new(
            path.display().to_string(),
            "allows unsafe code and is not in the list of files that may",
        )
    })
}

/// Entries of the list that none of these files needs. A right that is needed no more is taken back.
#[must_use]
pub fn unused_entries<'text>(files: impl Iterator<Item = (&'text Path, &'text str)>) -> Vec<Finding> {
    let unsafe_files: Vec<&Path> =
        files.filter(|(path, text)| allows_unsafe(path, text)).map(|(path, _)| path).collect();
    let unused = MAY_BE_UNSAFE.iter().filter(|entry| !unsafe_files.iter().any(|path| is_of(path, entry)));
    unused.map(|entry| Finding::new(*entry, "may allow unsafe code and does not")).collect()
}

/// Whether a file is the one, or in the folder, that an entry of the list names.
fn is_of(path: &Path, entry: &str) -> bool {
    let name = path.to_string_lossy();
    if entry.ends_with('/') { name.starts_with(entry) } else { name == entry }
}

fn allows_unsafe(path: &Path, text: &str) -> bool {
    // In two parts, so that this file does not find itself.
    let allows = [concat!("allow(", "unsafe_code"), concat!("expect(", "unsafe_code")];
    path.extension().is_some_and(|extension| extension == "rs")
        && allows.iter().any(|allow| text.contains(allow))
}

/// Words in a file that belong to the machine it was written on: absolute paths, and package mirrors.
#[must_use]
pub fn foreign_words(path: &Path, text: &str) -> Vec<Finding> {
    if NOT_OURS.iter().any(|name| path == Path::new(name)) {
        return Vec::new();
    }
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(index, line)| {
            let place = format!("{}:{}", path.display(), index + 1);
            foreign_word(path, line).map(|says| Finding::new(place, says))
        })
        .collect()
}

fn foreign_word(path: &Path, line: &str) -> Option<String> {
    for folder in [concat!("/wo", "rk/"), concat!("/tm", "p/"), concat!("/ro", "ot/"), concat!("/ho", "me/")]
    {
        let is_path = |at: usize| starts_a_path(&line[..at]) && goes_on(&line[at + folder.len()..]);
        if line.match_indices(folder).any(|(at, _)| is_path(at)) {
            return Some(format!("names the absolute path {folder}…"));
        }
    }
    let is_npm_lock = path.file_name().is_some_and(|name| name == "package-lock.json");
    let (_, address) = line.split_once("\"resolved\": \"").filter(|_| is_npm_lock)?;
    (!address.starts_with("https://registry.npmjs.org/"))
        .then(|| "is not from the public npm registry".to_owned())
}

/// Whether what stands before a slash leaves it the start of an absolute path.
fn starts_a_path(before: &str) -> bool {
    !before.ends_with(|last: char| last.is_alphanumeric() || "._-~}*)".contains(last))
}

/// Whether what stands after the folder names something in it: the folder alone is no place of a machine.
fn goes_on(after: &str) -> bool {
    after.starts_with(|first: char| first.is_alphanumeric() || "._-".contains(first))
}

/// A member's manifest that does not take the workspace's lints.
///
/// # Errors
///
/// If the manifest is not TOML.
pub fn without_lints(path: &Path, text: &str) -> Result<Option<Finding>, toml::de::Error> {
    let manifest: toml::Table = toml::from_str(text)?;
    let takes = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
    Ok((takes != Some(true)).then(|| {
        Finding::new(
            path.display().to_string(),
            "does not take the lints of the workspace (`[lints] workspace = true`)",
        )
    }))
}

fn is_source(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| ["rs", "ts", "svelte", "js", "css", "sh", "py"].contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_hundred_lines_are_the_most_for_a_source_file() {
        let lines = |count| "x\n".repeat(count);
        assert_eq!(too_long(Path::new("src/a.rs"), &lines(500)), None);
        let found = too_long(Path::new("src/a.rs"), &lines(501));
        assert_eq!(found, Some(Finding::new("src/a.rs", "has 501 lines; the most is 500")));
        assert!(too_long(Path::new("ui/src/A.svelte"), &lines(501)).is_some());
        assert_eq!(too_long(Path::new("docs/long.md"), &lines(5000)), None);
    }

    #[test]
    fn a_module_says_what_it_is_for() {
        assert_eq!(headless(Path::new("x/src/lib.rs"), "//! A room.\n"), None);
        assert!(headless(Path::new("x/src/lib.rs"), "use std::fmt;\n").is_some());
        assert!(headless(Path::new("x/src/lib.rs"), "").is_some());
        assert_eq!(headless(Path::new("x/src/card/tests.rs"), "use super::*;\n"), None);
        assert_eq!(headless(Path::new("ui/src/main.ts"), "import x;"), None);
    }

    #[test]
    fn unsafe_code_is_for_the_listed_files_alone() {
        let allows = concat!("#![allow(", "unsafe_code, reason = \"the C interface\")]");
        assert!(unlisted_unsafe(Path::new("src-tauri/crates/rig/src/lib.rs"), allows).is_some());
        assert_eq!(unlisted_unsafe(Path::new("src-tauri/crates/sim/state/src/map.rs"), allows), None);
        assert_eq!(unlisted_unsafe(Path::new("src-tauri/crates/sim/nvml/src/fans.rs"), allows), None);
        assert!(unlisted_unsafe(Path::new("src-tauri/crates/sim/state/src/mapping.rs"), allows).is_some());
        assert_eq!(unlisted_unsafe(Path::new("src-tauri/crates/rig/src/lib.rs"), "//! No more."), None);
    }

    #[test]
    fn an_entry_of_the_list_that_no_file_needs_is_found() {
        let allows = concat!("#![allow(", "unsafe_code, reason = \"the C interface\")]");
        let paths = [
            "src-tauri/crates/probe/src/leave.rs",
            "src-tauri/crates/sim/nvml/tests/faults.rs",
            "src-tauri/crates/sim/state/src/map.rs",
            "src-tauri/crates/rig/src/lib.rs",
        ];
        let mut files: Vec<(&Path, &str)> = paths.iter().map(|path| (Path::new(path), allows)).collect();
        files.push((Path::new("src-tauri/crates/probe/src/raw.rs"), "//! Safe by now."));
        let found = unused_entries(files.into_iter());
        let raw = Finding::new("src-tauri/crates/probe/src/raw.rs", "may allow unsafe code and does not");
        assert_eq!(found, [raw]);
    }

    #[test]
    fn paths_of_one_machine_and_mirrors_are_found() {
        let words = |path: &str, line: &str| foreign_words(Path::new(path), line).len();
        for line in [concat!("cd /wo", "rk/main"), concat!("\"/tm", "p/x\""), concat!("path=/ho", "me/me")] {
            assert_eq!(words("README.md", line), 1, "{line}");
        }
        for line in ["src/work/a.rs", "$HOME/tmp/x", "~/tmp/x", "{dir}/work/x", "a work/life", "\"/home/\""] {
            assert_eq!(words("README.md", line), 0, "{line}");
        }
        let mirror = "  \"resolved\": \"https://mirror.example/a.tgz\",";
        assert_eq!(words("ui/package-lock.json", mirror), 1);
        assert_eq!(words("ui/package-lock.json", &mirror.replace("mirror.example", "registry.npmjs.org")), 0);
    }

    #[test]
    fn a_member_takes_the_workspaces_lints() {
        let check = |text| without_lints(Path::new("Cargo.toml"), text).unwrap().is_some();
        assert!(!check("[lints]\nworkspace = true\n"));
        assert!(check("[package]\nname = \"x\"\n"));
        assert!(check("[lints.clippy]\nall = \"allow\"\n"));
    }
}
