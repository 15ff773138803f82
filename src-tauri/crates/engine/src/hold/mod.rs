//! Who holds a data directory: one process at a time, by a lock that the kernel takes back when that process goes, however it goes.

mod lock;

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::Holder;

pub use lock::{HoldLock, Holding, LockError, look};

/// The process that holds a data directory, and where it is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBy {
    /// The process.
    pub holder: Holder,
    /// Since when it holds.
    pub since: Timestamp,
    /// Where it listens; `None` if it could not make its socket.
    pub socket: Option<PathBuf>,
}
