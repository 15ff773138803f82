//! `fanfarectl cards`: one look at the rig.

use std::{
    io::{Write, stdout},
    time::Duration,
};

use fanfare_engine::profile::Profile;
use fanfare_rig::{Answer, Card, Roster};
use tokio::time::{Instant, timeout_at};

use crate::{
    args::{CardsArgs, RigArgs},
    failure::Failure,
    json,
    news::RigNews,
    session::{Pace, Session},
    status,
    table::RigTable,
    view::{RigView, is_simulated},
    words::Language,
};

/// How long a driver may take to start and list its cards; with persistence off a rig of eight takes some seconds.
const PATIENCE: Duration = Duration::from_secs(15);
/// One look is taken at this pace: a card may take three quarters of it, and a second look, where the first was not whole, comes soon.
const PACE: Pace = Pace { interval: Duration::from_millis(500), slow_every: 60 };

pub(crate) async fn run(rig: &RigArgs, args: &CardsArgs, language: Language) -> Result<(), Failure> {
    let mut session = Session::open(rig, PACE).await?;
    let view = look(&mut session).await;
    let profile = session.profile;
    let not_listed = session.nothing_came(PATIENCE.as_secs());
    let remembered = session.remembered();
    session.close().await;
    let view = match view {
        Ok(Some(view)) => view,
        Ok(None) => return Err(not_listed),
        Err(failure) => {
            // A rig that cannot be read is no rig without cards.
            if let (Failure::Driver(_), Some(view)) = (&failure, remembered) {
                write(&view, profile, args, language)?;
            }
            return Err(failure);
        }
    };
    write(&view, profile, args, language)?;
    if !matches!(view.snapshot.roster, Roster::Read) {
        return Err(not_listed);
    }
    let cards = status::cards(&view);
    if cards > 0 && status::answering(&view) == 0 { Err(Failure::NoneAnswers { cards }) } else { Ok(()) }
}

fn write(view: &RigView, profile: Profile, args: &CardsArgs, language: Language) -> Result<(), Failure> {
    if args.json {
        return json::write(view, profile, stdout().lock());
    }
    let simulated = is_simulated(profile, view);
    let table = RigTable { view, simulated, language, silence: None, foot: None };
    Ok(stdout().lock().write_all(table.to_text().as_bytes())?)
}

/// The first look in which every card has answered and the driver has said what it is; or the last before patience ran out. A card
/// that is silent for one look may only be slow at its first calls, and is given its time.
async fn look(session: &mut Session) -> Result<Option<Box<RigView>>, Failure> {
    let limit = Instant::now() + PATIENCE;
    let mut last: Option<Box<RigView>> = None;
    while let Ok(news) = timeout_at(limit, session.next()).await {
        match news? {
            RigNews::View(view) if is_whole(&view) => return Ok(Some(view)),
            RigNews::View(view) => last = Some(view),
            RigNews::Quiet(..) => {}
        }
    }
    Ok(last)
}

fn is_whole(view: &RigView) -> bool {
    let snapshot = &view.snapshot;
    let answered = |card: &Card| matches!(card.answer, Answer::Sample(_));
    matches!(snapshot.roster, Roster::Read)
        && snapshot.driver.is_some()
        && snapshot.cards.iter().all(answered)
}
