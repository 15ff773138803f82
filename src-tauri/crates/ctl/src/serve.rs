//! `fanfarectl serve`: the engine without a window.
//!
//! It holds the data directory until a signal asks it to end, and serves every other program of this user's that shows the rig. It
//! never looks on: a service that does not read is none.

use std::time::Duration;

use fanfare_engine::{Engine, api::Kind};

use crate::{
    args::RigArgs,
    failure::{Failure, complain},
    leaving::Leaving,
    session::{self, Pace},
    words::{Language, holder},
};

/// Once a second, as the window reads.
const PACE: Pace = Pace { interval: Duration::from_secs(1), slow_every: 60 };

pub(crate) async fn run(rig: &RigArgs, language: Language) -> Result<(), Failure> {
    // Before anything is held: a signal must find somebody who hears it.
    let mut leaving = Leaving::new()?;
    let opening = session::decide(rig)?;
    let engine = Engine::hold(session::setup(&opening, Kind::Serve, PACE).await?).await?;
    complain(&holder::serving(&opening.directory.to_string_lossy(), language));
    leaving.asked().await;
    engine.stop().await;
    Ok(())
}
