//! Whether a typed tariff can serve: nothing that it says is contradictory, missing or absurd.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use super::{Period, Rate, Season, TariffPlan};
use crate::{DayCutError, zone};

/// No kilowatt-hour costs more in any currency of the list: in dong it is some 3,000.
const DEAREST_KWH: i64 = 1_000_000;
/// No rig's meter costs more a month, in any currency of the list.
const DEAREST_MONTH: i64 = 1_000_000_000;
/// Digits after the point that a price may have; bills have four or five.
const DIGITS: u32 = 8;
/// A season a month.
const SEASONS: usize = 12;
/// A segment each half hour.
const SEGMENTS: usize = 48;

/// Why a tariff cannot serve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TariffError {
    /// Its zone is none.
    #[error(transparent)]
    Zone(#[from] DayCutError),
    /// It would end before it begins.
    #[error("it ends before it has begun")]
    NeverValid,
    /// A price below zero, beyond all that is paid, or finer than any bill.
    #[error("{0} is no price: 0 or more, with at most 8 digits after the point")]
    Price(Decimal),
    /// None, or more than one a month.
    #[error("{0} seasons: 1 to 12 are wanted")]
    Seasons(usize),
    /// No year has such a day.
    #[error("no season begins on day {day} of month {month}")]
    SeasonBegin {
        /// The month.
        month: u8,
        /// The day.
        day: u8,
    },
    /// Two seasons begin on one day.
    #[error("two seasons begin on day {day} of month {month}")]
    SeasonTwice {
        /// The month.
        month: u8,
        /// The day.
        day: u8,
    },
    /// None, or more than one a half hour.
    #[error("{0} segments in a season: 1 to 48 are wanted")]
    Segments(usize),
    /// No day has such a time.
    #[error("no segment begins at {hour}:{minute:02}")]
    SegmentBegin {
        /// The hour.
        hour: u8,
        /// The minute.
        minute: u8,
    },
    /// Two segments of a season begin at one time.
    #[error("two segments begin at {hour}:{minute:02}")]
    SegmentTwice {
        /// The hour.
        hour: u8,
        /// The minute.
        minute: u8,
    },
    /// A segment is of a period that has no price.
    #[error("the period {0:?} has no price")]
    NoPrice(Period),
}

pub(super) fn check(plan: &TariffPlan) -> Result<(), TariffError> {
    zone(&plan.zone)?;
    if plan.valid_to.is_some_and(|end| end <= plan.valid_from) {
        return Err(TariffError::NeverValid);
    }
    price(plan.surcharge_per_kwh, DEAREST_KWH)?;
    price(plan.monthly_fee, DEAREST_MONTH)?;
    match &plan.rate {
        Rate::Single { per_kwh } => price(*per_kwh, DEAREST_KWH),
        Rate::TimeOfUse { prices, seasons: parts } => {
            Period::ALL
                .iter()
                .filter_map(|period| prices.of(*period))
                .try_for_each(|it| price(it, DEAREST_KWH))?;
            seasons(parts)?;
            let mut used = parts.iter().flat_map(|season| &season.segments).map(|segment| segment.period);
            used.find(|period| prices.of(*period).is_none())
                .map_or(Ok(()), |none| Err(TariffError::NoPrice(none)))
        }
    }
}

fn price(price: Decimal, dearest: i64) -> Result<(), TariffError> {
    let fine = price.normalize().scale() <= DIGITS;
    let payable = !price.is_sign_negative() || price.is_zero();
    if fine && payable && price <= Decimal::from(dearest) { Ok(()) } else { Err(TariffError::Price(price)) }
}

fn seasons(seasons: &[Season]) -> Result<(), TariffError> {
    if !(1..=SEASONS).contains(&seasons.len()) {
        return Err(TariffError::Seasons(seasons.len()));
    }
    let mut begins = BTreeSet::new();
    for Season { month, day, segments } in seasons {
        let (month, day) = (*month, *day);
        if day == 0 || day > longest(month) {
            return Err(TariffError::SeasonBegin { month, day });
        }
        if !begins.insert((month, day)) {
            return Err(TariffError::SeasonTwice { month, day });
        }
        check_segments(segments)?;
    }
    Ok(())
}

/// Days that a month can have; none for what is no month.
const fn longest(month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 29,
        _ => 0,
    }
}

fn check_segments(segments: &[super::Segment]) -> Result<(), TariffError> {
    if !(1..=SEGMENTS).contains(&segments.len()) {
        return Err(TariffError::Segments(segments.len()));
    }
    let mut begins = BTreeSet::new();
    for segment in segments {
        let (hour, minute) = (segment.hour, segment.minute);
        if hour > 23 || minute > 59 {
            return Err(TariffError::SegmentBegin { hour, minute });
        }
        if !begins.insert((hour, minute)) {
            return Err(TariffError::SegmentTwice { hour, minute });
        }
    }
    Ok(())
}
