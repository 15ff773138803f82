//! The one window: made here and not by Tauri from its configuration alone, so that what it may do is bound before its page loads.

pub(crate) mod leftover;
mod navigation;
mod revive;
mod visibility;

use fanfare_engine::profile::Profile;
use tauri::{App, AppHandle, Manager, WebviewWindow, WebviewWindowBuilder};
use tokio::sync::watch;
use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt, WebViewExt};

use crate::rendering::{Life, Rendering};

/// The window's label, by which the capability knows it.
const LABEL: &str = "main";

/// Opens the window, drawn as `rendering` says. `lives` is told if its page dies, `seen` whether it can be seen.
///
/// # Errors
/// Tauri cannot make it.
pub(crate) fn open(
    app: &App,
    profile: Profile,
    rendering: &Rendering,
    lives: watch::Sender<Life>,
    seen: watch::Sender<bool>,
) -> tauri::Result<()> {
    let config = app.config();
    let dev = if tauri::is_dev() { config.build.dev_url.clone() } else { None };
    let described = config.app.windows.iter().find(|window| window.label == LABEL);
    let described = described.ok_or(tauri::Error::WindowNotFound)?;
    let window = WebviewWindowBuilder::from_config(app, described)?
        .title(title(profile))
        .on_navigation(move |url| navigation::is_own(url, dev.as_ref()))
        .build()?;
    visibility::watch(&window, seen)?;
    set_up(&window, rendering.in_one_layer)?;
    revive::watch(&window, move || {
        lives.send_replace(Life::Died);
    })
}

/// The web view's own settings. What the page's console says, a refusal by the content security policy included, goes to standard
/// output: the session's journal keeps it for a report. The page itself says nothing there while all is well.
fn set_up(window: &WebviewWindow, in_one_layer: bool) -> tauri::Result<()> {
    window.with_webview(move |webview| {
        if let Some(settings) = webview.inner().settings() {
            settings.set_enable_write_console_messages_to_stdout(true);
            if in_one_layer {
                settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
            }
        }
    })
}

/// Brings the window before the user: someone has started the program again.
pub(crate) fn raise(app: &AppHandle) {
    let raised = app.get_webview_window(LABEL).map(|window| {
        window.unminimize()?;
        window.show()?;
        window.set_focus()
    });
    if let Some(Err(error)) = raised {
        eprintln!("fanfare: the window cannot be raised: {error}");
    }
}

/// In both languages, as the page's language is the page's own affair; the demo says so in lists of windows too.
const fn title(profile: Profile) -> &'static str {
    match profile {
        Profile::Real => "Fanfare",
        Profile::Demo => "Fanfare (demo · 演示)",
    }
}
