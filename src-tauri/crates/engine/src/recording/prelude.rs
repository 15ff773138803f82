//! What an empty history begins with: the demo's past, recorded before the first sweep.
//!
//! It is told some seconds after the start, so that the first picture waits for nothing, and by a child that takes some 3 s of CPU. The
//! thread does nothing else meanwhile: sweeps wait with their owner. It is given up after 120 s, or at the end of the engine; what was
//! told until then stays.

use std::time::Duration;

use fanfare_history::Recorder;
use jiff::Timestamp;
use tokio::{runtime::Handle, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::demo::{Past, PastCommand, PastError};

/// How long the telling may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A past that is to be recorded.
#[derive(Debug)]
pub(super) struct Prelude {
    command: PastCommand,
    /// When it ends: before anything was read, or its end would lie beside what was.
    until: Timestamp,
    stop: CancellationToken,
    runtime: Handle,
}

/// Why it came to an end before its end.
#[derive(Debug, thiserror::Error)]
enum Cut {
    #[error("it was not told within {} s", PATIENCE.as_secs())]
    Slow,
    #[error("the program ends")]
    Ending,
    #[error(transparent)]
    Past(#[from] PastError),
    #[error(transparent)]
    History(#[from] fanfare_history::HistoryError),
}

impl Prelude {
    /// A past whose last sweep is at `until`, as `command` tells it, unless `stop` comes first. Needs a running tokio runtime.
    pub(super) fn over(command: PastCommand, until: Timestamp, stop: CancellationToken) -> Self {
        Self { command, until, stop, runtime: Handle::current() }
    }

    /// Records it. A demo without its past is a demo all the same.
    pub(super) fn play(self, recorder: &mut Recorder) {
        let Self { command, until, stop, runtime } = self;
        let played = runtime.block_on(async {
            let mut past = command.begin(until)?;
            tokio::select! {
                () = stop.cancelled() => Err(Cut::Ending),
                played = timeout(PATIENCE, record(&mut past, recorder)) => played.unwrap_or(Err(Cut::Slow)),
            }
        });
        if let Err(cut) = played {
            tracing::warn!(%cut, "the demo's past is not whole");
        }
    }
}

async fn record(past: &mut Past, recorder: &mut Recorder) -> Result<(), Cut> {
    while let Some(sweep) = past.next().await? {
        recorder.record(&sweep)?;
    }
    Ok(recorder.flush()?)
}
