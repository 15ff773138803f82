//! The Settings view: the settings themselves, where the data lie and who holds them, and the change between rig and demo.

use fanfare_engine::{
    api::{ApiError, EngineInfo, Request},
    profile::Profile,
    settings::{Section, Settings, SettingsPatch},
};
use tauri::{AppHandle, Runtime, State};

use crate::{ending::Ending, rig::Rig};

/// All settings.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn settings(rig: State<'_, Rig>) -> Result<Settings, ApiError> {
    rig.settings(Request::Settings).await
}

/// Changes the sections that the patch names, and gives all settings as they then are.
///
/// # Errors
/// A value is out of its range, or cannot be kept.
#[tauri::command]
pub(crate) async fn change_settings(rig: State<'_, Rig>, patch: SettingsPatch) -> Result<Settings, ApiError> {
    rig.settings(Request::ChangeSettings { patch }).await
}

/// Gives a section its defaults back, and gives all settings as they then are.
///
/// # Errors
/// It cannot be kept.
#[tauri::command]
pub(crate) async fn reset_settings(rig: State<'_, Rig>, section: Section) -> Result<Settings, ApiError> {
    rig.settings(Request::ResetSettings { section }).await
}

/// Where the data lie and who holds them.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn engine_info(rig: State<'_, Rig>) -> Result<EngineInfo, ApiError> {
    rig.info().await
}

/// Ends this window and opens one on the other rig: whose it is, is fixed when a process starts.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "Tauri hands a command what it asks for by value")]
pub(crate) fn show_profile<R: Runtime>(app: AppHandle<R>, ending: State<'_, Ending>, profile: Profile) {
    ending.then_show(profile);
    app.exit(0);
}
