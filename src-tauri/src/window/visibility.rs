//! Whether the window can be seen, as the window system says: not while it is minimised or hidden.
//!
//! The page says so too, but a page that is stopped or starved says nothing.

use gtk::{gdk::WindowState, glib::Propagation, prelude::WidgetExt};
use tauri::WebviewWindow;
use tokio::sync::watch;

/// Tells `seen` of every change. To be called on the main thread, whose signals it hears.
///
/// # Errors
/// The window is not there.
pub(crate) fn watch(window: &WebviewWindow, seen: watch::Sender<bool>) -> tauri::Result<()> {
    window.gtk_window()?.connect_window_state_event(move |_, event| {
        let hidden = event.new_window_state().intersects(WindowState::ICONIFIED | WindowState::WITHDRAWN);
        // Nobody hears when the program is about to end.
        let _ = seen.send_if_modified(|last| std::mem::replace(last, !hidden) == hidden);
        Propagation::Proceed
    });
    Ok(())
}
