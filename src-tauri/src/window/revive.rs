//! Bringing the page back when its process dies.
//!
//! The page runs in a process of WebKit's, which a graphics driver, the kernel's memory killer or a fault of its own can end. The
//! window is then white and says nothing. The toolkit tells it by a signal that Tauri does not pass on, so it is heard here.

use std::{
    cell::RefCell,
    collections::VecDeque,
    time::{Duration, Instant},
};

use gtk::glib;
use tauri::WebviewWindow;
use webkit2gtk::{WebProcessTerminationReason, WebViewExt};

/// The most reloads within [`SPAN`]: a page that dies of what it shows must not be loaded in a loop.
const MOST: usize = 3;
/// The time over which reloads are counted.
const SPAN: Duration = Duration::from_secs(60);

/// The times of the last reloads, [`MOST`] at most.
#[derive(Debug, Default)]
struct Revivals {
    last: VecDeque<Instant>,
}

impl Revivals {
    /// How long to wait with the reload that is due `now`: not at all, or until the oldest of the last ones is a [`SPAN`] old.
    fn wait(&mut self, now: Instant) -> Duration {
        let wait = match self.last.front() {
            Some(oldest) if self.last.len() == MOST => (*oldest + SPAN).saturating_duration_since(now),
            _ => Duration::ZERO,
        };
        if self.last.len() == MOST {
            self.last.pop_front();
        }
        self.last.push_back(now + wait);
        wait
    }
}

/// Reloads the page of `window` each time its process ends, at most [`MOST`] times a minute, and tells `died` of it.
///
/// # Errors
/// The web view is not there.
pub(crate) fn watch(window: &WebviewWindow, died: impl Fn() + Send + 'static) -> tauri::Result<()> {
    window.with_webview(move |webview| {
        let revivals = RefCell::new(Revivals::default());
        webview.inner().connect_web_process_terminated(move |view, reason| {
            died();
            let wait = revivals.borrow_mut().wait(Instant::now());
            eprintln!(
                "fanfare: the page's process ended ({}); it is loaded again in {} s",
                word(reason),
                wait.as_secs()
            );
            let view = view.clone();
            glib::timeout_add_local_once(wait, move || view.reload());
        });
    })
}

const fn word(reason: WebProcessTerminationReason) -> &'static str {
    match reason {
        WebProcessTerminationReason::Crashed => "crashed",
        WebProcessTerminationReason::ExceededMemoryLimit => "too much memory",
        WebProcessTerminationReason::TerminatedByApi => "by request",
        _ => "unknown reason",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_reloads_a_minute_go_at_once_and_the_fourth_waits() {
        let start = Instant::now();
        let mut revivals = Revivals::default();
        // Seconds at which the process dies, and how long its reload then waits.
        let table = [
            (0, 0),
            (1, 0),
            (2, 0),
            // The first was at 0: not before 60.
            (3, 57),
            // That reload was at 60, so the three are 1, 2 and 60: not before 61.
            (60, 1),
            // 2, 60 and 61: at 100 the first is more than a minute ago.
            (100, 0),
            // 60, 61 and 100.
            (101, 19),
            (1_000, 0),
        ];
        for (at, wait) in table {
            let waited = revivals.wait(start + Duration::from_secs(at));
            assert_eq!(waited, Duration::from_secs(wait), "death at {at} s");
        }
    }
}
