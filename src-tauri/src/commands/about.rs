//! What the window says about the product itself.

use serde::Serialize;

/// The product's name and version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct About {
    /// As people write it.
    pub(crate) name: &'static str,
    /// The version of this build, `major.minor.patch`.
    pub(crate) version: &'static str,
}

/// The name and version of this build.
#[tauri::command]
#[must_use]
pub(crate) fn about() -> About {
    About { name: "Fanfare", version: env!("CARGO_PKG_VERSION") }
}
