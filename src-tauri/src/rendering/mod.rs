//! How the window is drawn: decided before anything else, because WebKitGTK reads its environment once.
//!
//! The program is executed again, once, with the planned environment: changing a process's own environment is unsafe from the
//! moment a thread runs, and libraries start threads. A variable guards against a second time.

mod marker;
mod plan;

use std::{
    env, fs, io,
    os::unix::process::CommandExt,
    path::Path,
    process::Command,
    sync::{Arc, OnceLock},
    time::Duration,
};

use marker::{Marker, Versions};
use plan::{Evidence, Plan, Safe, WebKit, plan};

/// Set in the second execution, to whether it is accelerated. Whoever sets it has decided, and starts unwatched.
const GUARD: &str = "FANFARE_RENDERING";
/// The value of [`GUARD`] in an accelerated start.
const ACCELERATED: &str = "accelerated";
/// The value of [`GUARD`] in one that is not.
const STEADY: &str = "steady";

/// How long an accelerated window must have lived to be believed: the known failures come within the first redraws.
const PROOF: Duration = Duration::from_secs(6);

/// What NVIDIA's kernel driver says of itself, where it is loaded.
const NVIDIA_DRIVER: &str = "/proc/driver/nvidia/version";

/// Who wants the safe path, as far as the owner said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// By `--safe-rendering`.
    pub(crate) flag: bool,
    /// By the settings.
    pub(crate) setting: bool,
}

/// The rendering of this process, decided.
#[derive(Debug)]
pub(crate) struct Rendering {
    /// What stands until an accelerated start has proved itself; nothing for one that is not accelerated.
    marker: Option<Marker>,
    versions: Versions,
    /// Set once the page's process has died while the marker stood.
    died: OnceLock<()>,
}

impl Rendering {
    /// Decides, and executes the program again if its environment must be another; then this does not return. `directory` is where
    /// the profile's data lie.
    pub(crate) fn prepare(directory: &Path, asked: Asked) -> Self {
        let marker = Marker::of(directory);
        let versions = Versions {
            webkit: tauri::webview_version().unwrap_or_default(),
            driver: fs::read_to_string(NVIDIA_DRIVER).unwrap_or_default(),
        };
        if let Some(guard) = env::var_os(GUARD) {
            return Self::decided(guard == ACCELERATED, marker, versions);
        }
        let evidence = Evidence {
            nvidia: Path::new(NVIDIA_DRIVER).exists(),
            webkit: WebKit::parse(&versions.webkit),
            safe: safe(asked, marker.tells_of_a_death(&versions)),
        };
        let plan = plan(|name| env::var_os(name), &evidence);
        explain(plan, &marker);
        if !plan.variables().is_empty() {
            let error = execute_again(plan);
            eprintln!("fanfare: cannot start again with another environment, and draws as it is: {error}");
        }
        Self::decided(plan.is_accelerated(), marker, versions)
    }

    fn decided(accelerated: bool, marker: Marker, versions: Versions) -> Self {
        Self { marker: accelerated.then_some(marker), versions, died: OnceLock::new() }
    }

    /// The toolkit is about to draw. Not before: a start that ends for want of a display, or because a window is open already, has
    /// proved nothing.
    pub(crate) fn begin(&self) {
        if let Some(marker) = &self.marker {
            // A start that cannot be watched is no reason not to start.
            let _ = marker.write(&self.versions);
        }
    }

    /// The page's process has died; whatever comes, this start has not proved itself.
    pub(crate) fn died(&self) {
        let _ = self.died.set(());
    }

    /// The window has lived, or was closed as it should be.
    pub(crate) fn lived(&self) {
        if let (Some(marker), None) = (&self.marker, self.died.get()) {
            marker.clear();
        }
    }
}

/// Believes the rendering once it has lived for [`PROOF`].
pub(crate) async fn prove(rendering: Arc<Rendering>) {
    tokio::time::sleep(PROOF).await;
    rendering.lived();
}

/// The strongest wish for the safe path.
const fn safe(asked: Asked, last_start_died: bool) -> Option<Safe> {
    match (asked, last_start_died) {
        (Asked { flag: true, .. }, _) => Some(Safe::Flag),
        (Asked { setting: true, .. }, _) => Some(Safe::Setting),
        (_, true) => Some(Safe::LastStart),
        _ => None,
    }
}

/// Says on standard error what is not as usual, for a report.
fn explain(plan: Plan, marker: &Marker) {
    match plan {
        Plan::Untouched => {}
        Plan::Owners { crashes: true } => eprintln!(
            "fanfare: WEBKIT_DISABLE_DMABUF_RENDERER is set; with this web view and NVIDIA's driver it is known to crash"
        ),
        Plan::Safe(Safe::LastStart) | Plan::SafeOldWebKit(Safe::LastStart) => eprintln!(
            "fanfare: the last start died, and this one draws without the graphics card; remove {} to try again",
            marker.path().display()
        ),
        other => eprintln!("fanfare: rendering: {other:?}"),
    }
}

/// Replaces this process by the same program with the plan's environment. Returns only if that fails.
fn execute_again(plan: Plan) -> io::Error {
    match env::current_exe() {
        Ok(program) => Command::new(program)
            .args(env::args_os().skip(1))
            .envs(plan.variables().iter().copied())
            .env(GUARD, if plan.is_accelerated() { ACCELERATED } else { STEADY })
            .exec(),
        Err(error) => error,
    }
}

/// Takes out of a command's environment what an execution of this program put there, so that it plans anew.
pub(crate) fn forget(command: &mut Command) {
    if env::var_os(GUARD).is_some() {
        for name in plan::OWNED {
            command.env_remove(name);
        }
        command.env_remove(GUARD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_wish_for_the_safe_path_is_the_one_that_counts() {
        let asked = |flag, setting| Asked { flag, setting };
        assert_eq!(safe(asked(true, true), true), Some(Safe::Flag));
        assert_eq!(safe(asked(false, true), true), Some(Safe::Setting));
        assert_eq!(safe(asked(false, false), true), Some(Safe::LastStart));
        assert_eq!(safe(asked(false, false), false), None);
    }
}
