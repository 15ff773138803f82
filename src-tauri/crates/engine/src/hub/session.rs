//! One probe from its start until the system has taken it back.
//!
//! A task of its own, because a probe that hangs inside the kernel cannot be ended: the task then waits for as long as that
//! lasts, while the owner goes on and starts no other.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use fanfare_rig::wire::SweepLine;

use crate::probe::{Heard, ProbeClient, ProbeCommand, ProbeError};

/// What becomes of a probe.
#[derive(Debug)]
pub(super) enum Word {
    /// It said how the rig is.
    Sweep(Box<SweepLine>),
    /// It will say no more.
    Ended(ProbeError),
    /// The system has taken it back. The last word.
    Gone,
}

/// Starts a probe and passes on what it says, until it ends or `end` asks it to.
pub(super) async fn run(command: ProbeCommand, end: CancellationToken, words: mpsc::Sender<Word>) {
    match ProbeClient::start(&command) {
        Ok(mut probe) => {
            if let Some(error) = hear(&mut probe, &end, &words).await {
                say(&words, Word::Ended(error)).await;
            }
            probe.end().await;
            probe.gone().await;
        }
        Err(error) => say(&words, Word::Ended(error)).await,
    }
    say(&words, Word::Gone).await;
}

/// Passes on what the probe says until it says no more (then why) or is to end.
async fn hear(
    probe: &mut ProbeClient,
    end: &CancellationToken,
    words: &mpsc::Sender<Word>,
) -> Option<ProbeError> {
    loop {
        let heard = tokio::select! {
            () = end.cancelled() => return None,
            heard = probe.hear() => heard,
        };
        match heard {
            Ok(Heard::Sweep(line)) => say(words, Word::Sweep(line)).await,
            // Silence is judged by whoever hears nothing of this.
            Ok(Heard::Silence(_)) => {}
            Ok(Heard::Garbage(error)) => tracing::warn!(%error, "a line of the probe was passed over"),
            Err(error) => return Some(error),
        }
    }
}

/// Nobody listens when the hub has ended; the probe is ended all the same.
async fn say(words: &mpsc::Sender<Word>, word: Word) {
    let _ = words.send(word).await;
}
