//! The alarm that wakes a stand-by when the leader is late.
//!
//! A kernel timer, because it is set and cleared without waking anybody: the stand-by sleeps through every sweep that goes well.

use std::{io, time::Duration};

use rustix::{
    fd::OwnedFd,
    io::{Errno, read},
    time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    },
};

/// One alarm.
#[derive(Debug)]
pub(crate) struct Alarm(OwnedFd);

impl Alarm {
    /// An alarm that is not set. Its clock is that of [`std::time::Instant`], which stands while the machine sleeps.
    ///
    /// # Errors
    /// The process may open no more files.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?))
    }

    /// Lets it go off once, `after` this from now, in place of what was set.
    ///
    /// # Errors
    /// None that a sound descriptor can give rise to.
    pub(crate) fn set(&self, after: Duration) -> io::Result<()> {
        self.settle(after)
    }

    /// Lets it not go off.
    ///
    /// # Errors
    /// As for [`Alarm::set`].
    pub(crate) fn clear(&self) -> io::Result<()> {
        self.settle(Duration::ZERO)
    }

    /// Waits until it goes off, for however long: it is the business of a thread that has no other. Of several that wait, one gets
    /// through.
    ///
    /// # Errors
    /// As for [`Alarm::set`].
    pub(crate) fn wait(&self) -> io::Result<()> {
        let mut times = [0_u8; size_of::<u64>()];
        loop {
            match read(&self.0, &mut times) {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(()),
            }
        }
    }

    /// A zero duration clears, by the kernel's rule.
    fn settle(&self, after: Duration) -> io::Result<()> {
        let once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Timespec::try_from(after).map_err(|_| io::ErrorKind::InvalidInput)?;
        timerfd_settime(
            &self.0,
            TimerfdTimerFlags::empty(),
            &Itimerspec { it_interval: once, it_value: value },
        )?;
        Ok(())
    }
}
