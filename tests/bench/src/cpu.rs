//! CPU time of a process, to the nanosecond.

use std::{fs, time::Duration};

/// The CPU time that the living threads of a process have used, by the scheduler's own account.
///
/// `/proc/PID/stat` counts in ticks of 10 ms, which is more than a sweep takes; `schedstat` counts nanoseconds. Threads that ended
/// are not in it, so it is for processes whose threads stay.
pub(crate) fn of_process(pid: u32) -> std::io::Result<Duration> {
    let mut used = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let account = fs::read_to_string(thread?.path().join("schedstat"))?;
        used += account.split_whitespace().next().and_then(|first| first.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(Duration::from_nanos(used))
}
