//! Recorded data of real cards, which are not part of the repository.

/// The text of a recorded file, or nothing where the recordings are not at hand: then the test says that it is skipped, and
/// fails where skips are failures.
pub(crate) fn recorded(file: &str) -> Option<String> {
    fanfare_testkit::reference_data().map(|folder| std::fs::read_to_string(folder.join(file)).unwrap())
}
