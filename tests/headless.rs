//! The window's executable on a machine without a display.

#![allow(clippy::expect_used, reason = "a test fails by panicking, in its helpers too")]

use std::process::{Command, Output};

/// The window with this environment, a home of its own, and nothing else.
fn window(environment: &[(&str, &str)]) -> Output {
    let home = tempfile::tempdir().expect("a home folder");
    Command::new(env!("CARGO_BIN_EXE_fanfare"))
        .env_clear()
        .env("HOME", home.path())
        .envs(environment.iter().copied())
        .output()
        .expect("the executable starts")
}

#[test]
fn without_a_display_it_names_the_command_for_the_terminal_and_exits_with_69() {
    // No display named; and one named on which nothing listens (X11 display numbers end far below).
    for environment in [&[][..], &[("DISPLAY", ":59999")]] {
        let output = window(environment);
        let says = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(69), "{environment:?}: {says}");
        assert_eq!(says.lines().count(), 1, "{environment:?}: {says}");
        assert!(says.trim_end().ends_with("fanfarectl watch"), "{environment:?}: {says}");
        assert!(output.stdout.is_empty(), "{environment:?}");
    }
}

// It executes itself again for that, and must find that it has done so.
#[test]
fn safe_rendering_without_a_display_ends_like_any_other_start() {
    let home = tempfile::tempdir().expect("a home folder");
    let output = Command::new(env!("CARGO_BIN_EXE_fanfare"))
        .arg("--safe-rendering")
        .env_clear()
        .env("HOME", home.path())
        .output()
        .expect("the executable starts");
    let says = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(69), "{says}");
    assert!(says.trim_end().ends_with("fanfarectl watch"), "{says}");
    assert_eq!(says.matches("rendering").count(), 1, "it decides once: {says}");
}

#[test]
fn a_library_named_for_the_demo_is_wrong_usage() {
    let output = Command::new(env!("CARGO_BIN_EXE_fanfare"))
        .args(["--profile", "demo", "--nvml-lib", "/lib/nvml.so"])
        .env_clear()
        .env("HOME", "/nonexistent")
        .output()
        .expect("the executable starts");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
