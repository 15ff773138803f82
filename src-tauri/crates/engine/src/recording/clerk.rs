//! Whoever works on the thread: opens the file, records, answers, and says how the file fares.
//!
//! A file that cannot be opened is tried again every five seconds. A damaged one was set aside by then: that is done once, when it is
//! first opened. One that somebody took away while it was open is begun anew, within five seconds; what was in it is gone. The recorder is asked every five seconds at least whether something is due, so that a driver's silence keeps nothing
//! from the disk.

use std::{
    collections::VecDeque,
    io,
    ops::ControlFlow,
    path::PathBuf,
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::{Duration, Instant},
};

use fanfare_dbfile::DbError;
use fanfare_history::{HistoryError, Recorder, Retention, Sweep, Taken};
use fanfare_ledger::WallTerms;
use fanfare_rig::clock::Clock;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use super::{
    JOBS_MOST,
    answer::{Asked, Progress, Witness},
    by_the_file,
    prelude::Prelude,
};
use crate::{
    account::Accountant,
    demo::PastCommand,
    hub::{Answer, tell},
    rig_state::{FileHealth, Unstored},
    settings::HistorySettings,
};

/// How often is looked after what no job asks for: a file that could not be opened, and what the recorder holds.
const ROUND: Duration = Duration::from_secs(5);

/// Something for the thread to do.
#[derive(Debug)]
pub(super) enum Job {
    /// Opens the file, to be kept for so long.
    Open(HistorySettings),
    /// What the rig draws besides its cards, from now on.
    Terms(WallTerms),
    /// Keeps it for another time from now on; what is too old goes at once.
    Keep(HistorySettings),
    /// Records these, in their order; their sessions are counted from 1.
    Sweeps(VecDeque<Sweep>),
    /// Answers.
    Answer { asked: Asked, compacting: Progress, answer: Answer },
    /// Writes what is held.
    Flush,
    /// Writes the file anew.
    Compact,
}

/// What the thread has to say.
#[derive(Debug)]
pub(super) enum News {
    /// How the file fares now, and how `ledger.db` does.
    Fares { history: FileHealth, ledger: FileHealth },
    /// The file is open: it takes sweeps from now on.
    Opened,
    /// It was let go of: it takes no sweeps before it is open again.
    Closed,
    /// What was held is written, or cannot be.
    Flushed,
    /// The file was written anew, or is as it was.
    Compacted { failed: bool },
}

/// Starts the thread. It ends when nobody sends jobs any more; `stop` ends a writing anew.
///
/// # Errors
/// No thread can be started.
pub(super) fn start(
    directory: PathBuf,
    past: Option<PastCommand>,
    clock: Clock,
    say: Sender<News>,
    stop: CancellationToken,
) -> io::Result<SyncSender<Job>> {
    let (jobs, queue) = mpsc::sync_channel(JOBS_MOST);
    let clerk = Clerk {
        accountant: Accountant::new(directory.clone()),
        directory,
        prelude: past.map(|past| Prelude::over(past, clock.stamp().wall, stop.clone())),
        clock,
        say,
        stop,
        retention: None,
        desk: None,
        sessions_before: 0,
        health: FileHealth::default(),
        told: (FileHealth::default(), FileHealth::default()),
        looked: Instant::now(),
    };
    thread::Builder::new().name("history.db".into()).spawn(move || clerk.work(&queue))?;
    Ok(jobs)
}

struct Clerk {
    directory: PathBuf,
    /// Keeps the account of energy, from what is recorded.
    accountant: Accountant,
    /// What is recorded before all else if the file is empty; none once that is done or not wanted.
    prelude: Option<Prelude>,
    clock: Clock,
    say: Sender<News>,
    stop: CancellationToken,
    /// How long what is kept; none before it was told to open the file.
    retention: Option<Retention>,
    /// The open file.
    desk: Option<Desk>,
    /// Of the file that was open before, so that no session of this process has the number of another.
    sessions_before: u32,
    health: FileHealth,
    /// The health that was told last, of the history and of the ledger.
    told: (FileHealth, FileHealth),
    looked: Instant,
}

/// An open file.
struct Desk {
    recorder: Recorder,
    /// The newest session that was in the file: those of this process are counted on from it.
    sessions_before: u32,
    /// Commits when the disk was last known to be well.
    commits: u64,
}

impl Clerk {
    fn work(mut self, queue: &Receiver<Job>) {
        loop {
            match queue.recv_timeout(ROUND.saturating_sub(self.looked.elapsed())) {
                Ok(job) => self.work_off(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.looked.elapsed() >= ROUND {
                self.look_after();
                self.looked = Instant::now();
            }
            self.tell_health();
        }
        self.flush();
    }

    fn work_off(&mut self, job: Job) {
        match job {
            Job::Open(settings) => {
                self.retention = Some(retention(settings));
                self.open();
            }
            Job::Terms(terms) => {
                self.accountant.set_terms(terms);
                self.keep_account();
            }
            Job::Keep(settings) => self.keep(retention(settings)),
            Job::Sweeps(sweeps) => self.record(sweeps),
            Job::Answer { asked, compacting, answer } => {
                let reply = match &self.desk {
                    Some(desk) => {
                        asked.answered_by(Witness::Recorder(&desk.recorder), &mut self.accountant, compacting)
                    }
                    None => by_the_file(&self.directory, &asked, compacting),
                };
                tell(answer, reply);
            }
            Job::Flush => {
                self.flush();
                self.tell(News::Flushed);
            }
            Job::Compact => self.compact(),
        }
    }

    fn open(&mut self) {
        let Some(retention) = self.retention else { return };
        match Recorder::open(&self.directory, retention, self.clock.stamp().wall) {
            Ok(opened) => {
                if let Some(aside) = opened.set_aside {
                    self.health.set_aside = Some(format!("{} ({})", aside.path.display(), aside.why));
                }
                self.health.unstored = None;
                let recorder = opened.recorder;
                self.prelude = self.prelude.take().filter(|_| recorder.stored_until().is_none());
                let sessions_before = recorder.newest_session().max(self.sessions_before);
                self.desk = Some(Desk { recorder, sessions_before, commits: 0 });
                if self.prelude.is_none() {
                    self.tell(News::Opened);
                }
            }
            Err(error) => self.health.unstored = Some(unstored(&error, 0)),
        }
    }

    fn keep(&mut self, retention: Retention) {
        self.retention = Some(retention);
        if let Some(Desk { recorder, .. }) = &mut self.desk
            && let Err(error) = recorder.keep(retention)
        {
            // It goes at the next hour's end.
            tracing::warn!(%error, "what is too old could not be dropped at once");
        }
    }

    fn record(&mut self, sweeps: VecDeque<Sweep>) {
        let Some(desk) = &mut self.desk else {
            tracing::warn!(lost = sweeps.len(), "history.db was never opened");
            return;
        };
        for mut sweep in sweeps {
            sweep.source.session = desk.sessions_before.saturating_add(sweep.source.session);
            let taken = desk.recorder.record(&sweep).map(|taken| taken == Taken::Stored);
            desk.judge(taken, &mut self.health);
        }
    }

    /// Posts the hours that are over, once an hour of the wall; not before all past is recorded that shall be.
    fn keep_account(&mut self) {
        let now = self.clock.stamp();
        self.accountant.open(now.wall);
        if let Some(desk) = self.desk.as_ref().filter(|_| self.prelude.is_none()) {
            self.accountant.post_once_an_hour(Witness::Recorder(&desk.recorder), &now);
        }
    }

    fn look_after(&mut self) {
        self.let_go_of_a_lost_file();
        match &mut self.desk {
            None => self.open(),
            Some(desk) if self.prelude.is_some() => {
                if let Some(prelude) = self.prelude.take() {
                    prelude.play(&mut desk.recorder);
                    desk.sessions_before = desk.recorder.newest_session();
                }
                self.tell(News::Opened);
            }
            Some(desk) => {
                let ticked = desk.recorder.tick(&self.clock.stamp()).map(|()| false);
                desk.judge(ticked, &mut self.health);
            }
        }
        if self.retention.is_some() {
            self.keep_account();
        }
    }

    /// What a file that has no name any more is given would be gone with the program.
    fn let_go_of_a_lost_file(&mut self) {
        let Some(desk) = self.desk.take_if(|desk| desk.recorder.is_lost()) else { return };
        tracing::warn!(
            held = desk.recorder.held(),
            "history.db was taken away or replaced; it is opened anew"
        );
        self.sessions_before = desk.sessions_before;
        // Before the next is made: SQLite takes its log away by name.
        drop(desk);
        self.tell(News::Closed);
    }

    fn flush(&mut self) {
        if let Some(desk) = &mut self.desk {
            let flushed = desk.recorder.flush().map(|()| false);
            if let Err(error) = &flushed {
                tracing::warn!(%error, held = desk.recorder.held(), "what is held could not be written");
            }
            desk.judge(flushed, &mut self.health);
        }
    }

    fn compact(&mut self) {
        let stop = self.stop.clone();
        let goes_on =
            move || if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let failed = match &mut self.desk {
            Some(desk) => desk.recorder.compact(goes_on).is_err_and(|error| {
                tracing::warn!(%error, "history.db could not be written anew; it is as it was");
                true
            }),
            None => true,
        };
        self.tell(News::Compacted { failed });
    }

    fn tell_health(&mut self) {
        let (history, ledger) = (&self.health, self.accountant.health());
        if (history, ledger) != (&self.told.0, &self.told.1) {
            self.told = (history.clone(), ledger.clone());
            let (history, ledger) = self.told.clone();
            self.tell(News::Fares { history, ledger });
        }
    }

    /// Nobody listens once the hub has ended; what waits is written all the same.
    fn tell(&self, news: News) {
        let _ = self.say.blocking_send(news);
    }
}

impl Desk {
    /// Takes in what came of a try to write. The disk is well again once it has taken something.
    fn judge(&mut self, written: Result<bool, HistoryError>, health: &mut FileHealth) {
        let counts = self.recorder.counts();
        match written {
            Err(error) => health.unstored = Some(unstored(&error, counts.lost)),
            Ok(is_stored) if is_stored || counts.commits > self.commits => health.unstored = None,
            Ok(_) => {}
        }
        self.commits = counts.commits;
    }
}

fn unstored(error: &HistoryError, lost: u64) -> Unstored {
    match error {
        HistoryError::File(DbError::Newer { .. }) => Unstored::Newer(error.to_string()),
        _ if lost > 0 => Unstored::Refused(format!("{error}; {lost} sweeps are lost")),
        _ => Unstored::Refused(error.to_string()),
    }
}

const fn retention(settings: HistorySettings) -> Retention {
    Retention { raw_days: settings.raw_days, minute_days: settings.minute_days }
}
