//! CPU time of a process, to the nanosecond.

use std::{fs, time::Duration};

use rustix::time::{ClockId, clock_gettime};

/// The CPU time that the living threads of another process have used, by the scheduler's own account.
///
/// `/proc/PID/stat` counts in ticks of 10 ms, which is more than a sweep takes; `schedstat` counts nanoseconds. Threads that ended
/// are not in it, and one that runs at this moment is behind, so it is for processes whose threads stay and mostly sleep.
pub(crate) fn of_process(pid: u32) -> std::io::Result<Duration> {
    let mut used = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let account = fs::read_to_string(thread?.path().join("schedstat"))?;
        used += account.split_whitespace().next().and_then(|first| first.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(Duration::from_nanos(used))
}

/// The CPU time that this process has used.
pub(crate) fn of_this_process() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or(0))
}
