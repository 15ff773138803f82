//! What is chosen when a rig is set up.

use std::path::PathBuf;

use crate::clock::{Clock, MAX_SPEED};
use crate::error::StateError;
use crate::layout::{Config, MAX_CARDS};
use crate::profile::{self, Profile};
use crate::quantise::{floor64, small};

/// Who may change cards through the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Callers whose effective set has CAP_SYS_ADMIN, as the kernel module demands.
    Privileged,
    /// Anyone; for a demo.
    Anyone,
}

/// Choices for a new rig.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Name of the profile.
    pub profile: String,
    /// Cards, 0..=64; `None` for as many as the profile has.
    pub cards: Option<usize>,
    /// Seed of everything that looks random.
    pub seed: u64,
    /// How the clock moves.
    pub clock: Clock,
    /// Speed of a real clock against real time, 0.001 to 1000.
    pub speed: f64,
    /// Who may write.
    pub writes: Writes,
    /// Whether rentals come and go.
    pub rentals: bool,
    /// Slots whose cards have no power telemetry.
    pub no_power: Vec<usize>,
    /// CPU time each call burns, in microseconds.
    pub call_cost_us: u32,
    /// A scenario file to take in.
    pub scenario: Option<PathBuf>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            profile: profile::RTX4060X8.name.to_owned(),
            cards: None,
            // Shows at once what there is: training, bursts of inference and two idle cards.
            seed: 2,
            clock: Clock::Real,
            speed: 1.0,
            writes: Writes::Privileged,
            rentals: true,
            no_power: Vec::new(),
            call_cost_us: 0,
            scenario: None,
        }
    }
}

/// Wall time of simulated time 0 under a manual clock, so that two runs are equal: 2026-01-01T00:00:00Z.
const MANUAL_ORIGIN_US: u64 = 1_767_225_600_000_000;

/// A speed in thousandths.
///
/// # Errors
/// [`StateError::Range`] unless 0.001 ≤ `speed` ≤ 1000.
pub(crate) fn speed_milli(speed: f64) -> Result<u64, StateError> {
    if (0.001..=MAX_SPEED).contains(&speed) {
        return Ok(floor64((speed * 1000.0).round()));
    }
    let found = i64::try_from(floor64(speed.abs())).unwrap_or(i64::MAX);
    Err(StateError::Range { what: "speed", low: 0, high: 1000, found })
}

impl Setup {
    /// The profile that is meant.
    ///
    /// # Errors
    /// [`StateError::UnknownProfile`].
    pub fn profile(&self) -> Result<&'static Profile, StateError> {
        profile::by_name(&self.profile)
    }

    /// Cards at the start.
    ///
    /// # Errors
    /// [`StateError::UnknownProfile`], or [`StateError::Range`] above 64.
    pub fn cards(&self) -> Result<usize, StateError> {
        let cards = self.cards.unwrap_or(self.profile()?.cards);
        if cards <= MAX_CARDS {
            return Ok(cards);
        }
        let found = i64::try_from(cards).unwrap_or(i64::MAX);
        Err(StateError::Range { what: "cards", low: 0, high: 64, found })
    }

    /// The record that goes into the file; `wall_us` is the wall clock now.
    pub(crate) fn config(&self, wall_us: u64) -> Result<Config, StateError> {
        let mut no_power = 0;
        for slot in &self.no_power {
            if *slot >= self.cards()? {
                return Err(StateError::NoCard { card: *slot });
            }
            no_power |= 1 << slot;
        }
        Ok(Config {
            seed: self.seed,
            no_power,
            wall_origin_us: if self.clock == Clock::Manual { MANUAL_ORIGIN_US } else { wall_us },
            profile: profile::number_of(self.profile()?),
            cards: small(self.cards()?),
            rentals: u32::from(self.rentals),
            writes_anyone: u32::from(self.writes == Writes::Anyone),
            call_cost_us: self.call_cost_us,
            spare: 0,
        })
    }

    /// Speed of the clock as it stands in the file; 0 for a manual one.
    pub(crate) fn clock_speed(&self) -> Result<u64, StateError> {
        match self.clock {
            Clock::Manual => Ok(0),
            Clock::Real => speed_milli(self.speed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_out_of_range_is_refused() {
        let cases = [
            Setup { cards: Some(65), ..Setup::default() },
            Setup { no_power: vec![8], ..Setup::default() },
            Setup { profile: "gtx".into(), ..Setup::default() },
        ];
        for setup in cases {
            assert!(setup.config(0).is_err(), "{setup:?}");
        }
        for speed in [0.0, -1.0, 1001.0, f64::NAN] {
            assert!(Setup { speed, ..Setup::default() }.clock_speed().is_err(), "{speed}");
        }
    }

    #[test]
    fn the_default_is_the_owners_rig() {
        let setup = Setup::default();
        assert_eq!(setup.config(7).map(|c| (c.cards, c.rentals, c.writes_anyone)).ok(), Some((8, 1, 0)));
        assert_eq!(setup.clock_speed().ok(), Some(1000));
        let two = Setup { no_power: vec![0, 3], ..Setup::default() };
        assert_eq!(two.config(7).map(|c| c.no_power).ok(), Some(0b1001));
    }
}
