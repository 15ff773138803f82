//! Long work on a thread of its own, which a signal ends in order; and how far it is, on a terminal.
//!
//! Worst case: 2 s from the signal to the end, where the work hangs in the disk or in whoever reads its output.

use std::{
    io::{self, IsTerminal, Write, stderr},
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use tokio::{sync::oneshot, time::timeout};

use crate::{failure::Failure, leaving::Leaving};

/// How long work that was told to stop is waited for. Whatever it does not get to leaves no harm: it writes to files that are thrown away
/// with it, or in a transaction.
const GRACE: Duration = Duration::from_secs(2);

/// Whether work should stop.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Break once it should.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Does work until it is done, or a signal asks this program to leave.
///
/// # Errors
/// Those of the work, which says [`Failure::Interrupted`] where it was stopped.
pub(super) async fn run<T: Send + 'static>(
    work: impl FnOnce(Stop) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let mut leaving = Leaving::new()?;
    let stop = Stop::default();
    let (tell, mut told) = oneshot::channel();
    let stopped = stop.clone();
    // Nobody waits for this thread where it hangs: the program ends over it.
    thread::Builder::new().name("work".into()).spawn(move || tell.send(work(stopped)))?;
    tokio::select! {
        result = &mut told => return result.unwrap_or_else(|_| Err(fell_silent())),
        () = leaving.asked() => stop.ask(),
    }
    match timeout(GRACE, told).await {
        Ok(result) => result.unwrap_or_else(|_| Err(fell_silent())),
        Err(_) => Err(Failure::Interrupted),
    }
}

fn fell_silent() -> Failure {
    io::Error::other("the work ended without a word").into()
}

/// How far work is, as a line that is written over again on a terminal, and nowhere else.
#[derive(Debug)]
pub(super) struct Meter {
    shown: Option<u64>,
    is_seen: bool,
}

impl Meter {
    /// One on standard error; `beside` says whether something else writes to the terminal meanwhile, which it would be in the way of.
    pub(super) fn new(beside: bool) -> Self {
        Self { shown: None, is_seen: stderr().is_terminal() && !beside }
    }

    /// `done` of `of` is done.
    pub(super) fn show(&mut self, done: u64, of: u64) {
        let percent = done.saturating_mul(100).checked_div(of).unwrap_or(100).min(100);
        if self.is_seen && self.shown != Some(percent) {
            self.shown = Some(percent);
            // A line that cannot be written has no other place to go.
            let _ = write!(stderr(), "\r{percent:3} %");
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(stderr(), "\r     \r");
        }
    }
}
