//! The window's executable on a machine without a display.

#![allow(clippy::expect_used, reason = "a test fails by panicking, in its helpers too")]

use std::process::{Command, Output};

/// The window with this environment and nothing else.
fn window(environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fanfare"))
        .env_clear()
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
