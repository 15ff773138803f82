//! The task behind an engine: it sits where the process sits, and finds it another seat when that one is gone.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    EngineSetup,
    seat::{Client, PAUSE, PAUSE_MOST, Reading, Role, Seat},
};
use crate::{
    api::ApiError,
    rig_state::RigState,
    socket::{Left, ORDERS_MOST, Order},
};

/// What the task works with.
pub(super) struct Run {
    pub(super) setup: EngineSetup,
    pub(super) rig: watch::Sender<Arc<RigState>>,
    pub(super) role: watch::Sender<Role>,
    pub(super) orders: mpsc::Receiver<Order>,
    pub(super) ending: CancellationToken,
}

impl Run {
    /// Runs until the engine ends.
    pub(super) async fn from(mut self, first: Seat) {
        let mut next = Some(first);
        while let Some(seat) = next {
            self.role.send_replace(seat.role());
            match seat {
                Seat::Reading(reading) => self.read(*reading).await,
                Seat::Client(client) => self.look_on(*client).await,
            }
            self.role.send_replace(Role::Seeking);
            next = self.seek().await;
        }
    }

    /// Publishes what this process reads, until the end.
    async fn read(&mut self, reading: Reading) {
        let hub = reading.hub.handle();
        let mut states = hub.rig();
        states.mark_changed();
        let mut answering = JoinSet::new();
        loop {
            tokio::select! {
                () = self.ending.cancelled() => break,
                Ok(()) = states.changed() => {
                    Arc::clone(&states.borrow_and_update()).publish(&self.rig);
                }
                Some(Order { request, answer }) = self.orders.recv(), if answering.len() < ORDERS_MOST => {
                    let hub = hub.clone();
                    answering.spawn(async move {
                        // Whoever asked may have stopped waiting.
                        let _ = answer.send(hub.ask(request).await);
                    });
                }
                Some(_) = answering.join_next() => {}
            }
        }
        let Reading { hub, server, held } = reading;
        let serving = async {
            if let Some(server) = server {
                server.stop().await;
            }
        };
        tokio::join!(serving, hub.stop());
        // Not before the probe is gone: the next holder starts one at once.
        drop(held);
    }

    /// Publishes what the holder reads, until it is gone or the end.
    async fn look_on(&mut self, client: Client) {
        tokio::select! {
            () = self.ending.cancelled() => {}
            left = client.connection.run(&self.rig, &mut self.orders) => {
                tracing::info!(reason = %left, holder = client.by.holder.pid, "no client any more");
                if matches!(left, Left::Gone) {
                    self.rig.send_if_modified(|state| {
                        let after = state.after_silence().map(Arc::new);
                        after.map(|after| *state = after).is_some()
                    });
                }
            }
        }
    }

    /// The next seat; `None` at the end. Tries for as long as it takes, twice a second at last.
    async fn seek(&mut self) -> Option<Seat> {
        let mut pause = PAUSE;
        loop {
            let why = tokio::select! {
                () = self.ending.cancelled() => return None,
                taken = Seat::take(&self.setup) => match taken {
                    Ok(seat) => return Some(seat),
                    Err(why) => why,
                },
            };
            tracing::debug!(error = %why, "no seat yet");
            self.rest(pause, &ApiError::from(&why)).await;
            pause = (pause * 2).min(PAUSE_MOST);
        }
    }

    /// A pause in which requests are refused at once and the end is heard.
    async fn rest(&mut self, pause: Duration, refusal: &ApiError) {
        let until = Instant::now() + pause;
        loop {
            tokio::select! {
                () = self.ending.cancelled() => return,
                () = sleep_until(until) => return,
                Some(order) = self.orders.recv() => {
                    // Whoever asked may have stopped waiting.
                    let _ = order.answer.send(Err(refusal.clone()));
                }
            }
        }
    }
}
