//! Dying at a chosen store, for the crash test: the process is killed by SIGKILL, not by a panic.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Names the store (counted from 1, from [`arm`] on) at which the process dies.
pub(crate) const STORE: &str = "FANFARE_SIM_TEST_DIE_AT_STORE";

static ARMED: OnceLock<u64> = OnceLock::new();
static STORES: AtomicU64 = AtomicU64::new(0);

/// From here on stores count.
pub(crate) fn arm(store: u64) {
    let _ = ARMED.set(store);
}

/// Called after each store into the map.
pub(crate) fn point() {
    let Some(fatal) = ARMED.get() else { return };
    if STORES.fetch_add(1, Ordering::SeqCst) + 1 == *fatal {
        let me = rustix::process::getpid();
        let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
        // The signal is on its way; nothing more may be stored.
        loop {
            std::thread::park();
        }
    }
}
