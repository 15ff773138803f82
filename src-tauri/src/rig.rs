//! The engine behind the window: the rig's state for the stream, and answers for the commands.
//!
//! It starts while the window is made, which may take 10 s where another process holds the data directory and does not answer. So
//! whoever asks in the meantime waits, and a window without an engine opens all the same, to say why.

use std::{future::Future, time::Duration};

use fanfare_engine::{
    Engine, EngineError, EngineHandle, Opening, OpeningError, Pace,
    api::{ApiError, EngineInfo, ErrorCode, Kind, Reply, Request},
    settings::Settings,
};
use tokio::{sync::watch, task::JoinHandle};

/// How often the window reads.
const PACE: Pace = Pace { interval: Duration::from_secs(1), slow_every: 60 };

/// The engine as the commands see it.
#[derive(Debug, Clone)]
pub(crate) struct Rig {
    /// The engine, or why there is none; nothing while it starts.
    engine: watch::Receiver<Option<Result<EngineHandle, ApiError>>>,
}

/// Why the engine did not start.
#[derive(Debug, thiserror::Error)]
enum NotStarted {
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl NotStarted {
    const fn code(&self) -> ErrorCode {
        match self {
            Self::Engine(error) => error.code(),
            Self::Opening(_) => ErrorCode::NotStarted,
        }
    }
}

/// The rig, at once, and the start of its engine, to be run. That gives the engine itself, for whoever must stop it.
pub(crate) fn open(opening: Opening) -> (Rig, impl Future<Output = Option<Engine>> + Send) {
    let (tell, engine) = watch::channel(None);
    let start = async move {
        match start(&opening).await {
            Ok(engine) => {
                tell.send_replace(Some(Ok(engine.handle())));
                Some(engine)
            }
            Err(error) => {
                eprintln!("fanfare: {error}");
                tell.send_replace(Some(Err(not_started(error.code(), error.to_string()))));
                None
            }
        }
    };
    (Rig { engine }, start)
}

/// Stops the engine, within 1.9 s. A start that is still under way is given up: it holds nothing that the kernel does not take back.
pub(crate) async fn close(start: JoinHandle<Option<Engine>>) {
    if !start.is_finished() {
        start.abort();
    }
    if let Ok(Some(engine)) = start.await {
        engine.stop().await;
    }
}

async fn start(opening: &Opening) -> Result<Engine, NotStarted> {
    Ok(Engine::start(opening.engine(Kind::Window, PACE).await?).await?)
}

impl Rig {
    /// A rig whose engine did not start.
    #[cfg(test)]
    pub(crate) fn failed(why: &str) -> Self {
        let (_, engine) = watch::channel(Some(Err(not_started(ErrorCode::NotStarted, why.to_owned()))));
        Self { engine }
    }

    /// The engine, once it has started.
    ///
    /// # Errors
    /// It did not start, or the program is ending.
    pub(crate) async fn engine(&self) -> Result<EngineHandle, ApiError> {
        let mut engine = self.engine.clone();
        let known = engine.wait_for(Option::is_some).await;
        known.ok().and_then(|known| known.clone()).unwrap_or_else(|| Err(ending()))
    }

    /// Asks the engine.
    ///
    /// # Errors
    /// The engine's, or it did not start.
    pub(crate) async fn ask(&self, request: Request) -> Result<Reply, ApiError> {
        self.engine().await?.ask(request).await
    }

    /// Asks for what needs no answer but that it is done.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(crate) async fn order(&self, request: Request) -> Result<(), ApiError> {
        match self.ask(request).await? {
            Reply::Done => Ok(()),
            other => Err(beside_the_point(&other)),
        }
    }

    /// Asks something of the settings, whose answer is always all of them.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(crate) async fn settings(&self, request: Request) -> Result<Settings, ApiError> {
        match self.ask(request).await? {
            Reply::Settings(settings) => Ok(settings),
            other => Err(beside_the_point(&other)),
        }
    }

    /// Who holds the data directory.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(crate) async fn info(&self) -> Result<EngineInfo, ApiError> {
        match self.ask(Request::Info).await? {
            Reply::Info(info) => Ok(info),
            other => Err(beside_the_point(&other)),
        }
    }
}

fn ending() -> ApiError {
    ApiError { code: ErrorCode::Ending, message: "the program is ending".into(), detail: None }
}

fn not_started(code: ErrorCode, why: String) -> ApiError {
    ApiError { code, message: "the engine did not start".into(), detail: Some(why) }
}

/// An answer to another question: only a holder of another make gives one.
pub(crate) fn beside_the_point(reply: &Reply) -> ApiError {
    ApiError {
        code: ErrorCode::OtherVersion,
        message: "the answer is to another question".into(),
        detail: Some(format!("{reply:?}").chars().take(200).collect()),
    }
}
