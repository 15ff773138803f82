//! The Tauri shell: it opens the window, registers the commands, and knows nothing of GPUs or money itself.
//!
//! Only this package reaches `tauri`; what the product does lives in the crates below it. The window is refused before Tauri
//! starts on a machine without a display, because the toolkit below Tauri panics there.

use std::{env, process::ExitCode};

pub mod commands;
pub mod display;

pub use display::NoDisplay;

/// Why the window ended other than by being closed.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// Nothing can be shown on this machine, or in this session.
    #[error(transparent)]
    NoDisplay(#[from] NoDisplay),
    /// Tauri could not start, or stopped.
    #[error("the window failed: {0}")]
    Tauri(#[from] tauri::Error),
}

impl ShellError {
    /// The exit code of the process: 69 without a display, else 1.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            // EX_UNAVAILABLE of sysexits.h: a service the program needs is not there.
            Self::NoDisplay(_) => ExitCode::from(69),
            Self::Tauri(_) => ExitCode::FAILURE,
        }
    }
}

/// Opens the window and returns when it is closed.
///
/// # Errors
///
/// [`ShellError::NoDisplay`] where no window can be shown, [`ShellError::Tauri`] if Tauri fails to start.
pub fn run() -> Result<(), ShellError> {
    display::named(|name| env::var_os(name))?;
    display::open()?;
    tauri::Builder::default().invoke_handler(commands::handler()).run(context())?;
    Ok(())
}

/// The window's configuration, page and access lists, as compiled in from `tauri.conf.json` and `src-tauri`.
fn context<R: tauri::Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

#[cfg(test)]
mod access_tests;
