//! The executable `fanfare`: the window.
//!
//! Exit codes: 0 the window was closed; 1 the shell failed; 69 (`EX_UNAVAILABLE` of sysexits.h) there is no display.

use std::process::ExitCode;

fn main() -> ExitCode {
    match fanfare_app::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fanfare: {error}");
            error.exit_code()
        }
    }
}
