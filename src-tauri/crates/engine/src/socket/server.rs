//! The holder's side: greets its clients, pushes the newest state to each, and passes their requests on.
//!
//! At most 32 clients; a further one is turned away. Each has one task and one line in the writing: a client that reads slowly
//! gets the newest state when it is ready, never a queue, and one that takes nothing for 10 s is dropped. What a client sends is
//! read a line at a time, 64 KiB at most, the next after the last was answered; what cannot be understood ends it.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use rustix::process::geteuid;
use tokio::{
    net::UnixStream,
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_util::{
    codec::{Framed, LinesCodec},
    sync::CancellationToken,
    task::TaskTracker,
};

use super::{
    place::Bound,
    wire::{self, Ask, Hello, Lines, REQUEST_MOST, Said, WireError},
};
use crate::hub::HubHandle;

/// So many clients at once.
const CLIENTS_MOST: usize = 32;
/// A client greets within this.
const GREETING: Duration = Duration::from_secs(5);
/// A client takes a line within this.
const TAKING: Duration = Duration::from_secs(10);
/// After a connection that could not be accepted (no file descriptor is left, say) the next try waits this long.
const PAUSE: Duration = Duration::from_millis(100);
/// Ending waits this long for the tasks, each of which is at an await that ends at once.
const ENDING: Duration = Duration::from_millis(300);

/// The running server.
#[derive(Debug)]
pub(crate) struct Server {
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// What each client's task needs.
#[derive(Debug, Clone)]
struct Desk {
    hello: Hello,
    hub: HubHandle,
    stop: CancellationToken,
}

impl Server {
    /// Serves what `hub` knows at `bound`, in the name that `hello` gives.
    pub(crate) fn start(bound: Bound, hello: Hello, hub: HubHandle) -> Self {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let desk = Desk { hello, hub, stop: stop.clone() };
        tasks.spawn(accept(bound, desk, tasks.clone()));
        Self { stop, tasks }
    }

    /// Takes the socket away and lets every client go.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        let _ = timeout(ENDING, self.tasks.wait()).await;
    }
}

async fn accept(bound: Bound, desk: Desk, tasks: TaskTracker) {
    let places = Arc::new(Semaphore::new(CLIENTS_MOST));
    loop {
        let accepted = tokio::select! {
            () = desk.stop.cancelled() => return,
            accepted = bound.listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                    tracing::warn!("a client was turned away: {CLIENTS_MOST} are there");
                    continue;
                };
                let desk = desk.clone();
                tasks.spawn(async move {
                    attend(stream, desk).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a client could not be accepted");
                sleep(PAUSE).await;
            }
        }
    }
}

/// One client, from its coming to its going.
async fn attend(stream: UnixStream, desk: Desk) {
    let stop = desk.stop.clone();
    let ended = tokio::select! {
        () = stop.cancelled() => return,
        ended = desk.serve(stream) => ended,
    };
    if let Err(error) = ended {
        tracing::warn!(%error, "a client was dropped");
    }
}

/// Why a client was dropped.
#[derive(Debug, thiserror::Error)]
enum Dropped {
    #[error("it belongs to user {0}")]
    OtherUser(u32),
    #[error("it did not greet in time")]
    Silent,
    #[error("it takes nothing")]
    TakesNothing,
    #[error(transparent)]
    Wire(#[from] WireError),
}

impl Desk {
    /// Until the client goes.
    async fn serve(self, stream: UnixStream) -> Result<(), Dropped> {
        let peer = stream.peer_cred().map_err(WireError::from)?.uid();
        if peer != geteuid().as_raw() {
            return Err(Dropped::OtherUser(peer));
        }
        let mut lines = Framed::new(stream, LinesCodec::new_with_max_length(REQUEST_MOST));
        give(&mut lines, &self.hello).await?;
        let Some(greeting) = timeout(GREETING, lines.next()).await.map_err(|_| Dropped::Silent)? else {
            return Ok(());
        };
        Hello::read(&greeting.map_err(WireError::from)?)?;
        let mut rig = self.hub.rig();
        rig.mark_changed();
        loop {
            tokio::select! {
                line = lines.next() => {
                    let Some(line) = line else { return Ok(()) };
                    let Ask { id, request } = wire::read(&line.map_err(WireError::from)?)?;
                    let said = match self.hub.ask(request).await {
                        Ok(reply) => Said::Reply { id, reply: Box::new(reply) },
                        Err(error) => Said::Refusal { id, error },
                    };
                    give(&mut lines, &said).await?;
                }
                changed = rig.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let newest = Said::State(Arc::clone(&rig.borrow_and_update()));
                    give(&mut lines, &newest).await?;
                }
            }
        }
    }
}

async fn give<T: serde::Serialize + Sync>(lines: &mut Lines, what: &T) -> Result<(), Dropped> {
    Ok(timeout(TAKING, wire::send(lines, what)).await.map_err(|_| Dropped::TakesNothing)??)
}
