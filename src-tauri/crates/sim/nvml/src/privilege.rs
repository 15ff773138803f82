//! Whether the calling thread may write: the kernel module asks for CAP_SYS_ADMIN on each call.

use rustix::thread::{CapabilitySet, capabilities};

/// Whether the calling thread's effective set has CAP_SYS_ADMIN. About 0.2 µs: one system call.
pub(crate) fn caller_is_privileged() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}
