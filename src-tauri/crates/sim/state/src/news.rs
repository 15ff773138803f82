//! Waiting for news without looking for them: a word in the file that every change of the rig moves on, and on which the kernel
//! lets threads of all processes sleep.
//!
//! A program that waits for events sits in this wait nearly all its life; a wait that polled would cost such a program more than
//! all its readings. A change that a killed process made but did not announce is found at the end of the wait at hand.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::thread::futex;
use rustix::time::Timespec;

use crate::layout;
use crate::map::Map;
use crate::records::Kind;
use crate::world::World;

/// No single sleep is longer, so that a clock that was altered by a killed process is noticed.
const LONGEST: Duration = Duration::from_secs(10);

/// Tells every waiting thread that something changed.
pub(crate) fn announce(map: &Map) {
    let word = map.word(layout::NEWS);
    word.fetch_add(1, Ordering::AcqRel);
    // Fails only for a bad address; the sleepers then wake by their limit.
    let _ = futex::wake(word, futex::Flags::empty(), u32::MAX);
}

impl World {
    /// Where the news stand; take it before looking, and give it to [`World::wait_for_news`].
    #[must_use]
    pub fn news(&self) -> u32 {
        self.map().word(layout::NEWS).load(Ordering::Acquire)
    }

    /// Sleeps until something changed since `seen` was taken, a planned Xid is due, or `limit` of real time has passed.
    pub fn wait_for_news(&self, seen: u32, limit: Duration) {
        let due = self.until_planned_xid().unwrap_or(LONGEST);
        let span = limit.min(due).min(LONGEST);
        let timeout = Timespec {
            tv_sec: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: span.subsec_nanos().into(),
        };
        // Whatever ends it (news, time, a signal), the caller looks again.
        let _ = futex::wait(self.map().word(layout::NEWS), futex::Flags::empty(), seen, Some(&timeout));
    }

    /// Real time until the next Xid that is planned for a later instant; `None` without one, or under a clock that stands still.
    fn until_planned_xid(&self) -> Option<Duration> {
        let speed_milli = crate::session::clock(self.map()).speed_milli;
        let mut session = self.session().ok()?;
        let now = session.now();
        let xids = session.effects().iter().filter(|effect| effect.kind == Kind::Xid as u32);
        let next = xids.map(|effect| effect.from).filter(|from| *from > now).min()?;
        let real = u128::from(next - now) * 1000 / u128::from(speed_milli.max(1));
        (speed_milli > 0).then(|| Duration::from_nanos(u64::try_from(real).unwrap_or(u64::MAX)))
    }
}
