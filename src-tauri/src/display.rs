//! Whether a window can be shown, decided before Tauri starts.
//!
//! GTK, which Tauri's window stands on, is initialised by a call that panics without a display. So the environment is judged
//! first (a pure function, for the usual case of a server over SSH), and then GTK itself is asked, for a display that is named
//! but does not answer.

use std::{ffi::OsString, fmt};

/// No window can be shown. Its text names the command that works without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDisplay {
    /// The environment names no display that the toolkit may use.
    NotNamed,
    /// A display is named, and it does not answer.
    NotReached,
}

impl fmt::Display for NoDisplay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::NotNamed => "there is no display here",
            Self::NotReached => "the display named by DISPLAY or WAYLAND_DISPLAY does not answer",
        };
        write!(formatter, "{what}; the rig's live table is in the terminal: fanfarectl watch")
    }
}

impl std::error::Error for NoDisplay {}

/// Whether the environment names a display that the toolkit may use.
///
/// `variable` reads one environment variable. An empty variable counts as unset, as it does for X11 and Wayland.
/// `GDK_BACKEND` is a list of back ends in order of preference; without it, or with `*` in it, either will do.
///
/// # Errors
///
/// [`NoDisplay::NotNamed`].
pub(crate) fn named(variable: impl Fn(&str) -> Option<OsString>) -> Result<(), NoDisplay> {
    let set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let backends = variable("GDK_BACKEND").unwrap_or_default().to_string_lossy().into_owned();
    let allowed =
        |backend| backends.is_empty() || backends.split(',').any(|wanted| wanted == backend || wanted == "*");
    let wayland = allowed("wayland") && (set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET"));
    let x11 = allowed("x11") && set("DISPLAY");
    if wayland || x11 { Ok(()) } else { Err(NoDisplay::NotNamed) }
}

/// Connects to the display. Tauri's own initialisation afterwards finds it open.
///
/// # Errors
///
/// [`NoDisplay::NotReached`].
pub(crate) fn open() -> Result<(), NoDisplay> {
    gtk::init().map_err(|_| NoDisplay::NotReached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_whether_a_window_can_be_shown() {
        let none = Err(NoDisplay::NotNamed);
        let cases: [(&[(&str, &str)], _); 12] = [
            (&[], none),
            (&[("DISPLAY", ":0")], Ok(())),
            (&[("DISPLAY", "")], none),
            (&[("WAYLAND_DISPLAY", "wayland-0")], Ok(())),
            (&[("WAYLAND_DISPLAY", "")], none),
            (&[("WAYLAND_SOCKET", "5")], Ok(())),
            (&[("GDK_BACKEND", "x11"), ("WAYLAND_DISPLAY", "wayland-0")], none),
            (&[("GDK_BACKEND", "wayland"), ("DISPLAY", ":0")], none),
            (&[("GDK_BACKEND", "wayland,x11"), ("DISPLAY", ":0")], Ok(())),
            (&[("GDK_BACKEND", "wayland,*"), ("DISPLAY", ":0")], Ok(())),
            // GTK 3 has a browser back end, which a web view cannot draw on.
            (&[("GDK_BACKEND", "broadway"), ("DISPLAY", ":0")], none),
            (&[("XDG_SESSION_TYPE", "x11")], none),
        ];
        for (environment, expected) in cases {
            let variable = |name: &str| {
                environment.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            };
            assert_eq!(named(variable), expected, "{environment:?}");
        }
    }

    #[test]
    fn every_refusal_names_the_command_that_works_in_a_terminal() {
        for refusal in [NoDisplay::NotNamed, NoDisplay::NotReached] {
            assert!(refusal.to_string().ends_with("fanfarectl watch"), "{refusal}");
        }
    }
}
