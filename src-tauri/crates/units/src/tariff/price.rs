//! The price of a kilowatt-hour at an instant.

use jiff::{Timestamp, tz::TimeZone};
use rust_decimal::Decimal;

use super::{Period, Rate, TariffError, TariffPlan, check};
use crate::{Currency, zone};

/// A tariff that can serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tariff {
    plan: TariffPlan,
    zone: TimeZone,
}

/// What a kilowatt-hour costs at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// All of it, the surcharge included.
    pub per_kwh: Decimal,
    /// In which it is paid.
    pub currency: Currency,
    /// The period, where the tariff has any.
    pub period: Option<Period>,
}

impl Tariff {
    /// The tariff that was typed, with its seasons and segments in order.
    ///
    /// # Errors
    /// It cannot serve.
    pub fn new(mut plan: TariffPlan) -> Result<Self, TariffError> {
        check::check(&plan)?;
        if let Rate::TimeOfUse { seasons, .. } = &mut plan.rate {
            seasons.sort_by_key(|season| (season.month, season.day));
            for season in seasons {
                season.segments.sort_by_key(|segment| (segment.hour, segment.minute));
            }
        }
        let zone = zone(&plan.zone)?;
        Ok(Self { plan, zone })
    }

    /// What was typed, in order.
    pub const fn plan(&self) -> &TariffPlan {
        &self.plan
    }

    /// What a kilowatt-hour costs at `at`; none where the tariff does not hold.
    pub fn price_at(&self, at: Timestamp) -> Option<Price> {
        let clock = at.to_zoned(self.zone.clone()).datetime();
        let day = clock.date();
        if day < self.plan.valid_from || self.plan.valid_to.is_some_and(|end| day >= end) {
            return None;
        }
        let (rate, period) = match &self.plan.rate {
            Rate::Single { per_kwh } => (*per_kwh, None),
            Rate::TimeOfUse { prices, seasons } => {
                let season = holding(seasons, |season| {
                    (i32::from(season.month), i32::from(season.day)) <= (day.month().into(), day.day().into())
                })?;
                let segment = holding(&season.segments, |segment| {
                    (i32::from(segment.hour), i32::from(segment.minute))
                        <= (clock.hour().into(), clock.minute().into())
                })?;
                (prices.of(segment.period)?, Some(segment.period))
            }
        };
        let per_kwh = rate.checked_add(self.plan.surcharge_per_kwh)?;
        Some(Price { per_kwh, currency: self.plan.currency, period })
    }
}

/// Of parts in order, each of which holds until the next begins, the one that holds: the last that has begun, and before the first
/// the last of the round before.
fn holding<T>(parts: &[T], has_begun: impl Fn(&T) -> bool) -> Option<&T> {
    parts.iter().rev().find(|part| has_begun(part)).or(parts.last())
}
