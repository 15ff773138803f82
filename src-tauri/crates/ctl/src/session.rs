//! Opening a rig: whose it is, and the engine over it, which is this process's own or another's.

use std::sync::Arc;

use fanfare_engine::{
    Engine, EngineError, EngineSetup, Obstacle, Opening, Places, ProbeState, RigState, Role, STALE_AFTER,
    Wish,
    api::{Kind, Reply, Request},
    profile::{Profile, Why},
};
use fanfare_rig::{CardUuid, clock::Clock, wire::CallCost};
use tokio::{sync::watch, time::timeout};

pub(crate) use fanfare_engine::Pace;

use crate::{
    args::RigArgs,
    failure::Failure,
    news::{Quiet, RigNews, Shown, news},
    view::RigView,
};

/// Decides whose rig it is.
pub(crate) fn decide(args: &RigArgs) -> Result<Opening, Failure> {
    let wish = Wish { profile: args.profile, nvml_library: args.nvml_lib.clone() };
    Ok(Opening::decide(wish, Places::of_user(args.data_dir.clone())?)?)
}

/// What the engine over a rig is started with, read at `pace` where this process is to read it.
pub(crate) async fn setup(opening: &Opening, kind: Kind, pace: Pace) -> Result<EngineSetup, Failure> {
    Ok(opening.engine(kind, pace).await?)
}

/// An opened rig.
#[derive(Debug)]
pub(crate) struct Session {
    engine: Engine,
    rig: watch::Receiver<Arc<RigState>>,
    clock: Clock,
    shown: Shown,
    pub(crate) profile: Profile,
    pub(crate) why: Why,
}

impl Session {
    /// Decides whose rig it is, and reads it or looks on where another process does.
    pub(crate) async fn open(args: &RigArgs, pace: Pace) -> Result<Self, Failure> {
        let opening = decide(args)?;
        let engine = Engine::start(setup(&opening, Kind::Command, pace).await?).await?;
        let clock = Clock::of_this_boot()?;
        let mut rig = engine.rig();
        rig.mark_changed();
        let shown = Shown { since: clock.stamp(), any: false };
        Ok(Self { engine, rig, clock, shown, profile: opening.profile, why: opening.why })
    }

    /// Whether another process reads the rig.
    pub(crate) fn looks_on(&self) -> bool {
        matches!(self.engine.role(), Role::Client(_))
    }

    /// The next look at the rig, or why there is none. May be dropped at its await.
    ///
    /// # Errors
    /// The rig cannot be read, and has not been by this process.
    pub(crate) async fn next(&mut self) -> Result<RigNews, Failure> {
        loop {
            let patience = self.rig.borrow().interval * STALE_AFTER;
            let changed = timeout(patience, self.rig.changed()).await;
            let now = self.clock.stamp();
            let Ok(changed) = changed else {
                return Ok(RigNews::Quiet(self.unheard(), now.since(&self.shown.since).unwrap_or_default()));
            };
            changed.map_err(|_| Failure::Ended)?;
            let state = Arc::clone(&self.rig.borrow_and_update());
            let Some(news) = news(&state, self.shown, now)? else { continue };
            if let RigNews::View(view) = &news {
                self.shown = Shown { since: view.snapshot.at, any: true };
            }
            return Ok(news);
        }
    }

    /// Why not even a word comes that no sweep comes: an engine has one at least every two intervals.
    fn unheard(&self) -> Quiet {
        match self.engine.role() {
            Role::Holder(_) | Role::Apart => Quiet::Driver,
            Role::Client(by) => Quiet::Holder(by.holder),
            Role::Seeking => Quiet::NoHolder,
        }
    }

    /// The remembered cards, where the driver cannot be read.
    pub(crate) fn remembered(&self) -> Option<RigView> {
        RigView::remembered(&self.rig.borrow(), self.clock.stamp())
    }

    /// Why no list of cards came in `seconds`. Of a holder that says nothing, nobody can say that its driver hangs.
    pub(crate) fn nothing_came(&self, seconds: u64) -> Failure {
        match (self.engine.role(), &self.rig.borrow().probe) {
            (Role::Client(by), ProbeState::HolderSilent { .. }) => {
                EngineError::from(Obstacle::Silent(Box::new(by))).into()
            }
            _ => Failure::NotListed { seconds },
        }
    }

    /// What each driver call on a card has cost so far; nothing where that cannot be had.
    pub(crate) async fn calls(&self, uuid: &CardUuid) -> Vec<CallCost> {
        match self.engine.ask(Request::CallCosts { uuid: uuid.clone() }).await {
            Ok(Reply::CallCosts { calls }) => calls,
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    /// Ends it, within 2 s.
    pub(crate) async fn close(self) {
        self.engine.stop().await;
    }
}
