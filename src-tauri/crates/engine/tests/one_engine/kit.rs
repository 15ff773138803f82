//! Engines over a simulated rig, and the two sides of the socket played by a test.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use fanfare_engine::{
    Engine, EngineSetup, Limits, RentalSource, RigState, Role,
    api::{Holder, Kind},
    hold::{HeldBy, HoldLock},
    profile::Profile,
};
use fanfare_rig::{Condition, Occupant};
use fanfare_testkit::{PATIENCE, SimRig};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    time::timeout,
};

/// A greeting in this build's protocol.
pub(crate) const GREETING: &str = r#"{"protocol":1,"pid":1,"kind":"serve","version":"0.1.0"}"#;

pub(crate) fn setup(data: &Path, rig: &SimRig, kind: Kind) -> EngineSetup {
    EngineSetup {
        directory: data.into(),
        profile: Profile::Demo,
        kind,
        runtime: None,
        command: rig.probe(),
        rentals: RentalSource::Nobody,
        past: None,
        limits: Limits::default(),
    }
}

pub(crate) async fn start(data: &Path, rig: &SimRig) -> Engine {
    Engine::start(setup(data, rig, Kind::Command)).await.unwrap()
}

/// Where an engine without a runtime directory listens.
pub(crate) fn socket(data: &Path) -> PathBuf {
    data.join("run/engine.sock")
}

/// The first state for which `wanted` holds.
pub(crate) async fn until(engine: &Engine, what: &str, wanted: impl Fn(&RigState) -> bool) -> Arc<RigState> {
    let mut rig = engine.rig();
    let found = timeout(PATIENCE, async { rig.wait_for(|state| wanted(state)).await.unwrap().clone() });
    found.await.unwrap_or_else(|_| panic!("never seen: {what}"))
}

pub(crate) async fn until_role(engine: &Engine, what: &str, wanted: impl Fn(&Role) -> bool) -> Role {
    let mut roles = engine.handle().roles();
    let found = timeout(PATIENCE, async { roles.wait_for(|role| wanted(role)).await.unwrap().clone() });
    found.await.unwrap_or_else(|_| panic!("never seen: {what}; it is {:?}", engine.role()))
}

pub(crate) fn is_holder(role: &Role) -> bool {
    matches!(role, Role::Holder(_))
}

pub(crate) fn is_client(role: &Role) -> bool {
    matches!(role, Role::Client(_))
}

/// How many of the expected cards answer.
pub(crate) fn answering(state: &RigState) -> usize {
    let answers = |occupant: &Occupant| matches!(occupant, Occupant::Card(card) if card.condition() == Condition::Answering);
    state.seats.iter().filter(|seat| answers(&seat.occupant)).count()
}

/// One end of the socket, played by hand.
#[derive(Debug)]
pub(crate) struct Wire(BufReader<UnixStream>);

impl Wire {
    /// A client that has said nothing yet.
    pub(crate) async fn to(data: &Path) -> Self {
        Self(BufReader::new(UnixStream::connect(socket(data)).await.unwrap()))
    }

    /// A client that has greeted and been greeted.
    pub(crate) async fn greeted(data: &Path) -> Self {
        let mut wire = Self::to(data).await;
        wire.say(GREETING).await;
        assert!(wire.line().await.unwrap().contains(r#""protocol":1"#));
        wire
    }

    /// Sends a line. That the other side has closed is not this one's fault.
    pub(crate) async fn say(&mut self, line: &str) {
        let _ = self.0.get_mut().write_all(format!("{line}\n").as_bytes()).await;
    }

    /// Sends what is no whole line.
    pub(crate) async fn say_half(&mut self, piece: &str) {
        self.0.get_mut().write_all(piece.as_bytes()).await.unwrap();
    }

    /// The next line; `None` once the other side has closed.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match timeout(PATIENCE, self.0.read_line(&mut line)).await.expect("it neither speaks nor closes") {
            Ok(0) => None,
            Ok(_) => Some(line),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Waits until the other side closes, and reads what it says until then.
    pub(crate) async fn until_closed(&mut self) -> Vec<u8> {
        let mut said = Vec::new();
        match timeout(PATIENCE, self.0.read_to_end(&mut said)).await.expect("it does not close") {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
        said
    }

    /// Waits until the other side closes, and reads nothing.
    pub(crate) async fn until_closed_unread(&mut self) {
        let closed = timeout(PATIENCE, async {
            // A blank is the beginning of a line that never comes.
            while self.0.get_mut().write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        closed.await.expect("it does not close");
    }
}

/// A process that holds the data directory and says what a test wants. It gives the directory back when it is dropped.
#[derive(Debug)]
pub(crate) struct FakeHolder {
    _lock: HoldLock,
    listener: UnixListener,
}

impl FakeHolder {
    /// Holds `data`.
    pub(crate) fn of(data: &Path) -> Self {
        let lock = HoldLock::take(data).unwrap();
        let socket = data.join("fake.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let holder = Holder { pid: std::process::id(), kind: Kind::Serve, version: "9.9.9".into() };
        let since = "2026-01-01T00:00:00Z".parse().unwrap();
        lock.name(&HeldBy { holder, since, socket: Some(socket) }).unwrap();
        Self { _lock: lock, listener }
    }

    /// The next client, which has greeted.
    pub(crate) async fn client(&self) -> Wire {
        let accepted = timeout(PATIENCE, self.listener.accept()).await.expect("no client comes");
        let mut wire = Wire(BufReader::new(accepted.unwrap().0));
        assert!(wire.line().await.unwrap().contains(r#""protocol":1"#));
        wire
    }
}
