//! `fanfarectl history compact`: gives room that is free in the file back to the disk.
//!
//! The file is written anew, which only its holder may do: another program that holds the data directory is asked to and waited for;
//! where none does, this one takes the directory for as long as it takes.

use std::{
    io::{Write, stdout},
    process,
    time::Duration,
};

use fanfare_engine::{
    Engine, EngineError, Obstacle, Opening,
    api::{HistoryUsage, Holder, Kind, Reply, Request},
    hold::{HeldBy, HoldLock, Holding},
    settings::HistorySettings,
    visit,
};
use fanfare_history::{Compacted, FILE, Recorder, Retention};
use jiff::Timestamp;
use tokio::time::{Instant, sleep};

use super::work;
use crate::{
    failure::{Failure, complain},
    leaving::Leaving,
    session::{self, Pace},
    words::{Language, history},
};

/// This is only for the case that the holder goes just now and this program takes over.
const PACE: Pace = Pace { interval: Duration::from_secs(1), slow_every: 60 };
/// How often the holder is asked whether it is done.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// How long the holder is waited for: far more than any disk takes for some hundred megabytes.
const PATIENCE: Duration = Duration::from_mins(30);

pub(super) async fn run(opening: &Opening, language: Language) -> Result<(), Failure> {
    let path = opening.directory.join(FILE);
    if !path.exists() {
        return Err(Failure::NoHistory { path });
    }
    let compacted = match visit(&opening.directory, Kind::Command).await.map_err(EngineError::from)? {
        Holding::Free => by_itself(opening, language).await?,
        Holding::Held(_) => by_the_holder(opening, language).await?,
    };
    Ok(writeln!(stdout().lock(), "{}", history::compacted(compacted, language))?)
}

async fn by_itself(opening: &Opening, language: Language) -> Result<Compacted, Failure> {
    let lock =
        HoldLock::take(&opening.directory).map_err(|error| EngineError::from(Obstacle::from(error)))?;
    let holder =
        Holder { pid: process::id(), kind: Kind::Command, version: env!("CARGO_PKG_VERSION").to_owned() };
    lock.name(&HeldBy { holder, since: Timestamp::now(), socket: None })?;
    let (directory, retention) = (opening.directory.clone(), retention(opening.settings().history));
    let compacted = work::run(move |stop| {
        let mut opened = Recorder::open(&directory, retention, Timestamp::now())?;
        if let Some(aside) = opened.set_aside {
            complain(&history::set_aside(&aside.path.to_string_lossy(), language));
        }
        complain(history::compacting(language));
        Ok(opened.recorder.compact(move || stop.flow())?)
    })
    .await;
    drop(lock);
    compacted
}

const fn retention(settings: HistorySettings) -> Retention {
    Retention { raw_days: settings.raw_days, minute_days: settings.minute_days }
}

async fn by_the_holder(opening: &Opening, language: Language) -> Result<Compacted, Failure> {
    let mut leaving = Leaving::new()?;
    let engine = Engine::start(session::setup(opening, Kind::Command, PACE).await?).await?;
    complain(history::compacting_elsewhere(language));
    let done = tokio::select! {
        done = asked(&engine) => done,
        () = leaving.asked() => {
            complain(history::goes_on_elsewhere(language));
            Err(Failure::Interrupted)
        }
    };
    engine.stop().await;
    done
}

async fn asked(engine: &Engine) -> Result<Compacted, Failure> {
    let before = usage(engine).await?.file_bytes;
    engine.ask(Request::CompactHistory).await?;
    let limit = Instant::now() + PATIENCE;
    while Instant::now() < limit {
        let usage = usage(engine).await?;
        if usage.compacting_failed {
            return Err(Failure::NotCompacted);
        }
        if usage.compacting_since_ms.is_none() {
            return Ok(Compacted { before, after: usage.file_bytes });
        }
        sleep(LOOK_AGAIN).await;
    }
    Err(Failure::Interrupted)
}

async fn usage(engine: &Engine) -> Result<HistoryUsage, Failure> {
    match engine.ask(Request::HistoryUsage).await? {
        Reply::HistoryUsage(usage) => Ok(usage),
        _ => Err(Failure::Ended),
    }
}
