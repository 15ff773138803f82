//! What a process is to a data directory, and how it comes to be that.
//!
//! The lock alone decides: whoever has it holds. Everyone else goes by what the holder wrote beside it. Between two holders there
//! is a moment in which neither serves (one has the lock and no socket yet, or has closed its socket and not yet gone), so
//! whoever does not get in tries again, every 50 to 500 ms. At the start no try begins after 10 s; one takes 5 s at most.

use std::{
    io,
    path::{Path, PathBuf},
    process,
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use tokio::time::{Instant, sleep};

use super::{EngineError, EngineSetup};
use crate::{
    api::{Holder, Kind},
    hold::{HeldBy, HoldLock, Holding, LockError, look},
    hub::{Hub, HubSetup},
    profile::Profile,
    rig_state::RigState,
    socket::{Bound, ConnectError, Connection, Hello, Server, WireError, place},
};

/// No try of a start begins after this.
const START_WITHIN: Duration = Duration::from_secs(10);
/// The first pause between two tries; each further one is twice as long.
pub(super) const PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
pub(super) const PAUSE_MOST: Duration = Duration::from_millis(500);

/// What a process is to a data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// It holds the directory: it samples, writes and serves.
    Holder(HeldBy),
    /// It looks on: another process holds the directory.
    Client(HeldBy),
    /// Nothing can be written in the directory, so there is nothing to hold: it samples for itself and keeps nothing.
    Apart,
    /// The holder went, or does not answer, and none has been found yet.
    Seeking,
}

/// Why a process neither holds a directory nor is a client.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    /// Another process holds it.
    #[error("the data directory is held by process {} (version {})", .0.holder.pid, .0.holder.version)]
    Held(Box<HeldBy>),
    /// Another process holds it, and has not said who it is or where it listens, or does not answer.
    #[error("the data directory is held by a process that does not answer{}: {why}", .by.as_deref().map(shown).unwrap_or_default())]
    NoAnswer {
        /// The process, if it has said who it is.
        by: Option<Box<HeldBy>>,
        /// What was tried.
        why: String,
    },
    /// Another process holds it, is there and says nothing: it was stopped, or hangs.
    #[error("the data directory is held by process {} (version {}), which says nothing", .0.holder.pid, .0.holder.version)]
    Silent(Box<HeldBy>),
    /// The holder is another user's program.
    #[error("the data directory is held by process {} of user {uid}", .by.holder.pid)]
    OtherUser {
        /// The process, as it says.
        by: Box<HeldBy>,
        /// The user.
        uid: u32,
    },
    /// The holder speaks another protocol.
    #[error("the data directory is held by process {}: {why}", .by.holder.pid)]
    OtherVersion {
        /// The process, as it says.
        by: Box<HeldBy>,
        /// Both versions.
        why: String,
    },
    /// The data are another user's: whether they are held cannot even be looked at.
    #[error("{path} cannot be opened: {source}")]
    AnothersData {
        /// The lock's file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The lock cannot be had at all.
    #[error("{path} cannot be locked: {source}")]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

fn shown(by: &HeldBy) -> String {
    format!(" (process {}, version {})", by.holder.pid, by.holder.version)
}

impl Obstacle {
    /// Whether another try may find it gone without anybody's doing.
    const fn may_pass(&self) -> bool {
        matches!(self, Self::Held(_) | Self::NoAnswer { .. } | Self::Silent(_))
    }
}

impl From<LockError> for Obstacle {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Held(Some(by)) => Self::Held(by),
            LockError::Held(None) => unnamed(),
            LockError::Closed { path, source } => Self::AnothersData { path, source },
            LockError::Unwritable { path, source } | LockError::Failed { path, source } => {
                Self::Lock { path, source }
            }
        }
    }
}

/// Who holds `directory`, without taking it. A holder that has said where it listens is greeted by a program of this `kind`, which
/// takes 5 s at most; one that refuses it is there all the same.
///
/// # Errors
/// The holder is there and says nothing ([`Obstacle::Silent`]); or the lock cannot be looked at.
pub async fn visit(directory: &Path, kind: Kind) -> Result<Holding, Obstacle> {
    let holding = look(directory)?;
    if let Holding::Held(Some(by)) = &holding
        && let Err(silent @ Obstacle::Silent(_)) = greet(by, kind).await
    {
        return Err(silent);
    }
    Ok(holding)
}

/// What a process is to a directory, with what that takes.
#[derive(Debug)]
pub(super) enum Seat {
    /// It samples.
    Reading(Box<Reading>),
    /// It looks on.
    Client(Box<Client>),
}

/// A process that samples: with the lock and, if it could be made, a socket; or apart from everyone.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) hub: Hub,
    pub(super) server: Option<Server>,
    pub(super) held: Option<(HoldLock, HeldBy)>,
}

/// A process that looks on.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) connection: Connection,
    pub(super) by: HeldBy,
}

impl Seat {
    /// Holds the directory, or becomes a client, within 15 s.
    pub(super) async fn find(setup: &EngineSetup) -> Result<Self, EngineError> {
        let limit = Instant::now() + START_WITHIN;
        let mut pause = PAUSE;
        loop {
            match Self::take(setup).await {
                Err(EngineError::Obstacle(obstacle)) if obstacle.may_pass() && Instant::now() < limit => {
                    sleep(pause).await;
                    pause = (pause * 2).min(PAUSE_MOST);
                }
                done => return done,
            }
        }
    }

    /// Holds the directory or says who does. A holder that has not said so yet is given its time.
    pub(super) async fn hold(setup: &EngineSetup) -> Result<Self, EngineError> {
        let limit = Instant::now() + START_WITHIN;
        loop {
            match lock(setup)? {
                Lock::Taken(lock) => return hold(setup, lock),
                Lock::Unwritable(path, source) => return Err(Obstacle::Lock { path, source }.into()),
                Lock::Held(Some(by)) => return Err(Obstacle::Held(by).into()),
                Lock::Held(None) if Instant::now() < limit => sleep(PAUSE).await,
                Lock::Held(None) => return Err(unnamed().into()),
            }
        }
    }

    /// One try to hold the directory or to become a client.
    pub(super) async fn take(setup: &EngineSetup) -> Result<Self, EngineError> {
        match lock(setup)? {
            Lock::Taken(lock) => hold(setup, lock),
            Lock::Held(by) => Ok(join(setup, by).await?),
            Lock::Unwritable(..) => apart(setup),
        }
    }

    pub(super) fn role(&self) -> Role {
        match self {
            Self::Reading(reading) => match &reading.held {
                Some((_, by)) => Role::Holder(by.clone()),
                None => Role::Apart,
            },
            Self::Client(client) => Role::Client(client.by.clone()),
        }
    }

    /// What this process itself knows at once.
    pub(super) fn first_state(&self) -> Option<Arc<RigState>> {
        match self {
            Self::Reading(reading) => Some(reading.hub.rig().borrow().clone()),
            Self::Client(_) => None,
        }
    }
}

/// What came of a try to lock.
enum Lock {
    Taken(HoldLock),
    Held(Option<Box<HeldBy>>),
    Unwritable(PathBuf, io::Error),
}

fn lock(setup: &EngineSetup) -> Result<Lock, Obstacle> {
    match HoldLock::take(&setup.directory) {
        Ok(lock) => Ok(Lock::Taken(lock)),
        Err(LockError::Held(by)) => Ok(Lock::Held(by)),
        Err(LockError::Unwritable { path, source }) => Ok(Lock::Unwritable(path, source)),
        Err(error @ (LockError::Closed { .. } | LockError::Failed { .. })) => Err(error.into()),
    }
}

/// Starts reading, then says so: who finds the name in the lock finds the socket, too.
fn hold(setup: &EngineSetup, lock: HoldLock) -> Result<Seat, EngineError> {
    let socket = place(&setup.directory, setup.profile, setup.runtime.as_deref());
    // Without a socket there are no clients; that is no reason to leave the rig unread.
    let bound = Bound::at(&socket)
        .inspect_err(
            |error| tracing::warn!(%error, socket = %socket.display(), "no other program can look on"),
        )
        .ok();
    let hub = start_hub(setup)?;
    let holder = me(setup.kind);
    let by =
        HeldBy { holder: holder.clone(), since: Timestamp::now(), socket: bound.as_ref().map(|_| socket) };
    if let Err(error) = lock.name(&by) {
        tracing::warn!(%error, "no other program can find this one");
    }
    let server = bound.map(|bound| Server::start(bound, Hello::of(holder), hub.handle()));
    Ok(Seat::Reading(Box::new(Reading { hub, server, held: Some((lock, by)) })))
}

fn apart(setup: &EngineSetup) -> Result<Seat, EngineError> {
    Ok(Seat::Reading(Box::new(Reading { hub: start_hub(setup)?, server: None, held: None })))
}

async fn join(setup: &EngineSetup, by: Option<Box<HeldBy>>) -> Result<Seat, Obstacle> {
    let Some(by) = by else { return Err(unnamed()) };
    let connection = greet(&by, setup.kind).await?;
    // What it says itself outranks what was found written.
    let by = HeldBy { holder: connection.holder.clone(), ..*by };
    Ok(Seat::Client(Box::new(Client { connection, by })))
}

async fn greet(by: &HeldBy, kind: Kind) -> Result<Connection, Obstacle> {
    let held = || Box::new(by.clone());
    let Some(socket) = &by.socket else {
        return Err(Obstacle::NoAnswer { by: Some(held()), why: "it has no socket".into() });
    };
    Connection::to(socket, &Hello::of(me(kind))).await.map_err(|error| match error {
        ConnectError::OtherUser(uid) => Obstacle::OtherUser { by: held(), uid },
        ConnectError::Silent => Obstacle::Silent(held()),
        ConnectError::Wire(error @ WireError::Protocol { .. }) => {
            Obstacle::OtherVersion { by: held(), why: error.to_string() }
        }
        error => Obstacle::NoAnswer { by: Some(held()), why: error.to_string() },
    })
}

fn unnamed() -> Obstacle {
    Obstacle::NoAnswer { by: None, why: "it has not said who it is".into() }
}

fn start_hub(setup: &EngineSetup) -> Result<Hub, EngineError> {
    Ok(Hub::start(HubSetup {
        directory: setup.directory.clone(),
        profile: setup.profile,
        command: setup.command.clone(),
        kind: setup.kind,
        rentals: setup.rentals.follow(setup.profile),
        past: setup.past.clone().filter(|_| setup.profile == Profile::Demo),
        limits: setup.limits,
    })?)
}

fn me(kind: Kind) -> Holder {
    Holder { pid: process::id(), kind, version: env!("CARGO_PKG_VERSION").into() }
}
