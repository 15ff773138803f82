//! The one handle on the rig for the window and the command line: it holds the data directory, or is a client of who does.
//!
//! One engine samples, writes and keeps; everyone else looks on through its socket. Which of the two this process is may change
//! while it runs: when the holder goes, one of its clients takes the directory over and the others become its clients. Whoever
//! looks at [`Engine::rig`] sees only that states pause and come again, and in between that the last one grows old.
//!
//! Worst cases: a start takes 15 s, if a holder neither answers nor goes; an answer 6 s; a stop 1.9 s.

mod run;
mod seat;

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use seat::{Obstacle, Role, visit};

use crate::{
    api::{ApiError, ErrorCode, Kind, Reply, Request},
    demo::{PastCommand, RentalSource},
    hub::{HubError, Limits},
    probe::ProbeCommand,
    profile::Profile,
    rig_state::RigState,
    socket::{ORDERS_MOST, Order, no_answer},
};
use run::Run;
use seat::Seat;

/// An answer takes 5 s at most; this is told after.
const ANSWER_WITHIN: Duration = Duration::from_secs(6);
/// How long a stop waits; its own steps end before.
const STOP_WITHIN: Duration = Duration::from_millis(1_900);

/// What an engine is started with. What concerns the reading counts only while this process holds the directory.
#[derive(Debug, Clone)]
pub struct EngineSetup {
    /// The data directory, which exists.
    pub directory: PathBuf,
    /// Whose rig it is.
    pub profile: Profile,
    /// What kind of program this is.
    pub kind: Kind,
    /// The system's directory for this user's sockets, if there is one.
    pub runtime: Option<PathBuf>,
    /// How the probe is started.
    pub command: ProbeCommand,
    /// Who says which cards are rented.
    pub rentals: RentalSource,
    /// What a history that is empty begins with, in the demo.
    pub past: Option<PastCommand>,
    /// How long a failing probe or a hanging driver is put up with.
    pub limits: Limits,
}

/// Why no engine runs.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The directory is held by a process that this one cannot be a client of, or may not be.
    #[error(transparent)]
    Obstacle(#[from] Obstacle),
    /// The machine lacks what no rig can be read without.
    #[error(transparent)]
    Hub(#[from] HubError),
}

impl EngineError {
    /// What to act on.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Obstacle(obstacle) => match obstacle {
                Obstacle::OtherVersion { .. } => ErrorCode::OtherVersion,
                Obstacle::OtherUser { .. } | Obstacle::AnothersData { .. } => ErrorCode::OtherUser,
                Obstacle::Silent(_) => ErrorCode::HolderSilent,
                Obstacle::NoAnswer { .. } => ErrorCode::NoAnswer,
                Obstacle::Held(_) | Obstacle::Lock { .. } => ErrorCode::NotStarted,
            },
            Self::Hub(_) => ErrorCode::NotStarted,
        }
    }
}

impl From<&EngineError> for ApiError {
    fn from(error: &EngineError) -> Self {
        Self { code: error.code(), message: "no engine answers".into(), detail: Some(error.to_string()) }
    }
}

/// The engine. Dropping it ends it as [`Engine::stop`] does, without waiting.
#[derive(Debug)]
pub struct Engine {
    handle: EngineHandle,
    task: JoinHandle<()>,
    ending: DropGuard,
}

/// Reads and asks an engine, for as many as want to. It keeps no engine alive.
#[derive(Debug, Clone)]
pub struct EngineHandle {
    rig: watch::Receiver<Arc<RigState>>,
    role: watch::Receiver<Role>,
    orders: mpsc::Sender<Order>,
}

impl Engine {
    /// Holds the directory, or becomes a client of who does. Dropped before it is done it holds nothing. Needs a running tokio
    /// runtime.
    ///
    /// # Errors
    /// The holder is another user's, of another version, or does not answer; or this process cannot hold.
    pub async fn start(setup: EngineSetup) -> Result<Self, EngineError> {
        let seat = Seat::find(&setup).await?;
        Ok(Self::of(setup, seat))
    }

    /// Holds the directory, or nothing.
    ///
    /// # Errors
    /// Another process holds it; or this process cannot hold.
    pub async fn hold(setup: EngineSetup) -> Result<Self, EngineError> {
        let seat = Seat::hold(&setup).await?;
        Ok(Self::of(setup, seat))
    }

    fn of(setup: EngineSetup, seat: Seat) -> Self {
        let (rig_out, rig) = watch::channel(
            seat.first_state()
                .unwrap_or_else(|| Arc::new(RigState::unread(setup.profile, setup.command.interval))),
        );
        let (role_out, role) = watch::channel(seat.role());
        let (orders, asked) = mpsc::channel(ORDERS_MOST);
        let ending = CancellationToken::new();
        let run = Run { setup, rig: rig_out, role: role_out, orders: asked, ending: ending.clone() };
        let handle = EngineHandle { rig, role, orders };
        Self { handle, task: tokio::spawn(run.from(seat)), ending: ending.drop_guard() }
    }

    /// Reads and asks this engine.
    pub fn handle(&self) -> EngineHandle {
        self.handle.clone()
    }

    /// As [`EngineHandle::rig`].
    pub fn rig(&self) -> watch::Receiver<Arc<RigState>> {
        self.handle.rig()
    }

    /// As [`EngineHandle::role`].
    pub fn role(&self) -> Role {
        self.handle.role()
    }

    /// As [`EngineHandle::ask`].
    ///
    /// # Errors
    /// The request cannot be fulfilled, or nobody answers in time.
    pub async fn ask(&self, request: Request) -> Result<Reply, ApiError> {
        self.handle.ask(request).await
    }

    /// Ends it, within 1.9 s.
    pub async fn stop(self) {
        drop(self.ending);
        if timeout(STOP_WITHIN, self.task).await.is_err() {
            tracing::warn!("the engine does not end in time; it is left behind");
        }
    }
}

impl EngineHandle {
    /// The newest state of the rig, whoever reads it. While nobody does, the last one stays and grows old.
    pub fn rig(&self) -> watch::Receiver<Arc<RigState>> {
        self.rig.clone()
    }

    /// Whether this process holds the directory, and if not, who does.
    pub fn role(&self) -> Role {
        self.role.borrow().clone()
    }

    /// The same, for whoever waits for its changes.
    pub fn roles(&self) -> watch::Receiver<Role> {
        self.role.clone()
    }

    /// Asks whoever holds the directory, within 6 s.
    ///
    /// # Errors
    /// The request cannot be fulfilled, or nobody answers in time.
    pub async fn ask(&self, request: Request) -> Result<Reply, ApiError> {
        let (answer, answered) = oneshot::channel();
        let asking = async {
            self.orders.send(Order { request, answer }).await.map_err(|_| is_ending())?;
            answered.await.map_err(|_| is_ending())?
        };
        timeout(ANSWER_WITHIN, asking).await.unwrap_or_else(|_| Err(no_answer("no answer in 6 s")))
    }
}

fn is_ending() -> ApiError {
    ApiError { code: ErrorCode::Ending, message: "the engine is ending".into(), detail: None }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use jiff::Timestamp;

    use super::*;
    use crate::{api::Holder, hold::HeldBy};

    #[test]
    fn each_obstacle_has_the_code_that_its_next_step_hangs_on_and_names_the_process_or_the_file() {
        let holder = Holder { pid: 4_711, kind: Kind::Serve, version: "0.1.0".into() };
        let by = || Box::new(HeldBy { holder: holder.clone(), since: Timestamp::UNIX_EPOCH, socket: None });
        let (path, source) = (|| PathBuf::from("/data/engine.lock"), || ErrorKind::PermissionDenied.into());
        let table = [
            (Obstacle::Held(by()), ErrorCode::NotStarted, "process 4711"),
            (Obstacle::NoAnswer { by: Some(by()), why: "?".into() }, ErrorCode::NoAnswer, "process 4711"),
            (Obstacle::Silent(by()), ErrorCode::HolderSilent, "process 4711"),
            (Obstacle::OtherUser { by: by(), uid: 1 }, ErrorCode::OtherUser, "process 4711"),
            (Obstacle::OtherVersion { by: by(), why: "?".into() }, ErrorCode::OtherVersion, "process 4711"),
            (
                Obstacle::AnothersData { path: path(), source: source() },
                ErrorCode::OtherUser,
                "/data/engine.lock",
            ),
            (Obstacle::Lock { path: path(), source: source() }, ErrorCode::NotStarted, "/data/engine.lock"),
        ];
        for (obstacle, code, named) in table {
            let error = ApiError::from(&EngineError::from(obstacle));
            assert_eq!(error.code, code, "{error:?}");
            assert!(error.detail.as_ref().unwrap().contains(named), "{error:?}");
        }
    }
}
