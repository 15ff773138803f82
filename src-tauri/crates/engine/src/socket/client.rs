//! The client's side: finds the holder well or says what is wrong with it, takes its states, and brings it requests.
//!
//! A holder that was stopped or hangs is still the holder: nobody else may sample. So silence does not end a connection; the last
//! state grows old and says whose silence that is, and requests time out with whoever asked.

use std::{collections::BTreeMap, io, path::Path, sync::Arc, time::Duration};

use futures_util::StreamExt;
use jiff::Timestamp;
use rustix::process::geteuid;
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::codec::{Framed, LinesCodec};

use super::{
    ORDERS_MOST, Order, no_answer, place,
    wire::{self, Ask, Hello, LINE_MOST, Lines, Said, WireError},
};
use crate::{
    api::{ApiError, Holder, Reply},
    rig_state::{RigState, STALE_AFTER},
};

/// A holder accepts and greets within this.
const GREETING: Duration = Duration::from_secs(5);
/// A holder takes a request within this.
const TAKING: Duration = Duration::from_secs(10);
/// The shortest and the longest time between two sweeps of a holder; what it says beyond is not believed.
const INTERVALS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(60));

/// A holder that was greeted.
#[derive(Debug)]
pub(crate) struct Connection {
    lines: Lines,
    /// Who it says it is.
    pub(crate) holder: Holder,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// Nobody listens.
    #[error("nobody listens: {0}")]
    Nobody(#[source] io::Error),
    /// The listener is not this user's.
    #[error("the socket belongs to user {0}")]
    OtherUser(u32),
    /// It does not greet.
    #[error("the holder does not greet")]
    Silent,
    /// Its greeting is not one that this program can go on from.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Left {
    /// The holder closed it.
    #[error("the holder is gone")]
    Gone,
    /// The holder takes no request.
    #[error("the holder takes nothing")]
    TakesNothing,
    /// What it says cannot be read.
    #[error(transparent)]
    Wire(#[from] WireError),
}

impl Connection {
    /// Connects to the socket at `path` and greets, in the name that `hello` gives.
    ///
    /// # Errors
    /// Nobody listens, or it is another user's, or of another protocol, or not well.
    pub(crate) async fn to(path: &Path, hello: &Hello) -> Result<Self, ConnectError> {
        timeout(GREETING, Self::greet(path, hello)).await.map_err(|_| ConnectError::Silent)?
    }

    async fn greet(path: &Path, hello: &Hello) -> Result<Self, ConnectError> {
        let stream = place::connect(path).await.map_err(ConnectError::Nobody)?;
        // Before a byte is said: what another user's program answers is nothing to go by.
        let peer = stream.peer_cred().map_err(ConnectError::Nobody)?.uid();
        if peer != geteuid().as_raw() {
            return Err(ConnectError::OtherUser(peer));
        }
        let mut lines = Framed::new(stream, LinesCodec::new_with_max_length(LINE_MOST));
        wire::send(&mut lines, hello).await?;
        let gone = || WireError::Socket(io::ErrorKind::UnexpectedEof.into());
        let greeting = lines.next().await.ok_or_else(gone)?;
        let theirs = Hello::read(&greeting.map_err(WireError::from)?)?;
        Ok(Self { lines, holder: theirs.who })
    }

    /// Puts the holder's states into `rig` and brings it `orders`, until the connection ends. May be dropped at any await; orders
    /// that wait then are refused.
    pub(crate) async fn run(
        mut self,
        rig: &watch::Sender<Arc<RigState>>,
        orders: &mut mpsc::Receiver<Order>,
    ) -> Left {
        let mut waiting = Waiting::default();
        let mut silence = Silence::from_now();
        loop {
            waiting.forget_the_impatient();
            let due = silence.due(rig.borrow().interval);
            let step = tokio::select! {
                line = self.lines.next() => match line {
                    None => return Left::Gone,
                    Some(line) => line.map_err(WireError::from).and_then(|line| wire::read(&line)).map(|said| {
                        hear(said, rig, &mut waiting);
                        silence = Silence::from_now();
                    }).map_err(Left::from),
                },
                () = sleep_until(due) => {
                    silence.tell(rig, &self.holder);
                    Ok(())
                }
                Some(order) = orders.recv(), if waiting.has_room() => self.bring(order, &mut waiting).await,
            };
            if let Err(left) = step {
                return left;
            }
        }
    }

    async fn bring(&mut self, order: Order, waiting: &mut Waiting) -> Result<(), Left> {
        let id = waiting.enter(order.answer);
        let ask = Ask { id, request: order.request };
        timeout(TAKING, wire::send(&mut self.lines, &ask)).await.map_err(|_| Left::TakesNothing)??;
        Ok(())
    }
}

fn hear(said: Said, rig: &watch::Sender<Arc<RigState>>, waiting: &mut Waiting) {
    match said {
        Said::State(state) => state.publish(rig),
        Said::Reply { id, reply } => waiting.answer(id, Ok(at_second_hand(*reply))),
        Said::Refusal { id, error } => waiting.answer(id, Err(error)),
    }
}

/// Since when a holder has said nothing. A holder speaks at least every one and a half intervals, so after three it was stopped or
/// hangs; from then on this is told in its place, as often as it would speak, so that whoever looks on sees values grow old.
#[derive(Debug)]
struct Silence {
    since: Timestamp,
    /// When it was last heard, or its silence last told.
    last: Instant,
    told: bool,
}

impl Silence {
    fn from_now() -> Self {
        Self { since: Timestamp::now(), last: Instant::now(), told: false }
    }

    /// When it is to be told next, of a holder that sweeps at this `interval`.
    fn due(&self, interval: Duration) -> Instant {
        let interval = interval.clamp(INTERVALS.0, INTERVALS.1);
        self.last + if self.told { interval * 3 / 2 } else { interval * STALE_AFTER }
    }

    fn tell(&mut self, rig: &watch::Sender<Arc<RigState>>, holder: &Holder) {
        rig.send_modify(|state| *state = Arc::new(state.under_silent(holder, self.since)));
        (self.last, self.told) = (Instant::now(), true);
    }
}

/// The holder speaks of itself; to this process's own user it is another.
fn at_second_hand(reply: Reply) -> Reply {
    match reply {
        Reply::Info(info) => Reply::Info(crate::api::EngineInfo { own: false, ..info }),
        reply => reply,
    }
}

/// Requests on their way, at most [`ORDERS_MOST`].
#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    answers: BTreeMap<u64, oneshot::Sender<Result<Reply, ApiError>>>,
}

impl Waiting {
    fn has_room(&self) -> bool {
        self.answers.len() < ORDERS_MOST
    }

    /// Whoever asked has stopped waiting.
    fn forget_the_impatient(&mut self) {
        self.answers.retain(|_, answer| !answer.is_closed());
    }

    fn enter(&mut self, answer: oneshot::Sender<Result<Reply, ApiError>>) -> u64 {
        self.last += 1;
        self.answers.insert(self.last, answer);
        self.last
    }

    /// An answer to what nobody asked, or no longer waits for, is nobody's.
    fn answer(&mut self, id: u64, result: Result<Reply, ApiError>) {
        if let Some(answer) = self.answers.remove(&id) {
            let _ = answer.send(result);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        for answer in std::mem::take(&mut self.answers).into_values() {
            let _ = answer.send(Err(no_answer("the holder of the data directory went before it answered")));
        }
    }
}
