//! Making a file that is then executed.
//!
//! A test's process must never have such a file open for writing: another of its threads may start a program just then, and until
//! that has become what it is to be, it holds the file open as well, so that executing it fails with "text file busy". So another
//! process writes it.

use std::{fs, path::Path, process::Command};

/// Puts a copy of `program` at `at`, which everyone may execute.
pub fn install(program: &Path, at: &Path) {
    let installed = Command::new("install").args(["-m", "755", "--"]).args([program, at]).status();
    assert!(installed.expect("install runs").success(), "{} was not made", at.display());
}

/// Puts a shell script at `at`, which everyone may execute.
pub fn script(body: &str, at: &Path) {
    let text = at.with_extension("text");
    fs::write(&text, format!("#!/bin/sh\n{body}\n")).expect("the folder is ours");
    install(&text, at);
    fs::remove_file(text).expect("it was just written");
}
