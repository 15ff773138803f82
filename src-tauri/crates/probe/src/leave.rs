//! How the process ends: at once, without asking its threads.
//!
//! A thread inside a hung driver call cannot be stopped or joined, and the driver library's own exit handlers may wait for the
//! lock which that call holds. So once the line is out the process leaves by `_exit`, which runs no handlers.

#![allow(unsafe_code)]

use std::{
    io::{self, Read},
    process::ExitCode,
};

/// The driver cannot be read; the last line said why.
pub(crate) const TROUBLE: i32 = 3;
/// The reader of the lines is gone.
pub(crate) const READER_GONE: i32 = 0;
/// A fault of the probe itself (`EX_SOFTWARE` of `sysexits.h`).
const SOFTWARE: i32 = 70;

/// Ends the process now.
pub(crate) fn now(code: i32) -> ! {
    // SAFETY: `_exit` takes any number, touches no memory of ours and does not return.
    unsafe { libc::_exit(code) }
}

/// Waits for the end of the standard input, and ends the process.
pub(crate) fn at_end_of_input() -> ! {
    let mut rest = [0_u8; 64];
    let mut input = io::stdin();
    // What is sent is ignored: the input means only that somebody is there.
    while let Ok(1..) = input.read(&mut rest) {}
    now(READER_GONE)
}

/// Makes a panic in any thread end the process: a probe with a dead thread would call its card stuck for ever.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("fanfare-probe: {panic}");
        now(SOFTWARE);
    }));
}

/// Ends the process because the system gave it no more of `what`: the rig would otherwise look smaller than it is.
pub(crate) fn for_want_of(what: &str, error: &io::Error) -> ! {
    eprintln!("fanfare-probe: the system gave no {what}: {error}");
    now(SOFTWARE);
}

/// Complains on standard error; to be returned from `main`.
pub(crate) fn with_complaint(text: &str) -> ExitCode {
    eprintln!("fanfare-probe: {text}");
    ExitCode::from(70)
}
