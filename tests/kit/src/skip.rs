//! Skipping aloud: a test that cannot run where it is says why; in CI that is a failure.

use std::{env, path::PathBuf};

/// Says why a test does not run here. With `FANFARE_NO_SKIP` set, as in CI, it fails the test instead.
pub fn skip(why: &str) {
    println!("skipped: {why}");
    assert!(env::var_os("FANFARE_NO_SKIP").is_none(), "skipped where nothing may be: {why}");
}

/// The folder of reference data, or `None` after saying that the test is skipped.
pub fn reference_data() -> Option<PathBuf> {
    let folder = env::var_os("FANFARE_REFERENCE_DATA").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        skip("FANFARE_REFERENCE_DATA names no folder");
    }
    folder
}
