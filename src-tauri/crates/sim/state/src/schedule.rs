//! Who rents which card when, and what the work does to it: pure functions of seed, board and time.
//!
//! Time is cut into tenancies of three hours, shifted by card so that changes do not coincide. About two in
//! three are let. A rental begins up to 20 minutes into its tenancy and ends up to 40 minutes before the end,
//! or is prolonged into the next one, at most three times. Nothing is remembered, so any instant can be
//! asked about in constant time (at most four looks back).

use crate::noise::{Use, bits, unit};
use crate::quantise::{float, whole};

const SECOND: u64 = 1_000_000_000;
/// Length of a tenancy.
const TENANCY: u64 = 3 * 3600 * SECOND;
/// How many tenancies a rental can go on for beyond its first: together 12 hours.
const LONGEST: u64 = 3;
/// Share of tenancies that are let.
const LET: f64 = 0.65;
/// Share of let tenancies that prolong a rental of the tenancy before.
const PROLONGED: f64 = 0.3;
/// First invented pid. Above Linux's greatest (2^22), so that it never is a real process of this machine.
pub const FIRST_PID: u32 = 4_200_000;

/// What a renter does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Close to full load for hours, short dips between epochs.
    Training,
    /// Bursts of some seconds.
    Inference,
    /// Frames: 40 s of full load, 8 s of loading.
    Render,
}

/// One rental.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rental {
    /// Start in simulated nanoseconds.
    pub from: u64,
    /// End in simulated nanoseconds, exclusive.
    pub until: u64,
    /// What it does.
    pub work: Work,
    /// Its one process.
    pub pid: u32,
    /// Identity of the rental, for its own sequence of noise.
    id: u64,
    /// How long it had run at `from`: a rental that began before time 0 is in the middle of its work.
    head: u64,
}

/// What work demands of a card at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Core utilisation, 0..=1.
    pub busy: f64,
    /// Share of the time in which memory is busy at full utilisation, 0..=1.
    pub memory_share: f64,
    /// Share of the free frame buffer that is in use, 0..=1.
    pub footprint: f64,
}

fn is_let(seed: u64, board: u64, tenancy: u64) -> bool {
    unit(seed, Use::Tenancy, board, tenancy * 4) < LET
}

fn prolongs(seed: u64, board: u64, tenancy: u64) -> bool {
    tenancy > 0
        && is_let(seed, board, tenancy)
        && is_let(seed, board, tenancy - 1)
        && unit(seed, Use::Tenancy, board, tenancy * 4 + 1) < PROLONGED
}

/// The rental of `board` at simulated time `at`, if any.
#[must_use]
pub fn rental_at(seed: u64, board: u32, at: u64) -> Option<Rental> {
    let who = u64::from(board);
    // Tenancy numbers start at 1: the shift puts every card somewhere inside its first one at time 0.
    let shift = TENANCY + bits(seed, Use::Tenancy, who, u64::MAX) % TENANCY;
    let shifted = at.saturating_add(shift);
    let tenancy = shifted / TENANCY;
    if !is_let(seed, who, tenancy) {
        return None;
    }
    let mut first = tenancy;
    while first + LONGEST > tenancy && prolongs(seed, who, first) {
        first -= 1;
    }
    let goes_on = tenancy - first < LONGEST && prolongs(seed, who, tenancy + 1);
    let id = bits(seed, Use::Tenancy, who, first * 4 + 2);
    // The start of a rental cut off by LONGEST is its tenancy's own, so that two rentals never overlap.
    let start = (first * TENANCY).saturating_add(id % (1200 * SECOND));
    let end = (tenancy + 1) * TENANCY - if goes_on { 0 } else { (id >> 20) % (2400 * SECOND) };
    if shifted < start || shifted >= end {
        return None;
    }
    let work = match id % 10 {
        0..5 => Work::Training,
        5..8 => Work::Inference,
        _ => Work::Render,
    };
    let pid = FIRST_PID + whole(f64::from(u32::try_from(id >> 44).unwrap_or(0)));
    let (from, head) = (start.saturating_sub(shift), shift.saturating_sub(start));
    Some(Rental { from, until: end - shift, work, pid, id, head })
}

impl Rental {
    /// The platform it came over, by the name that the platform gives itself: most rentals come over the largest.
    #[must_use]
    pub const fn platform(&self) -> &'static str {
        match (self.id >> 8) % 10 {
            0..7 => "Vast.ai",
            _ => "TensorDock",
        }
    }

    /// When it began, in simulated nanoseconds; below zero if it ran already when the rig was made.
    #[must_use]
    pub fn began(&self) -> i64 {
        let ns = |count| i64::try_from(count).unwrap_or(i64::MAX);
        ns(self.from).saturating_sub(ns(self.head))
    }

    /// What the rental demands at `at`.
    #[must_use]
    pub fn demand(&self, at: u64) -> Demand {
        let second = (at.saturating_sub(self.from) + self.head) / SECOND;
        match self.work {
            Work::Training => Demand {
                // An epoch of ten minutes ends with 15 s of validation.
                busy: if second % 600 >= 585 { 0.25 } else { 0.97 + 0.03 * self.wobble(second) },
                memory_share: 0.55,
                footprint: 0.92,
            },
            Work::Inference => self.burst(second),
            Work::Render => Demand {
                busy: if second % 48 < 40 { 0.99 } else { 0.12 },
                memory_share: 0.35,
                footprint: 0.45,
            },
        }
    }

    fn wobble(&self, when: u64) -> f64 {
        unit(self.id, Use::Load, 0, when)
    }

    /// Requests come in slices of 6 s; about six in ten hold a burst of its own height and length.
    fn burst(&self, second: u64) -> Demand {
        let slice = second / 6;
        let within = float(second % 6) / 6.0;
        let served = self.wobble(slice * 3) < 0.6 && within < 0.3 + 0.7 * self.wobble(slice * 3 + 1);
        let busy = if served { 0.55 + 0.4 * self.wobble(slice * 3 + 2) } else { 0.02 };
        Demand { busy, memory_share: 0.4, footprint: 0.7 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3600 * SECOND;

    #[test]
    fn about_two_thirds_of_the_time_is_let_and_every_kind_of_work_occurs() {
        let mut let_minutes = 0_u32;
        let mut kinds = std::collections::BTreeSet::new();
        let minutes = 20 * 24 * 60;
        for board in 0..8 {
            for minute in 0..minutes {
                if let Some(rental) = rental_at(1, board, minute * 60 * SECOND) {
                    let_minutes += 1;
                    kinds.insert(format!("{:?}", rental.work));
                }
            }
        }
        // 0.65 of the tenancies, of each about 2.5 of 3 hours: 0.54 plus what prolonging adds.
        let share = f64::from(let_minutes) / (8.0 * float(minutes));
        assert!((0.45..0.70).contains(&share), "let {share}");
        assert_eq!(kinds.len(), 3);
    }

    #[test]
    fn a_rental_is_the_same_whenever_asked_and_two_never_overlap() {
        for board in 0..8 {
            let mut last: Option<Rental> = None;
            for minute in 0..(10 * 24 * 60) {
                let at = minute * 60 * SECOND;
                let Some(rental) = rental_at(9, board, at) else { continue };
                assert!(rental.from <= at && at < rental.until, "board {board} at {minute} min");
                assert!(rental.until - rental.from <= 12 * HOUR);
                if let Some(before) = last.filter(|before| before.pid != rental.pid) {
                    assert!(before.until <= rental.from, "board {board} at {minute} min");
                }
                last = Some(rental);
            }
        }
    }

    #[test]
    fn a_rental_has_one_platform_and_one_begin_and_both_platforms_occur() {
        let mut platforms = std::collections::BTreeSet::new();
        for board in 0..8 {
            let mut last: Option<Rental> = None;
            for minute in 0..(10 * 24 * 60) {
                let at = minute * 60 * SECOND;
                let Some(rental) = rental_at(2, board, at) else { continue };
                assert!(rental.began() <= i64::try_from(at).unwrap());
                if let Some(before) = last.filter(|before| before.pid == rental.pid) {
                    assert_eq!((before.platform(), before.began()), (rental.platform(), rental.began()));
                }
                platforms.insert(rental.platform());
                last = Some(rental);
            }
        }
        assert_eq!(platforms.into_iter().collect::<Vec<_>>(), ["TensorDock", "Vast.ai"]);
    }

    #[test]
    fn a_rental_from_before_the_beginning_began_below_zero() {
        let rental = Rental { from: 0, until: HOUR, work: Work::Render, pid: FIRST_PID, id: 0, head: 7 };
        assert_eq!(rental.began(), -7);
        assert_eq!(Rental { from: 9, head: 0, ..rental }.began(), 9);
    }

    #[test]
    fn pids_are_above_linuxs_greatest() {
        let rental = (0..100).find_map(|hour| rental_at(3, 0, hour * HOUR));
        assert!(rental.is_some_and(|rental| rental.pid > 1 << 22));
    }

    #[test]
    fn each_kind_of_work_has_its_own_course() {
        let rental = |work| Rental { from: 0, until: 24 * HOUR, work, pid: FIRST_PID, id: 77, head: 0 };
        let course = |work| {
            let rental = rental(work);
            (0..3600).map(|s| rental.demand(s * SECOND).busy).collect::<Vec<_>>()
        };
        let share_above = |course: &[f64], limit: f64| {
            float(course.iter().filter(|busy| **busy > limit).count() as u64) / 3600.0
        };
        // 585 of 600 s; 40 of 48 s (the hour holds whole frames); bursts between a fifth and three fifths.
        assert!((share_above(&course(Work::Training), 0.9) - 0.975).abs() < 1e-9);
        assert!((share_above(&course(Work::Render), 0.9) - 40.0 / 48.0).abs() < 1e-9);
        assert!((0.2..0.6).contains(&share_above(&course(Work::Inference), 0.5)));
    }
}
