//! The commands that the page may call: one file for each view.
//!
//! A command needs three things, and a test fails if one is missing: its function here, its line in [`registered`], and its
//! name in `src-tauri/permissions/app.toml` (what is not named there is denied).

pub mod about;

use tauri::{Runtime, ipc::Invoke};

/// Makes the invoke handler and the list of its commands' names from one list, so that they cannot differ.
macro_rules! registered {
    ($($view:ident :: $command:ident),+ $(,)?) => {
        /// The names of all registered commands, as the page calls them.
        pub const NAMES: &[&str] = &[$(stringify!($command)),+];

        /// What answers the page's calls.
        pub fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($view::$command),+]
        }
    };
}

registered![about::about];
