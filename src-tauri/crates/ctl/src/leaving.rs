//! The signals by which a program is asked to leave; each must find the screen given back and the rig let go.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for any of them.
#[derive(Debug)]
pub(crate) struct Leaving {
    interrupt: Signal,
    hangup: Signal,
    quit: Signal,
    terminate: Signal,
}

impl Leaving {
    /// # Errors
    /// The signals cannot be caught.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Returns once one has come.
    pub(crate) async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
            _ = self.quit.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
