//! The holder's side of the engine: reads the rig by a probe that it watches over, knows what each card is used for, keeps what
//! must be remembered, and publishes the whole as one [`RigState`] a sweep.
//!
//! One task owns all of it ([`owner`]); everyone else has a [`HubHandle`], which reads the newest state and asks. The probe lives
//! in a task of its own ([`session`]), what to do about it is decided by a pure machine ([`supervise`]), and `state.db` is
//! written from a thread of its own ([`store`]), because a lock of another process may hold a write for two seconds; so is
//! `history.db` ([`recording`](crate::recording)).
//!
//! Worst cases: an answer takes 5 s, after which it is an error; a stop takes 1.7 s, whatever the driver or the disk does.

mod keeper;
mod owner;
mod picture;
mod recent;
mod session;
mod store;
mod supervise;

use std::{collections::BTreeMap, io, path::PathBuf, sync::Arc, time::Duration};

use fanfare_rig::{CardUuid, clock::Clock};
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use supervise::Limits;

use crate::{
    api::{ApiError, ErrorCode, Kind, Reply, Request},
    demo::PastCommand,
    occupancy::Source,
    probe::ProbeCommand,
    profile::Profile,
    rig_state::RigState,
};

/// Requests that wait for the owner; one more waits at the door.
const ASKS_MOST: usize = 32;
/// An answer takes microseconds, or two seconds where another process holds `state.db`.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// How long a stop waits for the owner, whose own waits end before.
const STOP_WITHIN: Duration = Duration::from_millis(1_700);

/// What a hub is started with.
#[derive(Debug)]
pub struct HubSetup {
    /// The data directory, which nobody else holds.
    pub directory: PathBuf,
    /// Whose rig it is.
    pub profile: Profile,
    /// How the probe is started.
    pub command: ProbeCommand,
    /// What kind of program this is.
    pub kind: Kind,
    /// Which cards are rented, as somebody else finds out; its sender may go at any time.
    pub rentals: watch::Receiver<Rentals>,
    /// What a history that is empty begins with: the demo's past, and nothing else's.
    pub past: Option<PastCommand>,
    /// How long the hub puts up with what.
    pub limits: Limits,
}

/// The cards that are rented.
pub type Rentals = BTreeMap<CardUuid, Rental>;

/// Who says that a card is rented, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rental {
    /// The platform's name, as it writes it.
    pub platform: String,
    /// Who says so. The owner's rig believes no simulation.
    pub source: Source,
}

/// Why there is no hub.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The machine does not tell which boot this is, so no span could be measured.
    #[error("the boot id cannot be read: {0}")]
    Clock(#[source] io::Error),
    /// The system gave no thread for `state.db` or `history.db`.
    #[error("no thread could be started: {0}")]
    Thread(#[source] io::Error),
}

/// The running holder of a data directory. Dropping it ends it as [`Hub::stop`] does, without waiting.
#[derive(Debug)]
pub struct Hub {
    handle: HubHandle,
    owner: JoinHandle<()>,
    ending: DropGuard,
}

/// Reads and asks a hub, for as many as want to. It keeps no hub alive.
#[derive(Debug, Clone)]
pub struct HubHandle {
    rig: watch::Receiver<Arc<RigState>>,
    asks: mpsc::Sender<Ask>,
}

/// Where an answer goes.
pub(crate) type Answer = oneshot::Sender<Result<Reply, ApiError>>;

/// A request on its way to the owner.
#[derive(Debug)]
struct Ask {
    request: Request,
    answer: Answer,
}

impl Hub {
    /// Starts reading. It waits for nothing: a probe that does not start is a state, and a disk that does not answer costs no
    /// reading. Needs a running tokio runtime.
    ///
    /// # Errors
    /// The machine lacks what no rig can be read without.
    pub fn start(setup: HubSetup) -> Result<Self, HubError> {
        let clock = Clock::of_this_boot().map_err(HubError::Clock)?;
        let ending = CancellationToken::new();
        let (asks, asked) = mpsc::channel(ASKS_MOST);
        let (owner, rig) = owner::Owner::new(setup, clock).map_err(HubError::Thread)?;
        let owner = tokio::spawn(owner.run(asked, ending.clone()));
        Ok(Self { handle: HubHandle { rig, asks }, owner, ending: ending.drop_guard() })
    }

    /// Reads and asks this hub.
    pub fn handle(&self) -> HubHandle {
        self.handle.clone()
    }

    /// The newest state of the rig, published at least every one and a half intervals.
    pub fn rig(&self) -> watch::Receiver<Arc<RigState>> {
        self.handle.rig()
    }

    /// Asks, within 5 s.
    ///
    /// # Errors
    /// The request cannot be fulfilled, or not in time.
    pub async fn ask(&self, request: Request) -> Result<Reply, ApiError> {
        self.handle.ask(request).await
    }

    /// Ends probe and writing in order, within 1.7 s; what hangs by then is left to the system.
    pub async fn stop(self) {
        drop(self.ending);
        if timeout(STOP_WITHIN, self.owner).await.is_err() {
            tracing::warn!("the hub's owner does not end; it is left behind");
        }
    }
}

impl HubHandle {
    /// The newest state of the rig.
    pub fn rig(&self) -> watch::Receiver<Arc<RigState>> {
        self.rig.clone()
    }

    /// Asks, within 5 s.
    ///
    /// # Errors
    /// The request cannot be fulfilled, or not in time.
    pub async fn ask(&self, request: Request) -> Result<Reply, ApiError> {
        let (answer, told) = oneshot::channel();
        let asked = async {
            self.asks.send(Ask { request, answer }).await.map_err(|_| ending())?;
            told.await.map_err(|_| ending())?
        };
        timeout(ANSWER_WITHIN, asked).await.unwrap_or_else(|_| Err(no_answer()))
    }
}

/// Answers; whoever asked may have given up.
pub(crate) fn tell(answer: Answer, reply: Result<Reply, ApiError>) {
    let _ = answer.send(reply);
}

fn ending() -> ApiError {
    ApiError { code: ErrorCode::Ending, message: "the engine is ending".into(), detail: None }
}

fn no_answer() -> ApiError {
    ApiError { code: ErrorCode::NoAnswer, message: "the engine did not answer in 5 s".into(), detail: None }
}
