//! `fanfarectl cards`: one look at the rig.

use std::{
    io::{Write, stdout},
    time::Duration,
};

use fanfare_engine::{RigNews, RigView, RigWatch};
use fanfare_rig::Roster;
use tokio::time::{Instant, timeout_at};

use crate::{
    args::{CardsArgs, RigArgs},
    failure::Failure,
    json,
    session::{Pace, Session, is_simulated},
    table::RigTable,
    words::Language,
};

/// How long a driver may take to start and list its cards; with persistence off a rig of eight takes some seconds.
const PATIENCE: Duration = Duration::from_secs(15);
/// One look is taken at this pace, so that it need not wait for a second sweep.
const PACE: Pace = Pace { interval: Duration::from_millis(250), slow_every: 60 };

pub(crate) async fn run(rig: &RigArgs, args: &CardsArgs, language: Language) -> Result<(), Failure> {
    let mut session = Session::open(rig, PACE).await?;
    let view = first_whole(&mut session.watch).await;
    let profile = session.profile;
    session.watch.stop().await;
    let view = view?;
    if args.json {
        json::write(&view, profile, stdout().lock())
    } else {
        let table = RigTable {
            view: &view,
            simulated: is_simulated(profile, &view),
            language,
            silence: None,
            foot: None,
        };
        Ok(stdout().lock().write_all(table.to_text().as_bytes())?)
    }
}

/// The first look in which the list of cards was read, or the last one before patience ran out.
async fn first_whole(watch: &mut RigWatch) -> Result<Box<RigView>, Failure> {
    let limit = Instant::now() + PATIENCE;
    let mut last = None;
    while let Ok(news) = timeout_at(limit, watch.next()).await {
        match news? {
            RigNews::View(view) if matches!(view.snapshot.roster, Roster::Read) => return Ok(view),
            RigNews::View(view) => last = Some(view),
            RigNews::Silence(_) => {}
        }
    }
    last.ok_or(Failure::NoAnswer)
}
