//! What this process knows: whether NVML is initialised, and the opened state file.
//!
//! A C library has nowhere else to keep them than in process-wide variables. The state file is opened by the first
//! `nvmlInit` that can and stays open for the life of the process, as a driver's device node does.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use fanfare_sim_state::{StateError, World};

use crate::codes::{Code, DRIVER_NOT_LOADED, NO_PERMISSION, Outcome, UNINITIALIZED};

/// Names the state file.
const STATE: &str = "FANFARE_SIM_STATE";

static WORLD: OnceLock<World> = OnceLock::new();
static INITS: AtomicU32 = AtomicU32::new(0);

/// The rig, if NVML is initialised.
pub(crate) fn world() -> Outcome<&'static World> {
    if INITS.load(Ordering::Acquire) == 0 {
        return Err(UNINITIALIZED);
    }
    WORLD.get().ok_or(UNINITIALIZED)
}

/// The rig, opened if need be.
pub(crate) fn open() -> Outcome<&'static World> {
    if let Some(world) = WORLD.get() {
        return Ok(world);
    }
    let Some(path) = std::env::var_os(STATE).map(PathBuf::from) else {
        eprintln!("simulated NVML: {STATE} names no state file");
        return Err(DRIVER_NOT_LOADED);
    };
    match World::open(&path) {
        Ok(world) => Ok(WORLD.get_or_init(|| world)),
        Err(error) => {
            eprintln!("simulated NVML: {error}");
            Err(refusal(&error))
        }
    }
}

/// What the real library says of a device node that this user may not open, and of one that is not there.
fn refusal(error: &StateError) -> Code {
    match error {
        StateError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => NO_PERMISSION,
        _ => DRIVER_NOT_LOADED,
    }
}

/// One more user.
pub(crate) fn opened() {
    INITS.fetch_add(1, Ordering::AcqRel);
}

/// One user less; UNINITIALIZED if there was none.
pub(crate) fn closed() -> Outcome {
    INITS
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, |inits| inits.checked_sub(1))
        .map(drop)
        .map_err(|_| UNINITIALIZED)
}
