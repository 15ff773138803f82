//! `fanfarectl report`: what an owner attaches to a question.
//!
//! It reads for some seconds, then writes each card's capabilities, limits, ranges, errors and what each driver call cost. It
//! holds no serial number, host name or network address, no process and no user; UUIDs are cut to their first eight digits.
//! It is English in every locale, because it is read by whoever answers.

mod observed;
mod text;

use std::{
    io::{Write, stdout},
    time::Duration,
};

use tokio::time::{Instant, timeout_at};

use crate::{
    args::{ReportArgs, RigArgs},
    failure::Failure,
    news::RigNews,
    session::{Pace, Session},
};
use observed::Observed;

/// Five sweeps a second, and the slow facts twice a second, so that ten seconds give figures worth a percentile.
const PACE: Pace = Pace { interval: Duration::from_millis(200), slow_every: 3 };

pub(crate) async fn run(rig: &RigArgs, args: &ReportArgs) -> Result<(), Failure> {
    let mut session = Session::open(rig, PACE).await?;
    let observed = observe(&mut session, Duration::from_secs(args.seconds)).await;
    let report = observed.map(|observed| text::write(&observed, &session));
    session.close().await;
    Ok(stdout().lock().write_all(report?.as_bytes())?)
}

async fn observe(session: &mut Session, span: Duration) -> Result<Observed, Failure> {
    let end = Instant::now() + span;
    let mut observed = Observed::default();
    while let Ok(news) = timeout_at(end, session.next()).await {
        match news? {
            RigNews::View(view) => observed.take(*view),
            RigNews::Quiet(..) => observed.silences += 1,
        }
    }
    let Some(view) = &observed.last else {
        return Err(session.nothing_came(span.as_secs()));
    };
    for seat in &view.seats {
        let uuid = &seat.member.uuid;
        observed.calls.insert(uuid.clone(), session.calls(uuid).await);
    }
    Ok(observed)
}
