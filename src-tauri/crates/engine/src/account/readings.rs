//! What the account wants to know of a sweep: the history's values of one card as a reading.

use std::sync::Arc;

use fanfare_history::{Past, Quantity, Series};
use fanfare_ledger::{At, Reading, Tenancy};

/// What an account is made of.
const QUANTITIES: [Quantity; 5] =
    [Quantity::Energy, Quantity::Power, Quantity::Utilisation, Quantity::PowerLimit, Quantity::Tenancy];

/// Bits of [`Quantity::Tenancy`]: nothing computes, and its owner's own job. In both cases nobody rents it.
const FREE: i64 = 1 | 4;
const RENTED: i64 = 2;

/// The series of a card that an account is made of.
pub(super) fn series(card: &Arc<str>) -> [Series; 5] {
    QUANTITIES.map(|quantity| Series::new(Arc::clone(card), quantity))
}

/// A sweep of [`series`] as a reading. What has no value, or one that cannot be meant, is missing.
pub(super) fn reading(past: &Past<'_>) -> Reading {
    let [counter, power, utilisation, limit, tenancy] = values(past.values);
    let at = At { boot: past.boot, boottime_us: past.boottime_us, wall_us: past.wall_us };
    Reading {
        counter_mj: number(counter),
        power_mw: number(power),
        utilisation: number(utilisation),
        limit_mw: number(limit),
        tenancy: tenancy.and_then(tenancy_of),
        ..Reading::silent(at, past.session, past.every)
    }
}

fn values(values: &[Option<i64>]) -> [Option<i64>; 5] {
    std::array::from_fn(|place| values.get(place).copied().flatten())
}

fn number<T: TryFrom<i64>>(value: Option<i64>) -> Option<T> {
    value.and_then(|value| T::try_from(value).ok())
}

/// Busy for somebody who is not known is neither.
const fn tenancy_of(bits: i64) -> Option<Tenancy> {
    match bits {
        RENTED => Some(Tenancy::Rented),
        bits if bits & FREE != 0 && bits & !FREE == 0 => Some(Tenancy::Free),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn past(values: &[Option<i64>]) -> Past<'_> {
        Past {
            boot: "a".repeat(32).parse().unwrap(),
            session: 3,
            every: Duration::from_secs(1),
            boottime_us: 7,
            wall_us: 9,
            values,
        }
    }

    #[test]
    fn each_value_is_what_its_quantity_means() {
        let quantities = series(&"GPU-1".into()).map(|series| series.quantity);
        assert_eq!(quantities, QUANTITIES);
        let all = reading(&past(&[Some(1_000), Some(90_000), Some(40), Some(115_000), Some(2)]));
        let at = At { boot: "a".repeat(32).parse().unwrap(), boottime_us: 7, wall_us: 9 };
        let expected = Reading {
            at,
            session: 3,
            every: Duration::from_secs(1),
            counter_mj: Some(1_000),
            power_mw: Some(90_000),
            utilisation: Some(40),
            limit_mw: Some(115_000),
            tenancy: Some(Tenancy::Rented),
        };
        assert_eq!(all, expected);
    }

    #[test]
    fn what_is_missing_or_cannot_be_meant_is_missing() {
        let nothing = Reading::silent(reading(&past(&[])).at, 3, Duration::from_secs(1));
        assert_eq!(reading(&past(&[None; 5])), nothing);
        assert_eq!(reading(&past(&[Some(-1), Some(1 << 32), Some(256), Some(-5), Some(0)])), nothing);
    }

    #[test]
    fn a_card_is_rented_or_free_only_if_that_is_known() {
        for (bits, tenancy) in [
            (1, Some(Tenancy::Free)),
            (2, Some(Tenancy::Rented)),
            (4, Some(Tenancy::Free)),
            (8, None),
            (3, None),
            (0, None),
        ] {
            assert_eq!(tenancy_of(bits), tenancy, "{bits}");
        }
    }
}
