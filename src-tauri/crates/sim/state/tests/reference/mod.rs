//! Recorded data of real cards, which are not part of the repository.

use std::path::PathBuf;

/// The text of a recorded file, or nothing where the recordings are not at hand: then `test` says that it is
/// skipped, and fails where skips are failures.
pub(crate) fn recorded(test: &str, file: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("FANFARE_REFERENCE_DATA") else {
        assert!(std::env::var_os("FANFARE_NO_SKIP").is_none(), "{test} needs FANFARE_REFERENCE_DATA");
        println!("skipped: {test}: FANFARE_REFERENCE_DATA names no folder with recorded data");
        return None;
    };
    Some(std::fs::read_to_string(PathBuf::from(folder).join(file)).unwrap())
}
