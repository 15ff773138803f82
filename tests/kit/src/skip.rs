//! Skipping aloud: a test that cannot run where it is says why; in CI that is a failure.

use std::{
    env,
    io::{self, Write},
    path::PathBuf,
    thread,
};

/// Says why the running test does not test, as `skipped: <test>: <why>`. With `FANFARE_NO_SKIP` set, as in CI, it fails the test.
///
/// It is written past the runner's capture of output, so that a run's log tells a skipped test from one that passed. Called from
/// the test's own thread: the runner gave that the test's name.
pub fn skip(why: &str) {
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test");
    assert!(!is_set("FANFARE_NO_SKIP"), "{test} may not be skipped: {why}");
    // In one piece, and on a line of its own though the runner may be in the middle of another test's line.
    let line = format!("\nskipped: {test}: {why}\n");
    // If nobody reads, nobody is told.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// The folder of reference data, or `None` after saying that the test is skipped.
pub fn reference_data() -> Option<PathBuf> {
    let folder = env::var_os("FANFARE_REFERENCE_DATA").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        skip("FANFARE_REFERENCE_DATA names no folder");
    }
    folder
}

/// Whether an environment variable is set, and not to nothing.
pub fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Output};

    use super::*;

    /// Runs the test below in a process of its own, whose runner captures what it prints.
    fn run_the_skipping_test(no_skip: Option<&str>) -> Output {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "skip::tests::one_that_skips"]).env_remove("FANFARE_NO_SKIP");
        command.envs(no_skip.map(|value| ("FANFARE_NO_SKIP", value))).output().unwrap()
    }

    #[test]
    #[ignore = "run by the others here"]
    fn one_that_skips() {
        skip("there is no moon");
    }

    #[test]
    fn a_skip_is_seen_though_the_runner_captures_what_a_test_prints() {
        for no_skip in [None, Some("")] {
            let done = run_the_skipping_test(no_skip);
            assert!(done.status.success(), "{done:?}");
            let said = String::from_utf8(done.stderr).unwrap();
            assert_eq!(said, "\nskipped: skip::tests::one_that_skips: there is no moon\n");
        }
    }

    #[test]
    fn where_nothing_may_be_skipped_a_skip_fails() {
        let done = run_the_skipping_test(Some("1"));
        let said = String::from_utf8(done.stdout).unwrap();
        assert_eq!(done.status.code(), Some(101), "{said}");
        assert!(said.contains("skip::tests::one_that_skips may not be skipped: there is no moon"), "{said}");
    }
}
