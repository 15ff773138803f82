//! How the window is drawn: decided before anything else, because WebKitGTK reads its environment once.
//!
//! The program is executed again, once, with the planned environment: changing a process's own environment is unsafe from the
//! moment a thread runs, and libraries start threads. A variable guards against a second time.

mod marker;
mod plan;

use std::{env, fs, io, os::unix::process::CommandExt, path::Path, process::Command, time::Duration};

use tokio::{sync::watch, time::timeout};

use marker::{Marker, Standing, Versions};
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

/// Where the kernel lists the graphics cards that a program may ask to draw.
const RENDER_NODES: &str = "/dev/dri";

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
    /// Whether the web view is to draw in one layer, on the CPU.
    pub(crate) in_one_layer: bool,
}

/// How the window fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// It is shown.
    Shown,
    /// The page's process has died.
    Died,
    /// It was closed as it should be.
    Closed,
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
            let marker = (guard == ACCELERATED).then_some(marker);
            return Self { marker, versions, in_one_layer: false };
        }
        let evidence = Evidence {
            nvidia: Path::new(NVIDIA_DRIVER).exists(),
            renderer: has_render_node(Path::new(RENDER_NODES)),
            webkit: WebKit::parse(&versions.webkit),
            safe: safe(asked, marker.tells_of_a_death(&versions)),
        };
        let plan = plan(|name| env::var_os(name), &evidence);
        explain(plan, &marker);
        if !plan.variables().is_empty() {
            let error = execute_again(plan);
            eprintln!("fanfare: cannot start again with another environment, and draws as it is: {error}");
        }
        let marker = plan.is_accelerated().then_some(marker);
        Self { marker, versions, in_one_layer: plan == Plan::NoRenderer }
    }

    /// The toolkit is about to draw. Not before: a start that ends for want of a display, or because a window is open already, has
    /// proved nothing. A start that cannot be watched is no reason not to start.
    pub(crate) fn begin(&self) -> Option<Standing> {
        self.marker.as_ref()?.stand(&self.versions).ok()
    }
}

/// Believes the rendering once the window has lived for [`PROOF`] or was closed; not if the page's process died before.
pub(crate) async fn prove(standing: Option<Standing>, mut life: watch::Receiver<Life>) {
    let Some(standing) = standing else { return };
    let fate = timeout(PROOF, life.wait_for(|life| *life != Life::Shown)).await;
    if !matches!(fate, Ok(Ok(life)) if *life == Life::Died) {
        standing.clear();
    }
}

/// Whether `folder` names a render node, as the kernel's drivers do: `renderD128` and on.
fn has_render_node(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.as_encoded_bytes().starts_with(b"renderD"))
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
        Plan::Untouched | Plan::NoRenderer => {}
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

    // That it has lived is seen in the real window (tests/desktop).
    #[tokio::test]
    async fn a_start_is_believed_once_it_was_closed_and_not_if_its_page_died() {
        let folder = tempfile::tempdir().unwrap();
        let versions = Versions { webkit: "2.50.6".into(), driver: String::new() };
        let marker = Marker::of(folder.path());
        let (kept, in_one_layer) = (Some(marker.clone()), false);
        let rendering = Rendering { marker: kept, versions: versions.clone(), in_one_layer };
        for (fate, believed) in [(Life::Closed, true), (Life::Died, false)] {
            let (_life, seen) = watch::channel(fate);
            prove(rendering.begin(), seen).await;
            assert_eq!(marker.tells_of_a_death(&versions), !believed, "{fate:?}");
        }
    }

    #[test]
    fn a_display_chip_without_a_render_node_draws_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_render_node(&folder.path().join("none")));
        fs::write(folder.path().join("card0"), "").unwrap();
        assert!(!has_render_node(folder.path()));
        fs::write(folder.path().join("renderD128"), "").unwrap();
        assert!(has_render_node(folder.path()));
    }

    #[test]
    fn the_strongest_wish_for_the_safe_path_is_the_one_that_counts() {
        let asked = |flag, setting| Asked { flag, setting };
        assert_eq!(safe(asked(true, true), true), Some(Safe::Flag));
        assert_eq!(safe(asked(false, true), true), Some(Safe::Setting));
        assert_eq!(safe(asked(false, false), true), Some(Safe::LastStart));
        assert_eq!(safe(asked(false, false), false), None);
    }
}
