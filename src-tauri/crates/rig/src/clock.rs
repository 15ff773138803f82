//! The machine's clocks, read together. Logic takes stamps as arguments; only the edges (probe, engine) ask here.

use std::{fs, io, time::Duration};

use fanfare_units::{BootId, Boottime, Stamp};
use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Takes stamps in the running boot. The boot id is read once: it cannot change under a living process.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    boot: BootId,
}

impl Clock {
    /// A clock for this boot.
    ///
    /// # Errors
    /// The kernel's boot id could not be read (no `/proc`).
    pub fn of_this_boot() -> io::Result<Self> {
        let text = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
        let boot = text.parse().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(Self { boot })
    }

    /// The present moment.
    pub fn stamp(&self) -> Stamp {
        let now = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or(0);
        Stamp {
            wall: Timestamp::now(),
            boottime: Boottime::since_boot(Duration::new(seconds, nanoseconds)),
            boot: self.boot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_stamps_of_one_clock_are_in_order_and_of_one_boot() {
        let clock = Clock::of_this_boot().unwrap();
        let (first, second) = (clock.stamp(), clock.stamp());
        assert!(second.since(&first).is_some(), "both stamps are of this boot");
        assert!(second.boottime >= first.boottime, "boottime never runs backwards");
    }
}
