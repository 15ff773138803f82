//! Why nothing could be measured.

use std::{io, path::PathBuf};

use fanfare_sim_state::StateError;
use nvml_wrapper::error::NvmlError;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("no bench has a name that begins with {0:?}; --list names them")]
    NoBench(String),
    #[error("{path} is not there: build it with `cargo build --release` first ({source})")]
    NotBuilt {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the peer is not there: run `make test-peers` once, or set FANFARE_PEERS_PYTHON ({0})")]
    NoPeer(#[source] io::Error),
    #[error("prometheus and promtool are not there: `make bench` installs them ({0})")]
    NoPrometheus(#[source] io::Error),
    #[error("strace is not there: `make bench` installs it ({0})")]
    NoStrace(#[source] io::Error),
    #[error("the page over recorded data is not there: run `npm --prefix ui run build:recorded` ({0})")]
    NoRecordedPage(#[source] io::Error),
    #[error("node is not there: `make bench` says where it is to be had ({0})")]
    NoNode(#[source] io::Error),
    #[error("no time can be told")]
    Clock,
    #[error("the engine does not do what is measured: {0}")]
    Engine(String),
    #[error("the peer said {0:?} where a number was due")]
    Peer(String),
    #[error("the driver cannot be read: {}", .0.detail)]
    Trouble(fanfare_rig::Trouble),
    #[error("the probe stopped making sweeps")]
    NoSweeps,
    #[error("the window does not do what is measured: {0}")]
    NoWindow(String),
    #[error("{0} cannot be read as bench results")]
    Results(PathBuf),
    #[error(transparent)]
    History(#[from] fanfare_history::HistoryError),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    Sim(#[from] StateError),
    #[error(transparent)]
    Nvml(#[from] NvmlError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}
