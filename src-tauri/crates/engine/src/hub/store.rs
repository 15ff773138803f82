//! `state.db` on a thread of its own: a write may wait two seconds for another process's lock, and neither a sweep nor a stop
//! waits for that.
//!
//! Jobs queue up to a bound. What the inventory is to hold is sent anew with each sweep, so a full queue loses nothing.

use std::{
    io,
    path::Path,
    sync::mpsc::{self, SyncSender, TrySendError},
    thread,
    time::Duration,
};

use fanfare_rig::Inventory;
use jiff::Timestamp;
use tokio::{
    sync::{oneshot, watch},
    time::timeout,
};

use crate::keeper::Keeper;

/// Jobs that wait for the thread.
const JOBS_MOST: usize = 16;

/// Something for the thread to do.
#[derive(Debug)]
enum Job {
    Keep { inventory: Inventory, changed: bool, now: Timestamp },
}

/// What lies in `state.db` at the start.
#[derive(Debug, Default)]
pub(super) struct Opened {
    pub(super) inventory: Inventory,
}

/// The thread's other end. Dropping it ends the thread after the job it is at.
#[derive(Debug)]
pub(super) struct Store {
    jobs: SyncSender<Job>,
    /// Its sender goes with the thread.
    trouble: watch::Receiver<Option<String>>,
    /// Whether a change was not taken by the thread yet.
    untold: bool,
}

impl Store {
    /// Starts the thread, which opens `state.db` in `directory` and says what lies in it.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(directory: &Path) -> io::Result<(Self, oneshot::Receiver<Opened>)> {
        let (jobs, queue) = mpsc::sync_channel(JOBS_MOST);
        let (opened, told) = oneshot::channel();
        let (say_trouble, trouble) = watch::channel(None);
        let directory = directory.to_path_buf();
        let run = move || work(&directory, &queue, opened, &say_trouble);
        thread::Builder::new().name("state.db".into()).spawn(run)?;
        Ok((Self { jobs, trouble, untold: false }, told))
    }

    /// Has the inventory kept.
    pub(super) fn keep(&mut self, inventory: &Inventory, changed: bool, now: Timestamp) {
        let changed = changed || self.untold;
        let job = Job::Keep { inventory: inventory.clone(), changed, now };
        self.untold = match self.jobs.try_send(job) {
            Ok(()) => false,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => changed,
        };
    }

    /// Lets the thread do what waits, and waits `limit` for that at most.
    pub(super) async fn end(self, limit: Duration) {
        drop(self.jobs);
        let mut told = self.trouble;
        let ended = async { while told.changed().await.is_ok() {} };
        if timeout(limit, ended).await.is_err() {
            tracing::warn!("state.db does not take what waits to be written; it is left behind");
        }
    }

    /// Why what must be remembered is not on disk, if it is not.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.borrow().clone()
    }

    /// Waits until [`Store::trouble`] changes.
    pub(super) async fn news(&mut self) {
        if self.trouble.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

fn work(
    directory: &Path,
    queue: &mpsc::Receiver<Job>,
    opened: oneshot::Sender<Opened>,
    trouble: &watch::Sender<Option<String>>,
) {
    let (mut keeper, inventory) = Keeper::open(directory);
    trouble.send_replace(keeper.trouble());
    // Nobody waits for it if the hub has ended meanwhile; then the queue ends, too.
    let _ = opened.send(Opened { inventory });
    while let Ok(job) = queue.recv() {
        match job {
            Job::Keep { inventory, changed, now } => keeper.keep(&inventory, changed, now),
        }
        let now = keeper.trouble();
        trouble.send_if_modified(|told| {
            let differs = *told != now;
            *told = now;
            differs
        });
    }
}
