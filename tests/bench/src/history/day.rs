//! A day of the simulated rig: eight cards with rentals and the noise of real sensors, twelve quantities, a sweep a second.

use std::{path::Path, sync::Arc, time::Duration};

use fanfare_history::{Quantity, Series, Source, Sweep};
use fanfare_sim_state::{CardView, Clock, Setup, World};
use fanfare_units::{BootId, Boottime, Stamp};
use jiff::Timestamp;

use crate::failure::Failure;

/// Seconds of a day.
pub(crate) const DAY_S: u64 = 86_400;

/// The twelve quantities, in the order in which [`values_of`] has them.
pub(crate) const QUANTITIES: [Quantity; 12] = [
    Quantity::Temperature,
    Quantity::Power,
    Quantity::Energy,
    Quantity::Utilisation,
    Quantity::MemoryUtilisation,
    Quantity::MemoryUsed,
    Quantity::GraphicsClock,
    Quantity::MemoryClock,
    Quantity::FanReported,
    Quantity::FanSpeed,
    Quantity::Throttle,
    Quantity::PerformanceState,
];

/// A day and a second of it, so that its last hour is over.
#[derive(Debug)]
pub(crate) struct Day {
    /// The cards' names.
    pub(crate) cards: Vec<Arc<str>>,
    /// Its sweeps; each has the quantities of the first card, then of the second, and so on.
    pub(crate) sweeps: Vec<Sweep>,
}

impl Day {
    /// The day that ended at midnight of UTC, of a rig in a file in `folder`.
    pub(crate) fn make(folder: &Path) -> Result<Self, Failure> {
        Self::of_seconds(folder, DAY_S)
    }

    /// The first seconds of it.
    pub(crate) fn of_seconds(folder: &Path, seconds: u64) -> Result<Self, Failure> {
        let setup = Setup { clock: Clock::Manual, ..Setup::default() };
        let world = World::create(&folder.join("rig.sim"), &setup)?;
        let clock = DayClock::until(Timestamp::now())?;
        let cards: Vec<Arc<str>> = world.cards()?.iter().map(|card| card.uuid.as_str().into()).collect();
        let series: Vec<Series> = cards
            .iter()
            .flat_map(|card| QUANTITIES.map(|quantity| Series::new(Arc::clone(card), quantity)))
            .collect();
        let mut sweeps = Vec::new();
        for second in 0..=seconds {
            world.advance(Duration::from_secs(1))?;
            let values = world.cards()?;
            let values = values.iter().flat_map(values_of);
            sweeps.push(Sweep {
                at: clock.stamp(second)?,
                source: Source { session: 1, every: Duration::from_secs(1) },
                values: series.iter().cloned().zip(values).collect(),
                marks: Vec::new(),
            });
        }
        Ok(Self { cards, sweeps })
    }

    /// The series of all cards and quantities, in the order of a sweep's values.
    pub(crate) fn series(&self) -> impl Iterator<Item = &Series> {
        self.sweeps.first().into_iter().flat_map(|sweep| sweep.values.iter().map(|(series, _)| series))
    }

    /// The values of the series of this place.
    pub(crate) fn values(&self, place: usize) -> impl Iterator<Item = i64> {
        self.sweeps.iter().filter_map(move |sweep| sweep.values.get(place).and_then(|(_, value)| *value))
    }

    /// When the first sweep began.
    pub(crate) fn begin(&self) -> Timestamp {
        self.sweeps.first().map_or(Timestamp::UNIX_EPOCH, |sweep| sweep.at.wall)
    }
}

/// The clocks of the rig, which was started as the day began.
struct DayClock {
    boot: BootId,
    midnight_s: i64,
}

impl DayClock {
    /// Of the last whole day before `now`: what is much older would be dropped, as too old, by a recorder that goes on.
    fn until(now: Timestamp) -> Result<Self, Failure> {
        let boot = "0123456789abcdef0123456789abcdef".parse().map_err(|_| Failure::Clock)?;
        let days = now.as_second().div_euclid(86_400) - 1;
        Ok(Self { boot, midnight_s: days * 86_400 })
    }

    /// Up to a millisecond after a second, as a sweep is.
    fn stamp(&self, second: u64) -> Result<Stamp, Failure> {
        let late_us = second.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        let since_us = second * 1_000_000 + late_us;
        let wall_us = self.midnight_s * 1_000_000 + i64::try_from(since_us).map_err(|_| Failure::Clock)?;
        Ok(Stamp {
            wall: Timestamp::from_microsecond(wall_us).map_err(|_| Failure::Clock)?,
            boottime: Boottime::since_boot(Duration::from_micros(since_us)),
            boot: self.boot,
        })
    }
}

fn values_of(card: &CardView) -> [Option<i64>; 12] {
    let large = |value: Option<u64>| value.and_then(|value| i64::try_from(value).ok());
    let fan = card.fans.first();
    [
        Some(card.temperature.into()),
        card.power_mw.map(i64::from),
        large(card.energy_mj),
        Some(card.utilization.into()),
        Some(card.memory_utilization.into()),
        large(Some(card.memory.used)),
        Some(card.graphics_mhz.into()),
        Some(card.memory_mhz.into()),
        fan.map(|fan| fan.percent.into()),
        fan.map(|fan| fan.rpm.into()),
        Some(card.reasons.into()),
        Some(card.pstate.into()),
    ]
}
