//! The commands that the page may call: one file for each view.
//!
//! A command needs three things, and a test fails if one is missing: its function here, its line in [`registered`], and its
//! name in `src-tauri/permissions/app.toml` (what is not named there is denied).

pub(crate) mod about;
pub(crate) mod card;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod rig;
pub(crate) mod settings;

use tauri::{Runtime, ipc::Invoke};

/// Makes the invoke handler and the list of its commands' names from one list, so that they cannot differ.
macro_rules! registered {
    ($($view:ident :: $command:ident),+ $(,)?) => {
        /// The names of all registered commands, as the page calls them.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$(stringify!($command)),+];

        /// What answers the page's calls.
        pub(crate) fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($view::$command),+]
        }
    };
}

registered![
    about::about,
    rig::rig_subscribe,
    rig::rig_acknowledge,
    rig::page_visible,
    rig::recent,
    rig::mark_own_job,
    rig::forget_card,
    card::card_page,
    history::course,
    history::marks,
    history::energy,
    history::week,
    history::history_usage,
    history::compact_history,
    export::keep_export,
    settings::settings,
    settings::change_settings,
    settings::reset_settings,
    settings::engine_info,
    settings::show_profile,
];
