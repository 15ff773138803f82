//! The energy account of one card, as a pure machine: readings go in in the order in which they were recorded, hours come out.
//!
//! **Intervals.** Between two readings the energy is known by the card's counter, else by samples of its power, else by a guess, else
//! not at all (`means`). Over a gap only the counter reaches, within one boot and one session of the driver; else the gap's time is
//! unknown. The later reading of two says how the card was used; over a gap that is not known, and whether it was rented only if both
//! its ends say the same.
//!
//! **Hours** are of the wall, in UTC. An interval begins where its first reading's clock says and is as long as the time since boot
//! says, and is cut at the hours in proportion to time. So an hour that the clock was set back in holds more than 3,600 s, and one
//! that it was set forward over less.
//!
//! **An hour is closed**, and never touched again, when a reading lies beyond it, or when time passed beyond it and nothing can tell
//! any more what the card did since its last reading. Until then it stays open, so that a card that was silent over an hour's end can
//! still be bridged; for at most 24 h of silence.
//!
//! **A clock set back** by less than two hours changes no hour: what comes goes on in the open one. Set back further, it closes the
//! open hour. What then falls into an hour that is closed already goes to the first after it that is not: nothing is lost, and
//! nothing doubled. Time between two boots, of which nothing but the wall tells, is not moved so: what of it falls into closed hours
//! was none, or the clock was wrong.
//!
//! **Resuming.** With each hour comes a [`Cursor`]. An account that is resumed from it and given the readings from the cursor's moment
//! on makes the same hours as one that never stopped.
//!
//! Bounds: of a gap at most the last 400 days become hours, so that one reading makes at most 9,602 of them.

mod hour;
mod means;
mod reading;
mod split;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use hour::{IDLE_BELOW, Share, Sums};
pub use reading::{At, Reading, Tenancy};
pub use split::hour_of;

pub(crate) use split::HOUR_SECONDS;

use hour::{Open, Use};
use means::{LONGEST_GAP_US, Means, may_become_known, means};
use split::{Piece, in_proportion, pieces};

/// By how many hours the clock may be set back without closing the open one.
const HOURS_BACK: i64 = 1;

/// An hour of a card, closed or as far as it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hour {
    /// The hour, counted from 1970 in UTC.
    pub hour: i64,
    /// What is in it.
    pub sums: Sums,
    /// Where the account goes on behind it.
    pub cursor: Cursor,
}

/// Where an account goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The reading to go on from.
    pub at: At,
    /// How much of the time after it is in the account already, in microseconds.
    pub done_us: i64,
    /// The greatest power limit that was seen so far, in mW.
    pub limit_mw: Option<u32>,
}

/// The energy account of one card.
#[derive(Debug, Clone)]
pub struct Account {
    /// Up to where time is accounted for; none before the first reading.
    frontier: Option<Frontier>,
    open: Option<Open>,
    /// The hours that this account has closed: as many as it gave away.
    closed: BTreeSet<i64>,
    limit_mw: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Frontier {
    at: At,
    done_us: i64,
    /// The reading that was made there; none where nothing can be joined to it any more.
    reading: Option<Reading>,
}

/// A stretch of time that is to be accounted for.
struct Stretch {
    means: Means,
    usage: Use,
    /// Its pieces, each with its part of what was counted.
    pieces: Vec<(Piece, u64)>,
    /// Whether it lies between two boots, where only the wall tells how long it was.
    is_by_the_wall: bool,
}

impl Account {
    /// An account that begins with the first reading, or goes on from where one stopped.
    pub fn new(cursor: Option<Cursor>) -> Self {
        let frontier =
            cursor.map(|cursor| Frontier { at: cursor.at, done_us: cursor.done_us, reading: None });
        Self {
            frontier,
            open: None,
            closed: BTreeSet::new(),
            limit_mw: cursor.and_then(|cursor| cursor.limit_mw),
        }
    }

    /// Takes the next reading, and gives the hours that it closes, in order. A resumed account is to be given the readings from its
    /// cursor's moment on, that one included if it can still be had. One that is not later than the last of its boot is passed over.
    ///
    /// `is_posted` tells whether the ledger has a row of this card and an hour.
    ///
    /// # Errors
    /// Those of `is_posted`. The account is then to be thrown away.
    pub fn take<E>(
        &mut self,
        reading: &Reading,
        mut is_posted: impl FnMut(i64) -> Result<bool, E>,
    ) -> Result<Vec<Hour>, E> {
        self.limit_mw = self.limit_mw.max(reading.limit_mw);
        let at = reading.at;
        match &mut self.frontier {
            Some(frontier) if frontier.at.boot == at.boot && at.boottime_us <= frontier.at.boottime_us => {
                if frontier.at.boottime_us == at.boottime_us && reading.tells() {
                    frontier.reading = Some(*reading);
                }
                Ok(Vec::new())
            }
            Some(frontier) if reading.tells() => {
                let frontier = *frontier;
                let stretch = self.stretch(&frontier, reading);
                let closed = self.account_for(&frontier, &stretch, &mut is_posted)?;
                self.frontier = Some(Frontier { at, done_us: 0, reading: Some(*reading) });
                Ok(closed)
            }
            Some(frontier) => {
                let frontier = *frontier;
                self.hear_silence(&frontier, reading, &mut is_posted)
            }
            none => {
                *none = reading.tells().then_some(Frontier { at, done_us: 0, reading: Some(*reading) });
                Ok(Vec::new())
            }
        }
    }

    /// The hour that is not closed yet, as far as it has come.
    pub fn open(&self) -> Option<Hour> {
        let (open, frontier) = (self.open.as_ref()?, self.frontier?);
        let cursor = Cursor { at: frontier.at, done_us: frontier.done_us, limit_mw: self.limit_mw };
        Some(Hour { hour: open.hour, sums: open.sums, cursor })
    }

    /// The time from the frontier to a reading.
    fn stretch(&self, frontier: &Frontier, to: &Reading) -> Stretch {
        let from = frontier.reading;
        let means = from.map_or(Means::Unknown, |from| means(&from, to, self.limit_mw));
        let whole_us = frontier.at.until(&to.at);
        // What is unknown has no parts to be told, so it may begin anywhere.
        let begin_us = match means {
            Means::Unknown => frontier.done_us.max(whole_us.saturating_sub(LONGEST_GAP_US)),
            _ => 0,
        };
        let cut: Vec<Piece> = pieces(frontier.at.wall_us, begin_us, whole_us).collect();
        let parts = match means {
            Means::Counted { mj, .. } => {
                let weights: Vec<u64> = cut.iter().map(|piece| piece.us).collect();
                in_proportion(mj, &weights)
            }
            _ => vec![0; cut.len()],
        };
        let rest = cut.into_iter().zip(parts).filter(|(piece, _)| piece.from_us >= frontier.done_us);
        Stretch {
            means,
            usage: usage(from.as_ref(), to, means),
            pieces: rest.collect(),
            is_by_the_wall: frontier.at.boot != to.at.boot,
        }
    }

    /// Adds a stretch to its hours.
    fn account_for<E>(
        &mut self,
        frontier: &Frontier,
        stretch: &Stretch,
        is_posted: &mut impl FnMut(i64) -> Result<bool, E>,
    ) -> Result<Vec<Hour>, E> {
        let mut closed = Vec::new();
        for (piece, counted_mj) in &stretch.pieces {
            if stretch.is_by_the_wall && self.is_closed(piece.hour, is_posted)? {
                continue;
            }
            let hour = self.row_of(self.open.as_ref(), piece.hour, is_posted)?;
            let mut open = match self.open.take() {
                Some(open) if open.hour == hour => open,
                Some(open) => {
                    closed.push(self.close(&open, frontier.at, piece.from_us));
                    Open::new(hour)
                }
                None => Open::new(hour),
            };
            open.add(*piece, stretch.means, *counted_mj, stretch.usage);
            self.open = Some(open);
        }
        Ok(closed)
    }

    /// Time passed and the card said nothing. If nothing can tell any more what it did, and the hour of its last reading is over, that
    /// hour is closed; the time after it waits for the next reading, so that a card that is gone makes no hours.
    fn hear_silence<E>(
        &mut self,
        frontier: &Frontier,
        silence: &Reading,
        is_posted: &mut impl FnMut(i64) -> Result<bool, E>,
    ) -> Result<Vec<Hour>, E> {
        if frontier.reading.is_some_and(|from| may_become_known(&from, silence, self.limit_mw)) {
            return Ok(Vec::new());
        }
        let given_up = Frontier { reading: None, ..*frontier };
        self.frontier = Some(given_up);
        let Some(mut open) = self.open.take() else { return Ok(Vec::new()) };
        let whole_us = frontier.at.until(&silence.at);
        let is_by_the_wall = frontier.at.boot != silence.at.boot;
        let mut waiting = Vec::new();
        for piece in pieces(frontier.at.wall_us, frontier.done_us, whole_us) {
            if self.row_of(Some(&open), piece.hour, is_posted)? == open.hour {
                if !is_by_the_wall || !self.is_closed(piece.hour, is_posted)? {
                    waiting.push(piece);
                }
                continue;
            }
            for piece in waiting {
                open.add(piece, Means::Unknown, 0, Use::default());
            }
            let closed = self.close(&open, frontier.at, piece.from_us);
            self.frontier = Some(Frontier { done_us: piece.from_us, ..given_up });
            return Ok(vec![closed]);
        }
        self.open = Some(open);
        Ok(Vec::new())
    }

    /// The hour in whose row something of an hour of the wall goes, beside the open one if there is one.
    fn row_of<E>(
        &self,
        open: Option<&Open>,
        hour: i64,
        is_posted: &mut impl FnMut(i64) -> Result<bool, E>,
    ) -> Result<i64, E> {
        let Some(open) = open else { return self.first_free(hour, is_posted) };
        if open.hour == hour {
            return Ok(hour);
        }
        let free = self.first_free(hour, is_posted)?;
        let is_little_earlier = free < open.hour && open.hour - free <= HOURS_BACK;
        Ok(if is_little_earlier { open.hour } else { free })
    }

    /// The first hour from one on that is not closed.
    fn first_free<E>(
        &self,
        mut hour: i64,
        is_posted: &mut impl FnMut(i64) -> Result<bool, E>,
    ) -> Result<i64, E> {
        // As many rounds as hours are closed, at most.
        while self.is_closed(hour, is_posted)? {
            hour += 1;
        }
        Ok(hour)
    }

    /// Whether this account gave the hour away, or the ledger has it.
    fn is_closed<E>(&self, hour: i64, is_posted: &mut impl FnMut(i64) -> Result<bool, E>) -> Result<bool, E> {
        Ok(self.closed.contains(&hour) || is_posted(hour)?)
    }

    fn close(&mut self, open: &Open, at: At, done_us: i64) -> Hour {
        self.closed.insert(open.hour);
        Hour { hour: open.hour, sums: open.sums, cursor: Cursor { at, done_us, limit_mw: self.limit_mw } }
    }
}

/// How the card was used from one reading to the next.
fn usage(from: Option<&Reading>, to: &Reading, means: Means) -> Use {
    match means {
        Means::Counted { bridges: true, .. } => Use {
            idle: None,
            tenancy: to.tenancy.filter(|_| from.is_some_and(|from| from.tenancy == to.tenancy)),
        },
        _ => Use { idle: to.utilisation.map(|utilisation| utilisation < IDLE_BELOW), tenancy: to.tenancy },
    }
}
