//! Hearing and ending the probe.
//!
//! Three limits: a probe that says nothing for three intervals is reported silent, once an interval, until it speaks; ten lines in
//! a row that cannot be read end the hearing; and ending the child takes at most 1.2 s (its input is closed, then SIGTERM after
//! 0.4 s, then SIGKILL after 0.4 s more), after which a child that even SIGKILL does not end (it is inside the kernel) is left to
//! the system.

use std::{io, path::PathBuf, process::ExitStatus, time::Duration};

use fanfare_rig::{
    Trouble,
    wire::{self, Line, SweepLine, WireError},
};
use futures_util::StreamExt;
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::AsyncReadExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
    task::JoinHandle,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead};

use super::command::ProbeCommand;

/// A probe that says nothing for this many intervals is silent.
const SILENT_AFTER: u32 = 3;
/// This many unreadable lines in a row are taken for no probe at all.
const GARBAGE_MOST: u32 = 10;
/// How long each step of ending the child may take.
const STEP: Duration = Duration::from_millis(400);
/// The steps: its input is closed before the first, and that is all of it.
const ENDING: [Option<Signal>; 3] = [None, Some(Signal::TERM), Some(Signal::KILL)];
/// How much of the end of its standard error is kept, in bytes.
const WORDS_KEPT: usize = 4_096;

/// Something heard, or not, from a living probe.
#[derive(Debug)]
pub enum Heard {
    /// A sweep.
    Sweep(Box<SweepLine>),
    /// Nothing, for this long.
    Silence(Duration),
    /// A line that could not be read; it is skipped.
    Garbage(WireError),
}

/// Why there is no probe to hear.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The executable is not where it was looked for.
    #[error("there is no probe at {0}")]
    Absent(PathBuf),
    /// It could not be started.
    #[error("the probe could not be started: {0}")]
    Start(#[source] io::Error),
    /// It said why the driver cannot be read, and ended.
    #[error("the driver cannot be read: {}", .0.detail)]
    Trouble(Trouble),
    /// It speaks a newer version of the line protocol.
    #[error("the probe speaks version {theirs} of the line protocol, this program reads {}", wire::VERSION)]
    Version {
        /// The version it speaks.
        theirs: u32,
    },
    /// Too many lines in a row could not be read.
    #[error("what the probe says cannot be read: {0}")]
    Babble(#[source] WireError),
    /// Its output failed.
    #[error("the probe's output could not be read: {0}")]
    Output(#[source] io::Error),
    /// It ended without a word of trouble.
    #[error("the probe ended ({}){}", shown(.status), after_colon(.words))]
    Ended {
        /// How; `None` if it closed its output and was still running.
        status: Option<ExitStatus>,
        /// The last lines of its standard error.
        words: Vec<String>,
    },
}

fn shown(status: &Option<ExitStatus>) -> String {
    status.map_or_else(|| "still running".into(), |status| status.to_string())
}

fn after_colon(words: &[String]) -> String {
    words.last().map(|last| format!(": {last}")).unwrap_or_default()
}

/// A running probe. Dropping it kills the child.
#[derive(Debug)]
pub struct ProbeClient {
    child: Child,
    /// Held open for as long as the probe is wanted: it ends when this closes.
    input: Option<ChildStdin>,
    lines: FramedRead<ChildStdout, AnyDelimiterCodec>,
    words: JoinHandle<Vec<u8>>,
    interval: Duration,
    last_heard: Instant,
    /// When silence is reported next.
    patience_until: Instant,
    garbage: u32,
    /// How many of the steps of [`ENDING`] were taken.
    steps_taken: usize,
}

impl ProbeClient {
    /// Starts a probe. Needs a running tokio runtime.
    ///
    /// # Errors
    /// The executable is absent or cannot be started.
    pub fn start(command: &ProbeCommand) -> Result<Self, ProbeError> {
        let mut child = command.build().spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ProbeError::Absent(command.program.clone()),
            _ => ProbeError::Start(error),
        })?;
        let (input, output, words) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(output), Some(words)) = (output, words) else {
            return Err(ProbeError::Start(io::ErrorKind::BrokenPipe.into()));
        };
        let lines = AnyDelimiterCodec::new_with_max_length(b"\n".into(), b"\n".into(), wire::LINE_MAX);
        let now = Instant::now();
        Ok(Self {
            child,
            input,
            lines: FramedRead::new(output, lines),
            words: tokio::spawn(last_words(words)),
            interval: command.interval,
            last_heard: now,
            patience_until: now + command.interval * SILENT_AFTER,
            garbage: 0,
            steps_taken: 0,
        })
    }

    /// The child's process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// The next thing heard, within three intervals of the last. It may be dropped at any await without losing a line.
    ///
    /// # Errors
    /// There is nothing more to hear; the child should then be stopped.
    pub async fn hear(&mut self) -> Result<Heard, ProbeError> {
        let line = timeout_at(self.patience_until, self.lines.next()).await;
        let now = Instant::now();
        let Ok(line) = line else {
            self.patience_until = now + self.interval;
            return Ok(Heard::Silence(now - self.last_heard));
        };
        self.last_heard = now;
        self.patience_until = now + self.interval * SILENT_AFTER;
        match line {
            Some(Ok(line)) => self.understood(wire::read(&line)),
            Some(Err(AnyDelimiterCodecError::MaxChunkLengthExceeded)) => {
                let too_long = io::Error::new(io::ErrorKind::InvalidData, "a line is longer than 1 MiB");
                Err(ProbeError::Output(too_long))
            }
            Some(Err(AnyDelimiterCodecError::Io(error))) => Err(ProbeError::Output(error)),
            None => Err(self.ended().await),
        }
    }

    /// Ends the child and says how it went: `None` if it could not be ended within 1.2 s.
    pub async fn stop(mut self) -> Option<ExitStatus> {
        self.end().await
    }

    /// Waits until the system has taken the child back. That may be never: a driver call may hold it in the kernel.
    pub async fn gone(&mut self) {
        // An error means that there is nothing to wait for.
        let _ = self.child.wait().await;
    }

    fn understood(&mut self, read: Result<Line, WireError>) -> Result<Heard, ProbeError> {
        match read {
            Ok(Line::Sweep(line)) => {
                self.garbage = 0;
                Ok(Heard::Sweep(line))
            }
            Ok(Line::Trouble(trouble)) => Err(ProbeError::Trouble(trouble)),
            Err(WireError::Version { theirs }) => Err(ProbeError::Version { theirs }),
            Err(garbage) => {
                self.garbage += 1;
                if self.garbage < GARBAGE_MOST {
                    Ok(Heard::Garbage(garbage))
                } else {
                    Err(ProbeError::Babble(garbage))
                }
            }
        }
    }

    async fn ended(&mut self) -> ProbeError {
        let status = self.end().await;
        let words = timeout(STEP, &mut self.words).await.ok().and_then(Result::ok).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).lines().map(str::to_owned).collect();
        ProbeError::Ended { status, words }
    }

    /// Ends the child: closes its input, then one SIGTERM, then one SIGKILL. `None` if it still runs after 1.2 s. It may be dropped
    /// and called again: each step is taken once.
    pub async fn end(&mut self) -> Option<ExitStatus> {
        drop(self.input.take());
        while let Some(signal) = ENDING.get(self.steps_taken) {
            self.steps_taken += 1;
            if let (Some(signal), Some(pid)) = (signal, self.pid_for_signal()) {
                // It may have ended by itself just now, which is all that is wanted.
                let _ = kill_process(pid, *signal);
            }
            if let Ok(Ok(status)) = timeout(STEP, self.child.wait()).await {
                return Some(status);
            }
        }
        let status = self.child.try_wait().ok().flatten();
        if status.is_none() {
            tracing::warn!(
                pid = self.child.id(),
                "the probe does not end: a driver call holds it in the kernel"
            );
        }
        status
    }

    /// Not `None` only while the child has not been waited for, so that no other process can have its number.
    fn pid_for_signal(&self) -> Option<Pid> {
        self.child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw)
    }
}

/// Reads the child's standard error to its end and returns the last of it.
async fn last_words(mut from: ChildStderr) -> Vec<u8> {
    let mut kept = Vec::with_capacity(2 * WORDS_KEPT);
    let mut piece = [0_u8; 512];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        kept.extend_from_slice(&piece[..length]);
        if kept.len() > 2 * WORDS_KEPT {
            kept.drain(..kept.len() - WORDS_KEPT);
        }
    }
    kept
}
