//! What the states of the rig come to for somebody who watches it: looks, and why there are none.

use std::time::Duration;

use fanfare_engine::{ProbeState, RigState, api::Holder};
use fanfare_units::Stamp;

use crate::{failure::Failure, view::RigView};

/// What a wait for the rig brings.
#[derive(Debug)]
pub(crate) enum RigNews {
    /// A sweep.
    View(Box<RigView>),
    /// There has been no sweep for this long.
    Quiet(Quiet, Duration),
}

/// Why no sweep comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Quiet {
    /// The driver hangs, as far as anyone can tell.
    Driver,
    /// The driver cannot be read, or the probe fails; it is tried again.
    Probe(Box<ProbeState>),
    /// The process that holds the data directory says nothing: it was stopped, or hangs.
    Holder(Holder),
    /// No process holds it just now.
    NoHolder,
}

/// What was shown last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    /// When the last sweep that was shown began, or when the watch did.
    pub(crate) since: Stamp,
    /// Whether any sweep was shown.
    pub(crate) any: bool,
}

/// What `state` adds to what was shown: a sweep that was not, or why there is none; `None` if it adds nothing. Before the first
/// sweep, what keeps the rig from being read is a failure: there is nothing to look at meanwhile.
pub(crate) fn news(state: &RigState, shown: Shown, now: Stamp) -> Result<Option<RigNews>, Failure> {
    let age = now.since(&shown.since).unwrap_or_default();
    match &state.probe {
        ProbeState::Starting => Ok(None),
        ProbeState::Reading => {
            let view = RigView::of(state).filter(|view| !shown.any || view.snapshot.at != shown.since);
            Ok(view.map(|view| RigNews::View(Box::new(view))))
        }
        ProbeState::Silent { since } => {
            Ok(Some(RigNews::Quiet(Quiet::Driver, now.since(since).unwrap_or_default())))
        }
        ProbeState::HolderSilent { holder, .. } => {
            Ok(Some(RigNews::Quiet(Quiet::Holder(holder.clone()), age)))
        }
        ProbeState::Stuck { since } => {
            Ok(Some(RigNews::Quiet(Quiet::Driver, now.since(since).unwrap_or_default())))
        }
        ProbeState::Trouble { trouble } if !shown.any => Err(Failure::Driver(trouble.clone())),
        ProbeState::Failed { failure, detail } if !shown.any => {
            Err(Failure::Probe { failure: *failure, detail: detail.clone() })
        }
        bad @ (ProbeState::Trouble { .. } | ProbeState::Failed { .. }) => {
            Ok(Some(RigNews::Quiet(Quiet::Probe(Box::new(bad.clone())), age)))
        }
    }
}
