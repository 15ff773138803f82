//! Following the simulated rig's marketplace: asked each 5 s, started again when it ends or answers no more.
//!
//! What it told stays while it fails to answer twice in a row, 14 s at most; then, or at once when it ends, nobody says any more that
//! a card is rented. It is started again after 1, 2, 4 … 30 s, and after 1 s again once it has lived for a minute. It ends with the
//! last who listens.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

use super::market::{Market, MarketCommand, MarketError};
use crate::{hub::Rentals, profile::Profile};

/// Questions in a row that may fail.
const FAILURES_MOST: u32 = 3;
/// Longest pause before it is started again.
const PAUSE_MOST: Duration = Duration::from_secs(30);
/// One that lived so long is started again as if for the first time.
const PROVEN: Duration = Duration::from_secs(60);

/// Who says which cards are rented.
#[derive(Debug, Clone)]
pub enum RentalSource {
    /// Nobody.
    Nobody,
    /// The simulated rig's marketplace.
    Simulation(MarketCommand),
}

impl RentalSource {
    /// The rentals as they come, for as long as somebody listens. The owner's rig starts and asks no simulation, whatever this names.
    /// Needs a running tokio runtime.
    pub(crate) fn follow(&self, profile: Profile) -> watch::Receiver<Rentals> {
        let (tell, rentals) = watch::channel(Rentals::new());
        match (self, profile) {
            (Self::Simulation(command), Profile::Demo) => {
                tokio::spawn(follow(command.clone(), tell));
            }
            (Self::Simulation(_), Profile::Real) | (Self::Nobody, _) => {}
        }
        rentals
    }
}

async fn follow(command: MarketCommand, tell: watch::Sender<Rentals>) {
    let mut pause = command.pause;
    loop {
        let begun = Instant::now();
        let error = tokio::select! {
            () = tell.closed() => return,
            started = Market::start(&command) => match started {
                Ok(mut market) => {
                    let error = tokio::select! {
                        () = tell.closed() => None,
                        error = attend(&mut market, command.every, &tell) => Some(error),
                    };
                    market.end().await;
                    let Some(error) = error else { return };
                    error
                }
                Err(error) => error,
            },
        };
        tracing::warn!(%error, "the simulated marketplace tells nothing; it is started again");
        renew(&tell, Rentals::new());
        if begun.elapsed() >= PROVEN {
            pause = command.pause;
        }
        tokio::select! {
            () = tell.closed() => return,
            () = sleep(pause) => pause = (pause * 2).min(PAUSE_MOST),
        }
    }
}

/// Asks until it is not worth it any more.
async fn attend(market: &mut Market, every: Duration, tell: &watch::Sender<Rentals>) -> MarketError {
    let mut failures = 0;
    loop {
        match market.rentals().await {
            Ok(rentals) => {
                failures = 0;
                renew(tell, rentals);
            }
            Err(error) if failures + 1 >= FAILURES_MOST => return error,
            Err(_) => failures += 1,
        }
        tokio::select! {
            ended = market.ended() => return ended,
            () = sleep(every) => {}
        }
    }
}

/// Tells what is new.
fn renew(tell: &watch::Sender<Rentals>, rentals: Rentals) {
    tell.send_if_modified(|told| {
        let differs = *told != rentals;
        *told = rentals;
        differs
    });
}
