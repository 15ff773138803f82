//! The one task that owns the rig's picture: it hears the probe, obeys the supervisor, answers requests and publishes.

use std::{io, process, sync::Arc, time::Duration};

use fanfare_ledger::WallTerms;
use fanfare_rig::{CardUuid, Member, Standing, clock::Clock, wire::SweepLine};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Ask, HubSetup, Rentals,
    picture::Picture,
    session::{self, Word},
    store::{Job, News, Store},
    supervise::{Moment, Order, Sign, Supervisor},
    tell,
};
use crate::{
    account::{self, What},
    api::{ApiError, EngineInfo, ErrorCode, Holder, Reply, Request},
    probe::ProbeCommand,
    recording::{Asked, Recording},
    rig_state::{Disk, RigState},
    settings::Settings,
};

/// Words of the probe that wait to be heard.
const WORDS_MOST: usize = 4;
/// How long the first sweep waits for `state.db`, which opens in milliseconds unless another process holds it; then in 8 s at most.
const OPEN_WITHIN: Duration = Duration::from_secs(1);
/// How long the end waits for the probe to be reaped, whose steps take 1.2 s, and for `state.db` beside it.
const END_WITHIN: Duration = Duration::from_millis(1_500);

/// Owns everything that the hub knows.
#[derive(Debug)]
pub(super) struct Owner {
    clock: Clock,
    command: ProbeCommand,
    supervisor: Supervisor,
    picture: Picture,
    store: Store,
    recording: Recording,
    info: EngineInfo,
    /// What is not known before `state.db` was looked at.
    settings: Option<Settings>,
    rentals: watch::Receiver<Rentals>,
    rig: watch::Sender<Arc<RigState>>,
    /// The end of the running probe, and all that it says.
    probe_end: CancellationToken,
    words: mpsc::Receiver<Word>,
    say: mpsc::Sender<Word>,
    /// Whether a probe is not reaped.
    has_probe: bool,
    published: Instant,
}

impl Owner {
    /// An owner that has published an empty picture and does nothing until it runs.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn new(setup: HubSetup, clock: Clock) -> io::Result<(Self, watch::Receiver<Arc<RigState>>)> {
        let now = Instant::now();
        let interval = setup.command.interval;
        let supervisor = Supervisor::new(setup.limits, interval, now.into_std());
        let (info, store) = (info(&setup), Store::start(&setup.directory)?);
        let recording = Recording::start(&setup.directory, &setup.command, setup.past, clock)?;
        let mut picture = Picture::new(setup.profile, interval);
        let first = picture.state(supervisor.state(), &Rentals::new(), Disk::default());
        let (rig, watched) = watch::channel(Arc::new(first));
        let (say, words) = mpsc::channel(WORDS_MOST);
        let owner = Self {
            clock,
            command: setup.command,
            supervisor,
            picture,
            store,
            recording,
            info,
            settings: None,
            rentals: setup.rentals,
            rig,
            probe_end: CancellationToken::new(),
            words,
            say,
            has_probe: false,
            published: now,
        };
        Ok((owner, watched))
    }

    /// Runs until `ending`.
    pub(super) async fn run(mut self, mut asks: mpsc::Receiver<Ask>, ending: CancellationToken) {
        self.tick();
        // The probe starts meanwhile; its first words wait until it is known which cards are expected, but not for long.
        tokio::select! {
            () = ending.cancelled() => return self.end().await,
            () = sleep(OPEN_WITHIN) => {
                tracing::warn!("state.db does not open: the rig is read without it");
                self.recording.open(None);
            }
            news = self.store.news() => {
                let history = news.settings().map(|settings| settings.history);
                self.recording.open(history);
                self.learn(news);
            }
        }
        loop {
            let wake = self.wake();
            tokio::select! {
                () = ending.cancelled() => break,
                Some(word) = self.words.recv() => self.hear(word),
                Some(ask) = asks.recv() => self.answer(ask),
                news = self.store.news() => self.learn(news),
                () = self.recording.news() => self.publish(),
                () = renewed(&mut self.rentals) => self.publish(),
                () = sleep_until(wake) => {
                    self.tick();
                    self.recording.beat();
                    self.publish();
                }
            }
        }
        self.end().await;
    }

    /// Takes over what the store says, and publishes it before whoever asked for it is answered.
    fn learn(&mut self, news: News) {
        let replied = match news {
            News::Opened(kept) => {
                self.picture.remember(kept.inventory, kept.own);
                self.settings = Some(kept.settings.unwrap_or_default());
                let disk = &mut self.info.disk;
                disk.set_aside =
                    kept.set_aside.map(|aside| format!("{} ({})", aside.path.display(), aside.why));
                disk.settings_reset = kept.settings_reset;
                None
            }
            News::Trouble(trouble) => {
                self.info.disk.unstored = trouble;
                None
            }
            News::Marked { own, answer } => {
                self.picture.own = own;
                Some((answer, Reply::Done))
            }
            News::Forgotten { uuid, answer } => {
                self.picture.inventory.forget(&uuid);
                Some((answer, Reply::Done))
            }
            News::Chosen { before, settings, answer } => {
                if settings.history != before {
                    self.recording.keep(settings.history);
                }
                self.settings = Some((*settings).clone());
                Some((answer, Reply::Settings(*settings)))
            }
        };
        self.publish();
        if let Some((answer, reply)) = replied {
            tell(answer, Ok(reply));
        }
    }

    /// When the supervisor wants to be asked, or when a state without news is published again: whoever looks at its age, or
    /// waits for a word of this process, gets one.
    fn wake(&self) -> Instant {
        let beat = self.published + self.command.interval * 3 / 2;
        self.supervisor.wake().map_or(beat, |wake| beat.min(Instant::from_std(wake)))
    }

    fn tick(&mut self) {
        match self.supervisor.tick(self.now()) {
            None => {}
            Some(Order::Start) => {
                self.picture.another_probe();
                self.recording.another_probe();
                self.probe_end = CancellationToken::new();
                self.has_probe = true;
                let (end, say) = (self.probe_end.clone(), self.say.clone());
                tokio::spawn(session::run(self.command.clone(), end, say));
            }
            Some(Order::End) => self.probe_end.cancel(),
        }
    }

    fn hear(&mut self, word: Word) {
        match word {
            Word::Sweep(line) => return self.sweep(*line),
            Word::Ended(error) => {
                tracing::warn!(%error, "the probe says no more");
                self.supervisor.ended((&error).into());
            }
            Word::Gone => {
                self.has_probe = false;
                self.supervisor.gone(Instant::now().into_std());
            }
        }
        self.publish();
    }

    fn sweep(&mut self, line: SweepLine) {
        let (snapshot, kept) = self.picture.take(line);
        self.supervisor.swept(Sign::of(&snapshot), self.now());
        if let Some(kept) = kept {
            self.store.keep(&self.picture.inventory, kept.changed, kept.at);
        }
        // A standstill ends by a sweep's word, not only by the passing of time.
        self.tick();
        self.publish();
        // What is not to be remembered of cards is not to be recorded either.
        if kept.is_some() {
            self.recording.take(&snapshot, &self.rig.borrow().occupancy);
        }
    }

    fn answer(&mut self, Ask { request, answer }: Ask) {
        let now = self.clock.stamp();
        match request {
            Request::Info => tell(answer, Ok(Reply::Info(self.info.clone()))),
            Request::Recent => tell(answer, Ok(Reply::Recent(self.picture.recent(&now)))),
            Request::CallCosts { uuid } => {
                let calls = self.picture.calls(&uuid).ok_or_else(|| unknown_card(&uuid));
                tell(answer, calls.map(|calls| Reply::CallCosts { calls }));
            }
            Request::Course { question } => match question.uuids.iter().find(|uuid| !self.knows(uuid)) {
                Some(uuid) => tell(answer, Err(unknown_card(uuid))),
                None => self.recording.ask(Asked::Course(question), answer),
            },
            Request::Marks { uuid: Some(uuid), .. } if !self.knows(&uuid) => {
                tell(answer, Err(unknown_card(&uuid)));
            }
            Request::Marks { uuid, from_ms, to_ms } => {
                self.recording.ask(Asked::Marks { uuid, from_ms, to_ms }, answer);
            }
            Request::HistoryUsage => self.recording.ask(Asked::Usage, answer),
            Request::CompactHistory => self.recording.compact(now.wall, answer),
            Request::Energy { from_ms, to_ms } => {
                let asked = self.of_account(What::Energy, from_ms, to_ms);
                self.recording.ask(asked, answer);
            }
            Request::Week { from_ms, to_ms } => {
                let zone = self.settings.clone().unwrap_or_default().money.zone;
                let asked = self.of_account(What::Week { zone }, from_ms, to_ms);
                self.recording.ask(asked, answer);
            }
            Request::Settings => self.store.ask(Job::Settings { answer }),
            Request::ChangeSettings { patch } => self.store.ask(Job::Change { patch, answer }),
            Request::ResetSettings { section } => self.store.ask(Job::Reset { section, answer }),
            Request::MarkOwnJob { uuid, .. } | Request::ForgetCard { uuid } if !self.expects(&uuid) => {
                tell(answer, Err(unknown_card(&uuid)));
            }
            Request::MarkOwnJob { uuid, own } => {
                self.store.ask(Job::Mark { uuid, own, now: now.wall, answer });
            }
            Request::ForgetCard { uuid } => self.store.ask(Job::Forget { uuid, answer }),
        }
    }

    /// A question about the account, with what it needs to know of the rig.
    fn of_account(&self, what: What, from_ms: i64, to_ms: i64) -> Asked {
        let cards = self.rig.borrow().seats.iter().map(|seat| seat.member.uuid.clone()).collect();
        Asked::Account(account::Asked { what, cards, terms: self.terms(), from_ms, to_ms })
    }

    /// What the rig draws besides its cards, as far as that is known.
    fn terms(&self) -> WallTerms {
        let installed = |member: &&Member| member.standing == Standing::Expected;
        let cards = self.picture.inventory.members().filter(installed).count();
        let power = self.settings.as_ref().map(|settings| settings.power.clone()).unwrap_or_default();
        account::terms(&power, cards)
    }

    /// Whether a card was ever met, and may have a past.
    fn knows(&self, uuid: &CardUuid) -> bool {
        self.picture.inventory.member(uuid).is_some()
    }

    fn expects(&self, uuid: &CardUuid) -> bool {
        self.picture.inventory.member(uuid).is_some_and(|member| member.standing == Standing::Expected)
    }

    fn publish(&mut self) {
        self.published = Instant::now();
        self.info.disk.history = self.recording.health();
        self.info.disk.ledger.clone_from(self.recording.ledger_health());
        let terms = self.terms();
        if self.settings.is_some() && terms.cards > 0 {
            self.recording.on_terms(terms);
        }
        let rentals = self.rentals.borrow().clone();
        let state = self.picture.state(self.supervisor.state(), &rentals, self.info.disk.clone());
        self.rig.send_replace(Arc::new(state));
    }

    fn now(&self) -> Moment {
        Moment { steady: Instant::now().into_std(), stamp: self.clock.stamp() }
    }

    /// Ends the probe; one that does not end is left to the system.
    async fn end(mut self) {
        self.probe_end.cancel();
        let reaped = async {
            while self.has_probe {
                match self.words.recv().await {
                    Some(Word::Gone) | None => self.has_probe = false,
                    Some(_) => {}
                }
            }
        };
        let writing = async { tokio::join!(self.store.end(END_WITHIN), self.recording.end(END_WITHIN)) };
        let (reaped, _) = tokio::join!(timeout(END_WITHIN, reaped), writing);
        if reaped.is_err() {
            tracing::warn!("the probe could not be ended: a driver call holds it in the kernel");
        }
    }
}

/// Waits for other rentals; for ever if nobody can bring any.
async fn renewed(rentals: &mut watch::Receiver<Rentals>) {
    if rentals.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Who holds the data directory, as far as it is known before `state.db` is open.
fn info(setup: &HubSetup) -> EngineInfo {
    let holder =
        Holder { pid: process::id(), kind: setup.kind, version: env!("CARGO_PKG_VERSION").to_owned() };
    EngineInfo {
        profile: setup.profile,
        directory: setup.directory.to_string_lossy().into_owned(),
        holder,
        own: true,
        disk: Disk::default(),
    }
}

fn unknown_card(uuid: &CardUuid) -> ApiError {
    ApiError {
        code: ErrorCode::UnknownCard,
        message: format!("no card {uuid} is expected"),
        detail: Some(uuid.to_string()),
    }
}
