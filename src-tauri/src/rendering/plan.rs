//! Which of WebKitGTK's rendering paths the window takes, as a pure function.
//!
//! WebKitGTK picks its path at its start from the environment, once. On NVIDIA's driver its own choice is wrong on most of the
//! versions in use: a blank window where frames are handed over by DMA-BUF, a crash where that is switched off and compositing
//! begins, and on X11 one file descriptor lost with each redraw until the page's process has none left and dies (within a minute
//! of a live page). What helps differs by session and version; the rows of the test's table are the rule. Sources: WebKit bugs
//! 261874, 262607 and 280210; tauri issues 9394 and 10702; block/buzz 3654 and 4505; unslothai/unsloth 8884, 9393 and 10795.

use std::ffi::OsString;

/// The variables that the plan sets. An owner who has set one of them has decided.
pub(crate) const OWNED: [&str; 5] =
    [DMABUF_OFF, SHARED_MEMORY, DMABUF_ON_NVIDIA, COMPOSITING_OFF, EXPLICIT_SYNC_OFF];

/// Software rendering up to 2.42; from 2.44 on it leaves no way to hand a frame over, and crashes with NVIDIA's driver.
const DMABUF_OFF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
/// Frames go through shared memory; known from 2.44 on.
const SHARED_MEMORY: &str = "WEBKIT_DMABUF_RENDERER_FORCE_SHM";
/// Takes back the patch by which Debian and Ubuntu leave NVIDIA without any path.
const DMABUF_ON_NVIDIA: &str = "WEBKIT_FORCE_DMABUF_RENDERER";
/// The page is drawn on the CPU, in one layer.
const COMPOSITING_OFF: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";
/// NVIDIA's driver on Wayland ends the connection with "Error 71" without it.
const EXPLICIT_SYNC_OFF: &str = "__NV_DISABLE_EXPLICIT_SYNC";

/// From this version on frames may go through shared memory by [`SHARED_MEMORY`].
const KNOWS_SHARED_MEMORY: WebKit = WebKit { major: 2, minor: 44 };

/// A version of WebKitGTK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WebKit {
    /// 2, for the time being.
    pub(crate) major: u32,
    /// Even for a stable version.
    pub(crate) minor: u32,
}

impl WebKit {
    /// Of a version as WebKitGTK writes it, such as `2.50.6`; `None` if it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        Some(Self { major: parts.next()??, minor: parts.next()?? })
    }
}

/// Who wants the safe path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Safe {
    /// The command line.
    Flag,
    /// The settings.
    Setting,
    /// The last accelerated start, which did not live.
    LastStart,
}

/// What the plan rests on, besides the environment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    /// Whether NVIDIA's kernel driver is loaded.
    pub(crate) nvidia: bool,
    /// Whether any graphics card can be asked to draw: a server's own display chip cannot.
    pub(crate) renderer: bool,
    /// The version of the web view; `None` if it does not say, which is taken for a new one.
    pub(crate) webkit: Option<WebKit>,
    /// Who wants the safe path, if anyone; the first of [`Safe`] if several do.
    pub(crate) safe: Option<Safe>,
}

/// The path that was chosen, which says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// An owned variable is set; nothing is changed.
    Owners {
        /// Whether what is set is known to crash with NVIDIA's driver.
        crashes: bool,
    },
    /// WebKitGTK's own choice.
    Untouched,
    /// No graphics card draws. WebKitGTK composites all the same, and the CPU paints every layer anew for each changed number: 170 ms
    /// a second for eight tiles and 110 MiB, measured; in one layer 30 ms. The web view is told so by its own setting: that takes no
    /// second start, which costs 90 ms.
    NoRenderer,
    /// NVIDIA on X11: shared memory, drawn on the CPU.
    NvidiaX11,
    /// NVIDIA on Wayland: shared memory, composited.
    NvidiaWayland,
    /// NVIDIA, on a WebKitGTK that knows no shared memory.
    NvidiaOldWebKit,
    /// Drawn on the CPU.
    Safe(Safe),
    /// Drawn on the CPU, on a WebKitGTK that knows no shared memory.
    SafeOldWebKit(Safe),
}

impl Plan {
    /// The variables to start with.
    pub(crate) const fn variables(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Owners { .. } | Self::Untouched | Self::NoRenderer => &[],
            Self::NvidiaX11 | Self::Safe(_) => {
                &[(SHARED_MEMORY, "1"), (DMABUF_ON_NVIDIA, "1"), (COMPOSITING_OFF, "1")]
            }
            Self::NvidiaWayland => &[(DMABUF_ON_NVIDIA, "1"), (SHARED_MEMORY, "1"), (EXPLICIT_SYNC_OFF, "1")],
            Self::NvidiaOldWebKit => &[(DMABUF_OFF, "1")],
            Self::SafeOldWebKit(_) => &[(DMABUF_OFF, "1"), (COMPOSITING_OFF, "1")],
        }
    }

    /// Whether the window is drawn by the graphics card, by our choice or WebKitGTK's: a start that may die of it.
    pub(crate) const fn is_accelerated(self) -> bool {
        matches!(self, Self::Untouched | Self::NvidiaWayland)
    }
}

/// The plan for this start. `variable` reads one environment variable.
///
/// The command line outranks the environment, which outranks everything else: it was typed for this very start.
pub(crate) fn plan(variable: impl Fn(&str) -> Option<OsString>, evidence: &Evidence) -> Plan {
    let owned = OWNED.iter().any(|name| variable(name).is_some());
    if owned && evidence.safe != Some(Safe::Flag) {
        let off = variable(DMABUF_OFF).is_some_and(|value| value != "0");
        return Plan::Owners { crashes: evidence.nvidia && off && knows_shared_memory(evidence) };
    }
    match (evidence.safe, evidence.nvidia, knows_shared_memory(evidence)) {
        (Some(safe), _, true) => Plan::Safe(safe),
        (Some(safe), _, false) => Plan::SafeOldWebKit(safe),
        (None, false, _) if evidence.renderer => Plan::Untouched,
        (None, false, _) => Plan::NoRenderer,
        (None, true, false) => Plan::NvidiaOldWebKit,
        (None, true, true) if is_wayland(variable) => Plan::NvidiaWayland,
        (None, true, true) => Plan::NvidiaX11,
    }
}

fn knows_shared_memory(evidence: &Evidence) -> bool {
    evidence.webkit.is_none_or(|version| version >= KNOWS_SHARED_MEMORY)
}

/// Whether the toolkit will draw on Wayland: where there is one, unless X11 is preferred.
fn is_wayland(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let backends = variable("GDK_BACKEND").unwrap_or_default();
    let prefers_x11 = backends.to_string_lossy().split(',').next() == Some("x11");
    let named = ["WAYLAND_DISPLAY", "WAYLAND_SOCKET"];
    !prefers_x11 && named.iter().any(|name| variable(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Option<WebKit> = Some(WebKit { major: 2, minor: 42 });
    const NEW: Option<WebKit> = Some(WebKit { major: 2, minor: 50 });
    const X11: &[(&str, &str)] = &[("DISPLAY", ":0")];
    const WAYLAND: &[(&str, &str)] = &[("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0")];
    const WAYLAND_BY_X11: &[(&str, &str)] =
        &[("WAYLAND_DISPLAY", "wayland-0"), ("GDK_BACKEND", "x11,wayland")];
    const OWN_OFF: &[(&str, &str)] = &[("DISPLAY", ":0"), ("WEBKIT_DISABLE_DMABUF_RENDERER", "1")];
    const OWN_NOT_OFF: &[(&str, &str)] = &[("WEBKIT_DISABLE_DMABUF_RENDERER", "0")];
    const OWN_SYNC: &[(&str, &str)] = &[("WAYLAND_DISPLAY", "wayland-0"), ("__NV_DISABLE_EXPLICIT_SYNC", "")];

    fn of(environment: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        |name| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    }

    #[test]
    fn session_driver_version_and_wish_decide_the_path() {
        use Safe::{Flag, LastStart, Setting};
        let table = [
            // No NVIDIA driver: WebKitGTK chooses.
            (X11, false, NEW, None, Plan::Untouched),
            (WAYLAND, false, NEW, None, Plan::Untouched),
            (X11, false, OLD, None, Plan::Untouched),
            // NVIDIA by session.
            (X11, true, NEW, None, Plan::NvidiaX11),
            (WAYLAND, true, NEW, None, Plan::NvidiaWayland),
            (WAYLAND_BY_X11, true, NEW, None, Plan::NvidiaX11),
            (&[], true, NEW, None, Plan::NvidiaX11),
            // A version that is not told is a new one.
            (X11, true, None, None, Plan::NvidiaX11),
            // Before 2.44.
            (X11, true, OLD, None, Plan::NvidiaOldWebKit),
            (WAYLAND, true, OLD, None, Plan::NvidiaOldWebKit),
            // Whoever has set a variable has decided, be it to 0 or to nothing.
            (OWN_OFF, false, NEW, None, Plan::Owners { crashes: false }),
            (OWN_OFF, true, NEW, None, Plan::Owners { crashes: true }),
            (OWN_OFF, true, OLD, None, Plan::Owners { crashes: false }),
            (OWN_NOT_OFF, true, NEW, None, Plan::Owners { crashes: false }),
            (OWN_SYNC, true, NEW, None, Plan::Owners { crashes: false }),
            (OWN_SYNC, true, NEW, Some(Setting), Plan::Owners { crashes: false }),
            (OWN_SYNC, true, NEW, Some(LastStart), Plan::Owners { crashes: false }),
            // Save by a flag on this very command line.
            (OWN_SYNC, true, NEW, Some(Flag), Plan::Safe(Flag)),
            // The safe path, with any driver.
            (X11, false, NEW, Some(Flag), Plan::Safe(Flag)),
            (WAYLAND, true, NEW, Some(Setting), Plan::Safe(Setting)),
            (WAYLAND, true, NEW, Some(LastStart), Plan::Safe(LastStart)),
            (X11, true, OLD, Some(LastStart), Plan::SafeOldWebKit(LastStart)),
        ];
        for (environment, nvidia, webkit, safe, expected) in table {
            let evidence = Evidence { nvidia, renderer: true, webkit, safe };
            assert_eq!(plan(of(environment), &evidence), expected, "{environment:?} {evidence:?}");
        }
    }

    #[test]
    fn without_a_card_that_draws_nothing_is_composited_but_what_is_known_of_nvidia_outranks_that() {
        let table = [
            (X11, false, None, Plan::NoRenderer),
            (WAYLAND, false, None, Plan::NoRenderer),
            (OWN_NOT_OFF, false, None, Plan::Owners { crashes: false }),
            (X11, false, Some(Safe::Flag), Plan::Safe(Safe::Flag)),
            // NVIDIA's kernel module without its part for displays.
            (X11, true, None, Plan::NvidiaX11),
            (WAYLAND, true, None, Plan::NvidiaWayland),
        ];
        for (environment, nvidia, safe, expected) in table {
            let evidence = Evidence { nvidia, renderer: false, webkit: NEW, safe };
            assert_eq!(plan(of(environment), &evidence), expected, "{environment:?} {evidence:?}");
        }
    }

    #[test]
    fn each_path_has_its_variables() {
        let shared_on_the_cpu: &[_] = &[
            ("WEBKIT_DMABUF_RENDERER_FORCE_SHM", "1"),
            ("WEBKIT_FORCE_DMABUF_RENDERER", "1"),
            ("WEBKIT_DISABLE_COMPOSITING_MODE", "1"),
        ];
        let shared_composited: &[_] = &[
            ("WEBKIT_FORCE_DMABUF_RENDERER", "1"),
            ("WEBKIT_DMABUF_RENDERER_FORCE_SHM", "1"),
            ("__NV_DISABLE_EXPLICIT_SYNC", "1"),
        ];
        let old: &[_] = &[("WEBKIT_DISABLE_DMABUF_RENDERER", "1")];
        let old_safe: &[_] =
            &[("WEBKIT_DISABLE_DMABUF_RENDERER", "1"), ("WEBKIT_DISABLE_COMPOSITING_MODE", "1")];
        let table: [(Plan, &[_], bool); 8] = [
            (Plan::Owners { crashes: true }, &[], false),
            (Plan::Untouched, &[], true),
            (Plan::NoRenderer, &[], false),
            (Plan::NvidiaX11, shared_on_the_cpu, false),
            (Plan::NvidiaWayland, shared_composited, true),
            (Plan::NvidiaOldWebKit, old, false),
            (Plan::Safe(Safe::Flag), shared_on_the_cpu, false),
            (Plan::SafeOldWebKit(Safe::Flag), old_safe, false),
        ];
        for (plan, variables, accelerated) in table {
            assert_eq!((plan.variables(), plan.is_accelerated()), (variables, accelerated), "{plan:?}");
            assert!(plan.variables().iter().all(|(name, _)| OWNED.contains(name)), "{plan:?}");
        }
    }

    #[test]
    fn a_version_is_its_first_two_numbers() {
        assert_eq!(WebKit::parse("2.50.6"), NEW);
        assert_eq!(WebKit::parse("2"), None);
        assert_eq!(WebKit::parse("two.fifty"), None);
    }
}
