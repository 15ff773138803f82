//! The Tauri shell: it opens the window, registers the commands, and knows nothing of GPUs or money itself.
//!
//! Only this package reaches `tauri`; what the product does lives in the crates below it. The order of a start matters, and each
//! step is where it is for a reason ([`run`]).

mod args;
mod commands;
mod display;
mod ending;
mod exports;
mod rendering;
mod rig;
mod stream;
mod window;

use std::{env, io, process::ExitCode, time::Duration};

use clap::Parser;
use fanfare_engine::{Opening, OpeningError, Places, PlacesError, Wish, profile::Profile};
use fanfare_rig::clock::Clock;
use tauri::{App, Manager, webview::PageLoadEvent};
use tokio::{runtime::Runtime, sync::watch};

pub use display::NoDisplay;

use crate::{
    args::Args,
    ending::Ending,
    exports::Exports,
    rendering::{Asked, Life, Rendering},
    stream::Page,
};

/// Threads of the runtime. What it does waits for the most part: the probe is another process, and the disk has a thread of its own.
const THREADS: usize = 2;
/// How long the end waits for what still runs on those threads.
const LEFTOVERS: Duration = Duration::from_millis(200);
/// Why the window ended other than by being closed.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// The command line contradicts itself, or the data have no place.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Nothing can be shown on this machine, or in this session.
    #[error(transparent)]
    NoDisplay(#[from] NoDisplay),
    /// Tauri could not start, or stopped.
    #[error("the window failed: {0}")]
    Tauri(#[from] tauri::Error),
    /// The system gave no threads, no clock, or no second start.
    #[error("the system failed: {0}")]
    System(#[from] io::Error),
}

impl From<PlacesError> for ShellError {
    fn from(error: PlacesError) -> Self {
        Self::Opening(error.into())
    }
}

impl ShellError {
    /// The exit code of the process: 2 for a wrong command line, 69 without a display, else 1.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            // EX_UNAVAILABLE of sysexits.h: a service the program needs is not there.
            Self::NoDisplay(_) => ExitCode::from(69),
            Self::Opening(OpeningError::LibraryAndDemo) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }
}

/// Opens the window and returns when it is closed.
///
/// In this order: whose rig it is; how it is drawn, which may execute the program again and so must precede every thread; whether
/// there is a display, without which the toolkit panics; whether a window is open already, which Tauri's build finds out and then
/// ends the process; the engine, so that the first sweep comes while the page loads; the window.
///
/// # Errors
/// [`ShellError`] for each of these.
pub fn run() -> Result<(), ShellError> {
    let args = Args::parse();
    let wish = Wish { profile: args.profile, nvml_library: args.nvml_lib };
    let opening = Opening::decide(wish, Places::of_user(args.data_dir)?)?;
    let asked = Asked { flag: args.safe_rendering, setting: opening.settings().appearance.safe_rendering };
    let rendering = Rendering::prepare(&opening.directory, asked);
    display::named(|name| env::var_os(name))?;
    display::open()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    tauri::async_runtime::set(runtime.handle().clone());
    let clock = Clock::of_this_boot()?;
    let app = build()?;
    let next = show(app, opening, &rendering, clock, &runtime)?;
    runtime.shutdown_timeout(LEFTOVERS);
    match next {
        Some(profile) => Err(ending::show(profile).into()),
        None => Ok(()),
    }
}

/// The app, unless another of this session is there: then that one raises its window, and this process ends here.
fn build() -> tauri::Result<App> {
    tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, _, _| window::raise(app)))
        .invoke_handler(commands::handler())
        .on_page_load(|webview, load| {
            if let (PageLoadEvent::Started, Some(page)) = (load.event(), webview.try_state::<Page>()) {
                page.goes();
            }
        })
        .build(context())
}

/// Shows the window until it is closed and ends the engine; tells whose rig is to be shown next, if any.
fn show(
    app: App,
    opening: Opening,
    rendering: &Rendering,
    clock: Clock,
    runtime: &Runtime,
) -> Result<Option<Profile>, ShellError> {
    let profile = opening.profile;
    let (rig, start) = rig::open(opening);
    // The engine starts while the toolkit makes the window.
    let engine = runtime.spawn(start);
    let (page, ear) = stream::page();
    let (seen_by, seen) = watch::channel(true);
    runtime.spawn(stream::feed(rig.clone(), seen, ear, clock));
    runtime.spawn(ending::at_a_signal(app.handle().clone()));
    app.manage(rig);
    app.manage(page);
    app.manage(clock);
    app.manage(Ending::default());
    app.manage(Exports::of_user());
    let (lives, life) = watch::channel(Life::Shown);
    let proof = runtime.spawn(rendering::prove(rendering.begin(), life));
    window::open(&app, profile, rendering, lives.clone(), seen_by)?;
    let handle = app.handle().clone();
    app.run_return(|_, _| {});
    // A page that died stays what it was.
    lives.send_if_modified(|life| {
        *life == Life::Shown && std::mem::replace(life, Life::Closed) == Life::Shown
    });
    // It ends as soon as it hears that, if it has not ended long ago.
    let _ = runtime.block_on(proof);
    runtime.block_on(rig::close(engine));
    window::leftover::end();
    Ok(handle.state::<Ending>().next())
}

/// The window's configuration, page and access lists, as compiled in from `tauri.conf.json` and `src-tauri`.
fn context<R: tauri::Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

#[cfg(test)]
mod access_tests;
