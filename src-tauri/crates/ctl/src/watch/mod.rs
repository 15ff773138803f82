//! `fanfarectl watch`: the rig, live.
//!
//! On a terminal a table that is redrawn in place; into a pipe or file the same table as text, once a sweep; with `--json` one
//! object a line. A reader that goes away ends it without a word.

mod live;

use std::{
    io::{IsTerminal, Write, stdout},
    time::Duration,
};

use crate::{
    args::{RigArgs, WatchArgs},
    failure::{Failure, complain},
    json,
    news::RigNews,
    session::{Pace, Session},
    table::RigTable,
    view::{RigView, is_simulated},
    words::{self, Language, holder},
};

/// Time between two sweeps, where this process reads and nothing else was asked for.
const INTERVAL_MS: u64 = 1_000;

pub(crate) async fn run(rig: &RigArgs, args: &WatchArgs, language: Language) -> Result<(), Failure> {
    let pace =
        Pace { interval: Duration::from_millis(args.interval_ms.unwrap_or(INTERVAL_MS)), slow_every: 60 };
    let mut session = Session::open(rig, pace).await?;
    if args.interval_ms.is_some() && session.looks_on() {
        complain(holder::pace_is_its_own(language));
    }
    let watched = if !args.json && stdout().is_terminal() {
        live::watch(&mut session, args.count, language).await
    } else {
        stream(&mut session, args, language).await
    };
    session.close().await;
    watched
}

/// Writes each look, and on the standard error each silence.
async fn stream(session: &mut Session, args: &WatchArgs, language: Language) -> Result<(), Failure> {
    let mut left = args.count.unwrap_or(u64::MAX);
    while left > 0 {
        tokio::select! {
            news = session.next() => match news? {
                RigNews::View(view) => {
                    write(session, &view, args, language)?;
                    left -= 1;
                }
                RigNews::Quiet(why, span) => complain(&words::quiet(&why, span.as_secs(), language)),
            },
            interrupted = tokio::signal::ctrl_c() => return Ok(interrupted?),
        }
    }
    Ok(())
}

fn write(session: &Session, view: &RigView, args: &WatchArgs, language: Language) -> Result<(), Failure> {
    if args.json {
        return json::write(view, session.profile, stdout().lock());
    }
    let table = RigTable {
        view,
        simulated: is_simulated(session.profile, view),
        language,
        silence: None,
        foot: None,
    };
    let mut to = stdout().lock();
    to.write_all(table.to_text().as_bytes())?;
    Ok(writeln!(to)?)
}
