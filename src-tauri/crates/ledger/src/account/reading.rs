//! What comes in: one reading of one card, as plain values.

use std::time::Duration;

use fanfare_units::BootId;

/// When a reading began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// The boot that `boottime_us` counts from.
    pub boot: BootId,
    /// Microseconds since boot, suspends included. Spans within a boot come from it alone.
    pub boottime_us: i64,
    /// Microseconds since 1970 by the wall. It says which hour the moment belongs to.
    pub wall_us: i64,
}

impl At {
    /// Microseconds from this moment to a later one: by the time since boot, and across boots, where nothing better is known, by the
    /// wall. None that is negative.
    pub(super) fn until(&self, later: &Self) -> i64 {
        let us = if self.boot == later.boot {
            later.boottime_us.saturating_sub(self.boottime_us)
        } else {
            later.wall_us.saturating_sub(self.wall_us)
        };
        us.max(0)
    }
}

/// Whether a card is rented, as far as that is known for certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tenancy {
    /// Somebody rents it.
    Rented,
    /// Nobody does: it is idle, or works for its owner.
    Free,
}

/// One reading of one card. What is missing was not answered, and is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// When it began.
    pub at: At,
    /// The driver's session: while it is the same, the driver was certainly not loaded anew.
    pub session: u32,
    /// How often readings are made.
    pub every: Duration,
    /// The card's own counter of energy, in mJ since some moment of the driver's choice.
    pub counter_mj: Option<u64>,
    /// Board power in mW.
    pub power_mw: Option<u32>,
    /// Share of time in which the core was busy since the reading before, in %.
    pub utilisation: Option<u8>,
    /// The power limit in force, in mW.
    pub limit_mw: Option<u32>,
    /// Whether the card is rented; none where that is not known.
    pub tenancy: Option<Tenancy>,
}

impl Reading {
    /// That time passed while the card said nothing.
    pub const fn silent(at: At, session: u32, every: Duration) -> Self {
        Self {
            at,
            session,
            every,
            counter_mj: None,
            power_mw: None,
            utilisation: None,
            limit_mw: None,
            tenancy: None,
        }
    }

    /// Whether it says anything about energy. One that does not is as good as none: the time over it is a gap.
    pub(super) const fn tells(&self) -> bool {
        self.counter_mj.is_some()
            || self.power_mw.is_some()
            || (self.utilisation.is_some() && self.limit_mw.is_some())
    }
}
