//! Recording what is read: `history.db` on a thread of its own, and what the rig's owner task has to do with it.
//!
//! A commit waits for the disk, an hour's sealing takes a tenth of a second, and a lock of another process is waited for up to three
//! seconds; no sweep and no stop waits for any of that. The thread ([`clerk`]) owns the recorder; [`Recording`] is the owner's end of
//! it; what a sweep is, is decided by pure functions ([`observe`]), and so is what an answer is ([`answer`]).
//!
//! - Sweeps are handed over five seconds' worth at a time: to wake the thread for each costs as much as to record it. With the 50 s
//!   that the recorder holds them, a kill or a power cut costs a minute at most.
//! - While the thread takes none (the file cannot be opened, or is being written anew) they wait here: half an hour of one a second
//!   at most, some 10 MB of eight cards. Then the oldest is given up for each new one, counted, and that is said.
//! - While the disk takes nothing, the recorder holds an hour of them.
//! - A question that comes while the thread takes no sweeps is answered from the file by a reader of its own, because that may last
//!   longer than an answer may: it lacks what waits here. Before the file is written anew, all that the recorder held is written.
//! - Sessions of the driver are numbered on from those in the file: each probe is one.
//!
//! Worst cases: a stop waits for a commit, 3 s where another process holds the file, and is told to wait less by its caller.

mod answer;
mod clerk;
mod observe;
mod prelude;

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    path::{Path, PathBuf},
    sync::mpsc::{SyncSender, TrySendError},
    time::Duration,
};

use fanfare_history::{HistoryError, Reader, Sweep};
use fanfare_ledger::WallTerms;
use fanfare_rig::{CardUuid, Snapshot, clock::Clock};
use jiff::Timestamp;
use tokio::{
    sync::mpsc as news,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::{CancellationToken, DropGuard};

pub(crate) use answer::Asked;
#[cfg(test)]
pub(crate) use answer::POINTS_MOST;
pub(crate) use answer::Witness;
use answer::{Progress, not_readable};
use clerk::{Job, News};
use observe::Observer;

use crate::{
    account::Accountant,
    api::{ApiError, ErrorCode, Reply},
    demo::PastCommand,
    hub::{Answer, tell},
    occupancy::Occupancy,
    probe::ProbeCommand,
    rig_state::{FileHealth, Unstored},
    settings::HistorySettings,
};

/// Jobs that wait for the thread.
const JOBS_MOST: usize = 16;
/// Sweeps are handed over when the oldest has waited so long.
const HAND_OVER_AFTER: Duration = Duration::from_secs(5);
/// Sweeps that wait here at most.
const WAITING_MOST: usize = 1_800;
/// How long the end waits before it looks again whether the thread takes what is left.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The owner's end of the thread that records. Dropping it ends the thread after the jobs that wait.
#[derive(Debug)]
pub(crate) struct Recording {
    directory: PathBuf,
    observer: Observer,
    /// Probes that were started by this process.
    sessions: u32,
    /// Sweeps that the thread has not been given yet, and since when the oldest of them waits.
    waiting: VecDeque<Sweep>,
    waits_since: Option<Instant>,
    /// Sweeps that were given up because the thread took none for too long.
    lost: u64,
    /// Whether the thread has said that it takes sweeps.
    takes: bool,
    compaction: Compaction,
    told: FileHealth,
    ledger: FileHealth,
    /// What was sent to the thread last.
    terms: Option<WallTerms>,
    jobs: SyncSender<Job>,
    /// Its sender goes with the thread.
    news: news::Receiver<News>,
    /// Ends a writing anew when it goes.
    stop: DropGuard,
}

/// Where a writing anew of the file stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compaction {
    /// There is none.
    None,
    /// There is none, and the last came to nothing.
    Failed,
    /// It was asked for then; what is held is being written first.
    Wanted(Timestamp),
    /// It is under way.
    Running(Timestamp),
}

impl Compaction {
    const fn progress(self) -> Progress {
        match self {
            Self::None => Progress { since: None, failed: false },
            Self::Failed => Progress { since: None, failed: true },
            Self::Wanted(since) | Self::Running(since) => Progress { since: Some(since), failed: false },
        }
    }
}

impl Recording {
    /// Starts the thread over `directory`, for the sweeps of a probe that is started by `command`. It waits until it is told to
    /// [`open`](Self::open) the file.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(
        directory: &Path,
        command: &ProbeCommand,
        past: Option<PastCommand>,
        clock: Clock,
    ) -> io::Result<Self> {
        let (say, news) = news::channel(JOBS_MOST);
        let stop = CancellationToken::new();
        let jobs = clerk::start(directory.to_path_buf(), past, clock, say, stop.clone())?;
        Ok(Self {
            directory: directory.to_path_buf(),
            observer: Observer::new(command.interval, command.interval * command.slow_every),
            sessions: 0,
            waiting: VecDeque::new(),
            waits_since: None,
            lost: 0,
            takes: false,
            compaction: Compaction::None,
            told: FileHealth::default(),
            ledger: FileHealth::default(),
            terms: None,
            jobs,
            news,
            stop: stop.drop_guard(),
        })
    }

    /// Opens the file, to be kept for as long as the settings say. Where those are not known everything is kept that may be: what was
    /// dropped for want of a setting would be gone.
    pub(crate) fn open(&self, settings: Option<HistorySettings>) {
        self.send(Job::Open(settings.unwrap_or(HistorySettings::LONGEST)));
    }

    /// What the rig draws besides its cards, for the account of energy. If the thread has too much to do it is to be said again.
    pub(crate) fn on_terms(&mut self, terms: WallTerms) {
        if self.terms != Some(terms) && self.jobs.try_send(Job::Terms(terms)).is_ok() {
            self.terms = Some(terms);
        }
    }

    /// The owner has changed how long what is kept.
    pub(crate) fn keep(&self, settings: HistorySettings) {
        self.send(Job::Keep(settings));
    }

    /// Another probe begins: the driver may have been loaded anew.
    pub(crate) fn another_probe(&mut self) {
        self.sessions = self.sessions.saturating_add(1);
    }

    /// Takes a snapshot in. Costs 6 µs of eight cards; whether sweeps had to be given up is seen in [`health`](Self::health).
    pub(crate) fn take(&mut self, snapshot: &Snapshot, occupancy: &BTreeMap<CardUuid, Occupancy>) {
        let sweep = self.observer.sweep(snapshot, occupancy, self.sessions);
        self.waiting.push_back(sweep);
        if self.waiting.len() > WAITING_MOST {
            self.waiting.pop_front();
            self.lost += 1;
        }
        self.waits_since.get_or_insert_with(Instant::now);
        self.beat();
    }

    /// Hands over what has waited for long enough; to be called now and then while the driver is silent.
    pub(crate) fn beat(&mut self) {
        if self.waits_since.is_some_and(|since| since.elapsed() >= HAND_OVER_AFTER) {
            self.hand_over();
        }
    }

    /// Has a question answered, by whoever can.
    pub(crate) fn ask(&mut self, asked: Asked, answer: Answer) {
        if let Err(error) = asked.check() {
            return tell(answer, Err(error));
        }
        let compacting = self.compaction.progress();
        if !self.takes {
            let directory = self.directory.clone();
            // Dropped with the runtime; whoever asked waits no longer than that.
            tokio::task::spawn_blocking(move || tell(answer, by_the_file(&directory, &asked, compacting)));
            return;
        }
        // What was read a moment ago belongs to the answer.
        self.hand_over();
        self.send(Job::Answer { asked, compacting, answer });
    }

    /// Begins to write the file anew, unless that is being done.
    pub(crate) fn compact(&mut self, now: Timestamp, answer: Answer) {
        let begun = match self.compaction {
            Compaction::Wanted(_) | Compaction::Running(_) => Ok(Reply::Done),
            Compaction::None | Compaction::Failed if !self.takes => Err(not_writable(&self.told)),
            Compaction::None | Compaction::Failed => {
                self.hand_over();
                self.jobs.try_send(Job::Flush).map(|()| Reply::Done).map_err(|_| busy())
            }
        };
        if begun.is_ok() && matches!(self.compaction, Compaction::None | Compaction::Failed) {
            self.compaction = Compaction::Wanted(now);
        }
        tell(answer, begun);
    }

    /// The next thing the thread has to say, taken in; waits for ever once it is gone. It may be dropped without losing any.
    pub(crate) async fn news(&mut self) {
        match self.news.recv().await {
            None => std::future::pending().await,
            Some(News::Fares { history, ledger }) => (self.told, self.ledger) = (history, ledger),
            Some(News::Opened) => self.takes = true,
            Some(News::Closed) => self.takes = false,
            Some(News::Flushed) => self.go_on_compacting(),
            Some(News::Compacted { failed }) => {
                self.compaction = if failed { Compaction::Failed } else { Compaction::None };
                self.takes = true;
            }
        }
        self.hand_over();
    }

    /// What was held is on the disk: from now on the file alone can answer.
    fn go_on_compacting(&mut self) {
        let Compaction::Wanted(since) = self.compaction else { return };
        if self.jobs.try_send(Job::Compact).is_ok() {
            (self.compaction, self.takes) = (Compaction::Running(since), false);
        } else {
            tracing::warn!("history.db has too much to do to be written anew");
            self.compaction = Compaction::Failed;
        }
    }

    /// How `ledger.db` fares.
    pub(crate) const fn ledger_health(&self) -> &FileHealth {
        &self.ledger
    }

    /// How the file fares, and what was lost.
    pub(crate) fn health(&self) -> FileHealth {
        let is_behind = !self.takes && self.waiting.len() == WAITING_MOST;
        let unstored = match &self.told.unstored {
            Some(Unstored::Refused(why)) if is_behind => {
                Some(Unstored::Refused(format!("{why}; {} sweeps are lost", self.lost)))
            }
            None if is_behind => {
                Some(Unstored::Refused(format!("the history takes no sweeps; {} are lost", self.lost)))
            }
            told => told.clone(),
        };
        FileHealth { unstored, set_aside: self.told.set_aside.clone() }
    }

    /// Lets the thread write what waits, and waits `limit` for that at most.
    pub(crate) async fn end(self, limit: Duration) {
        let Self { mut waiting, jobs, mut news, stop, .. } = self;
        drop(stop);
        let ended = async {
            while let Some(Job::Sweeps(refused)) = sent(&jobs, std::mem::take(&mut waiting)) {
                waiting = refused;
                sleep(LOOK_AGAIN).await;
            }
            drop(jobs);
            while news.recv().await.is_some() {}
        };
        if timeout(limit, ended).await.is_err() {
            tracing::warn!("history.db does not take what waits to be written; it is left behind");
        }
    }

    /// Hands over what waits, if the thread takes it.
    fn hand_over(&mut self) {
        if !self.takes || self.waiting.is_empty() {
            return;
        }
        match sent(&self.jobs, std::mem::take(&mut self.waiting)) {
            Some(Job::Sweeps(refused)) => self.waiting = refused,
            _ => self.waits_since = None,
        }
    }

    fn send(&self, job: Job) {
        if let Err(TrySendError::Full(Job::Answer { answer, .. })) = self.jobs.try_send(job) {
            tell(answer, Err(busy()));
        }
    }
}

/// Sends sweeps; gives them back if the thread has too much to do.
fn sent(jobs: &SyncSender<Job>, sweeps: VecDeque<Sweep>) -> Option<Job> {
    match jobs.try_send(Job::Sweeps(sweeps)) {
        Err(TrySendError::Full(job)) => Some(job),
        Ok(()) | Err(TrySendError::Disconnected(_)) => None,
    }
}

/// The answer of the file alone.
fn by_the_file(directory: &Path, asked: &Asked, compacting: Progress) -> Result<Reply, ApiError> {
    let mut accountant = Accountant::new(directory.to_path_buf());
    match Reader::open(directory) {
        Ok(Some(reader)) => asked.answered_by(Witness::Reader(&reader), &mut accountant, compacting),
        // One of version 0 is just being made.
        Ok(None) | Err(HistoryError::Older { theirs: 0, .. }) => {
            asked.answered_by(Witness::Nobody, &mut accountant, compacting)
        }
        Err(error) => Err(not_readable(&error)),
    }
}

fn busy() -> ApiError {
    let busy = "history.db takes no more requests now: the disk is slow, or another process holds it";
    ApiError { code: ErrorCode::NoAnswer, message: busy.into(), detail: None }
}

fn not_writable(health: &FileHealth) -> ApiError {
    let why = health.unstored.as_ref().map(|unstored| match unstored {
        Unstored::Newer(why) | Unstored::Refused(why) => why.clone(),
    });
    ApiError { code: ErrorCode::NotStored, message: "history.db is not open for writing".into(), detail: why }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;
    use crate::fixtures::{answering, eight, snapshot};

    fn recording(directory: &Path) -> Recording {
        let command = ProbeCommand::of("probe".into());
        Recording::start(directory, &command, None, Clock::of_this_boot().unwrap()).unwrap()
    }

    fn take(recording: &mut Recording, second: u64) {
        let at = second * 1_000;
        recording.take(&snapshot(at, eight(at, |bus| (bus > 1).then(|| answering(at)))), &BTreeMap::new());
    }

    fn refused(recording: &Recording) -> Option<String> {
        match recording.health().unstored {
            Some(Unstored::Refused(why)) => Some(why),
            _ => None,
        }
    }

    #[tokio::test]
    async fn what_waits_has_a_bound_and_what_is_given_up_is_said_until_the_rest_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let mut recording = recording(folder.path());
        for second in 1..1_800 {
            take(&mut recording, second);
        }
        assert_eq!((recording.waiting.len(), refused(&recording)), (1_799, None));
        for second in 1_800..=1_803 {
            take(&mut recording, second);
        }
        assert_eq!(recording.waiting.len(), 1_800);
        assert_eq!(refused(&recording).unwrap(), "the history takes no sweeps; 3 are lost");
        recording.open(None);
        recording.news().await;
        assert_eq!((recording.waiting.len(), refused(&recording)), (0, None));
        recording.end(Duration::from_secs(60)).await;
        let verified = Reader::open(folder.path()).unwrap().unwrap().verify().unwrap();
        assert_eq!((verified.sweeps, verified.findings), (1_800, vec![]));
    }

    #[tokio::test]
    async fn a_question_before_the_file_is_open_is_answered_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut recording = recording(folder.path());
        let (answer, answered) = oneshot::channel();
        recording.ask(Asked::Usage, answer);
        let reply = timeout(Duration::from_secs(60), answered).await.unwrap().unwrap();
        assert!(matches!(reply, Ok(Reply::HistoryUsage(usage)) if usage.file_bytes == 0), "{reply:?}");
        // As a file is before its tables are made.
        std::fs::write(folder.path().join(fanfare_history::FILE), "").unwrap();
        let reply = by_the_file(folder.path(), &Asked::Usage, Progress::default());
        assert!(matches!(reply, Ok(Reply::HistoryUsage(usage)) if usage.file_bytes == 0), "{reply:?}");
        recording.end(Duration::from_secs(60)).await;
    }

    #[tokio::test]
    async fn an_end_in_the_middle_of_a_writing_anew_leaves_everything_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut recording = recording(folder.path());
        recording.open(None);
        recording.news().await;
        for second in 1..=50 {
            take(&mut recording, second);
        }
        let (answer, answered) = oneshot::channel();
        recording.compact(Timestamp::UNIX_EPOCH, answer);
        assert_eq!(answered.await.unwrap(), Ok(Reply::Done));
        while recording.compaction == Compaction::Wanted(Timestamp::UNIX_EPOCH) {
            recording.news().await;
        }
        // They wait while the file is written anew, and are written at the end.
        for second in 51..=60 {
            take(&mut recording, second);
        }
        recording.end(Duration::from_secs(60)).await;
        let verified = Reader::open(folder.path()).unwrap().unwrap().verify().unwrap();
        assert_eq!((verified.sweeps, verified.findings), (60, vec![]));
    }
}
