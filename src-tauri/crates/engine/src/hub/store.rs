//! `state.db` on a thread of its own: a write may wait two seconds for another process's lock, and neither a sweep nor a stop
//! waits for that.
//!
//! Jobs queue up to a bound. What the inventory is to hold is sent anew every five seconds, so a full queue loses nothing of it;
//! a request that finds it full is refused.

use std::{
    collections::BTreeSet,
    io,
    path::Path,
    sync::mpsc::{self, SyncSender, TrySendError},
    thread,
    time::Duration,
};

use fanfare_rig::{CardUuid, Inventory};
use jiff::Timestamp;
use tokio::{
    sync::mpsc as news,
    time::{Instant, timeout},
};

use super::{
    Answer,
    keeper::{Keeper, Kept},
    tell,
};
use crate::{
    api::{ApiError, ErrorCode, Reply},
    rig_state::Unstored,
    settings::{HistorySettings, Section, Settings, SettingsPatch},
};

/// Jobs that wait for the thread.
const JOBS_MOST: usize = 16;

/// An inventory without changes is sent this often, for its dates and for what could not be written before: waking the thread with
/// every sweep would cost as much as the rest of the sweep.
const UNCHANGED_EVERY: Duration = Duration::from_secs(5);

/// Something for the thread to do. What the settings are it answers itself.
#[derive(Debug)]
pub(super) enum Job {
    /// Keeps what is known of the cards.
    Inventory { inventory: Inventory, changed: bool, now: Timestamp },
    /// Keeps whether a card does own work.
    Mark { uuid: CardUuid, own: bool, now: Timestamp, answer: Answer },
    /// Keeps that a card is gone for good.
    Forget { uuid: CardUuid, answer: Answer },
    /// Tells all settings.
    Settings { answer: Answer },
    /// Changes some.
    Change { patch: SettingsPatch, answer: Answer },
    /// Gives a section its defaults.
    Reset { section: Section, answer: Answer },
}

/// What the thread has to say. Whoever hears of a request that was fulfilled takes it over and then answers it.
#[derive(Debug)]
pub(super) enum News {
    /// What lies in `state.db`: at the start, and again if it could not be opened then.
    Opened(Box<Kept>),
    /// Why what must be remembered is not on disk; `None` if it is.
    Trouble(Option<Unstored>),
    /// The cards that do own work, anew.
    Marked { own: BTreeSet<CardUuid>, answer: Answer },
    /// This card is not expected any more.
    Forgotten { uuid: CardUuid, answer: Answer },
    /// The owner has changed settings: how long the history was kept before, and all of them as they now are.
    Chosen { before: HistorySettings, settings: Box<Settings>, answer: Answer },
}

impl News {
    /// The settings that were found at the start.
    pub(super) fn settings(&self) -> Option<&Settings> {
        match self {
            Self::Opened(kept) => kept.settings.as_ref(),
            _ => None,
        }
    }
}

/// The thread's other end. Dropping it ends the thread after the jobs that wait.
#[derive(Debug)]
pub(super) struct Store {
    jobs: SyncSender<Job>,
    /// Its sender goes with the thread.
    news: news::Receiver<News>,
    /// Whether a change was not taken by the thread yet.
    untold: bool,
    /// When the inventory was sent last.
    sent: Option<Instant>,
}

impl Store {
    /// Starts the thread, which opens `state.db` in `directory` and says what lies in it.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(directory: &Path) -> io::Result<Self> {
        let (jobs, queue) = mpsc::sync_channel(JOBS_MOST);
        let (say, news) = news::channel(JOBS_MOST);
        let directory = directory.to_path_buf();
        let run = move || Clerk::open(&directory, say).work(&queue);
        thread::Builder::new().name("state.db".into()).spawn(run)?;
        Ok(Self { jobs, news, untold: false, sent: None })
    }

    /// Has the inventory kept.
    pub(super) fn keep(&mut self, inventory: &Inventory, changed: bool, now: Timestamp) {
        self.untold |= changed;
        if !self.untold && self.sent.is_some_and(|sent| sent.elapsed() < UNCHANGED_EVERY) {
            return;
        }
        let job = Job::Inventory { inventory: inventory.clone(), changed: self.untold, now };
        if self.jobs.try_send(job).is_ok() {
            (self.untold, self.sent) = (false, Some(Instant::now()));
        }
    }

    /// Has a request fulfilled; one too many is answered at once.
    pub(super) fn ask(&self, job: Job) {
        if let Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) = self.jobs.try_send(job) {
            job.refuse();
        }
    }

    /// The next thing it has to say; waits for ever once the thread is gone. It may be dropped without losing any.
    pub(super) async fn news(&mut self) -> News {
        match self.news.recv().await {
            Some(news) => news,
            None => std::future::pending().await,
        }
    }

    /// Lets the thread do what waits, and waits `limit` for that at most.
    pub(super) async fn end(mut self, limit: Duration) {
        drop(self.jobs);
        let ended = async { while self.news.recv().await.is_some() {} };
        if timeout(limit, ended).await.is_err() {
            tracing::warn!("state.db does not take what waits to be written; it is left behind");
        }
    }
}

impl Job {
    fn refuse(self) {
        let answer = match self {
            Self::Inventory { .. } => return,
            Self::Mark { answer, .. }
            | Self::Forget { answer, .. }
            | Self::Settings { answer }
            | Self::Change { answer, .. }
            | Self::Reset { answer, .. } => answer,
        };
        let busy = "state.db takes no more requests now: another process holds it";
        tell(answer, Err(ApiError { code: ErrorCode::NoAnswer, message: busy.into(), detail: None }));
    }
}

/// Whoever works on the thread.
struct Clerk {
    keeper: Keeper,
    say: news::Sender<News>,
    trouble: Option<Unstored>,
}

impl Clerk {
    fn open(directory: &Path, say: news::Sender<News>) -> Self {
        let (keeper, kept) = Keeper::open(directory, Timestamp::now());
        let mut clerk = Self { keeper, say, trouble: None };
        clerk.tell(News::Opened(Box::new(kept)));
        clerk.tell_trouble();
        clerk
    }

    fn work(mut self, queue: &mpsc::Receiver<Job>) {
        while let Ok(job) = queue.recv() {
            self.do_job(job);
            self.tell_trouble();
        }
    }

    fn do_job(&mut self, job: Job) {
        match job {
            Job::Inventory { inventory, changed, now } => {
                if let Some(kept) = self.keeper.keep(&inventory, changed, now) {
                    self.tell(News::Opened(Box::new(kept)));
                }
            }
            Job::Mark { uuid, own, now, answer } => {
                let marked = self.keeper.mark(&uuid, own, now);
                self.taken_over(marked, answer, |own, answer| News::Marked { own, answer });
            }
            Job::Forget { uuid, answer } => {
                let forgotten = self.keeper.forget(&uuid);
                self.taken_over(forgotten, answer, |(), answer| News::Forgotten { uuid, answer });
            }
            Job::Settings { answer } => tell(answer, Ok(Reply::Settings(self.keeper.settings().clone()))),
            Job::Change { patch, answer } => self.chosen(answer, |keeper| keeper.change(&patch)),
            Job::Reset { section, answer } => self.chosen(answer, |keeper| keeper.reset(section)),
        }
    }

    /// Answers what failed, and passes on what did not.
    fn taken_over<T>(&self, done: Result<T, ApiError>, answer: Answer, news: impl FnOnce(T, Answer) -> News) {
        match done {
            Ok(done) => self.tell(news(done, answer)),
            Err(error) => tell(answer, Err(error)),
        }
    }

    fn chosen(&mut self, answer: Answer, choose: impl FnOnce(&mut Keeper) -> Result<Settings, ApiError>) {
        let before = self.keeper.settings().history;
        let settings = choose(&mut self.keeper).map(Box::new);
        self.taken_over(settings, answer, |settings, answer| News::Chosen { before, settings, answer });
    }

    fn tell_trouble(&mut self) {
        let trouble = self.keeper.trouble();
        if trouble != self.trouble {
            self.trouble.clone_from(&trouble);
            self.tell(News::Trouble(trouble));
        }
    }

    /// Nobody listens once the hub has ended; what waits is written all the same.
    fn tell(&self, news: News) {
        let _ = self.say.blocking_send(news);
    }
}
