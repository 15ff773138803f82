//! `fanfarectl watch`: the rig, live.
//!
//! On a terminal a table that is redrawn in place; into a pipe or file the same table as text, once a sweep; with `--json` one
//! object a line. A reader that goes away ends it without a word.

mod leaving;
mod live;

use std::{
    io::{IsTerminal, Write, stdout},
    time::Duration,
};

use fanfare_engine::{RigNews, RigView};

use crate::{
    args::{RigArgs, WatchArgs},
    failure::{Failure, complain},
    json,
    session::{Pace, Session, is_simulated},
    table::RigTable,
    words::{self, Language},
};

pub(crate) async fn run(rig: &RigArgs, args: &WatchArgs, language: Language) -> Result<(), Failure> {
    let pace = Pace { interval: Duration::from_millis(args.interval_ms), slow_every: 60 };
    let mut session = Session::open(rig, pace).await?;
    let watched = if !args.json && stdout().is_terminal() {
        live::watch(&mut session, args.count, language).await
    } else {
        stream(&mut session, args, language).await
    };
    session.watch.stop().await;
    watched
}

/// Writes each look, and on the standard error each silence.
async fn stream(session: &mut Session, args: &WatchArgs, language: Language) -> Result<(), Failure> {
    let mut left = args.count.unwrap_or(u64::MAX);
    while left > 0 {
        tokio::select! {
            news = session.watch.next() => match news? {
                RigNews::View(view) => {
                    write(session, &view, args, language)?;
                    left -= 1;
                }
                RigNews::Silence(span) => complain(&words::silence(span.as_secs(), language)),
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
