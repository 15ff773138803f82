//! Money: whole micro-units of one currency.
//!
//! Prices of a card-hour have four digits after the point and a day's totals are sums of thousands of them; so money is kept in
//! millionths, as an integer, and never as a float. An `i64` holds 9.2 × 10¹² units of any currency: sums beyond it are an error, not
//! a wrap. Two currencies never meet in arithmetic: [`Money`] carries its currency in its type.
//!
//! ```compile_fail,E0308
//! use fanfare_units::{Money, tender::{Cny, Usd}};
//! let (dollars, yuan) = (Money::<Usd>::from_micro(1), Money::<Cny>::from_micro(1));
//! let wrong = dollars.checked_add(yuan); // does not compile: Money<Usd> wanted
//! ```
//!
//! Where the currency is known only at run time (a row, a message to the page) money is an [`Amount`], which has no arithmetic and
//! becomes [`Money`] by naming the currency.

use std::{fmt, marker::PhantomData};

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use crate::{Currency, Tender};

/// Micro-units in a unit.
const MICRO_DIGITS: u32 = 6;
/// Largest integer up to which JavaScript's numbers are exact: 2^53 − 1.
const LARGEST_EXACT: i64 = (1 << 53) - 1;

/// Money of the currency `C`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money<C: Tender> {
    micro: i64,
    tender: PhantomData<C>,
}

/// Why there is no such money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// More than can be counted.
    #[error("more money than can be counted")]
    Overflow,
    /// Nothing says how to split it.
    #[error("money cannot be split by weights that are all zero")]
    NoWeights,
    /// It is of another currency.
    #[error("{wanted} was wanted and {found} was found")]
    OtherCurrency {
        /// The currency that was asked for.
        wanted: Currency,
        /// The one that it is.
        found: Currency,
    },
}

impl<C: Tender> Money<C> {
    /// None.
    pub const ZERO: Self = Self::from_micro(0);

    /// So many millionths of a unit.
    pub const fn from_micro(micro: i64) -> Self {
        Self { micro, tender: PhantomData }
    }

    /// The money in millionths of a unit.
    pub const fn micro(self) -> i64 {
        self.micro
    }

    /// The sum.
    ///
    /// # Errors
    /// It is more than can be counted.
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        self.micro.checked_add(other.micro).map(Self::from_micro).ok_or(MoneyError::Overflow)
    }

    /// The difference.
    ///
    /// # Errors
    /// It is more than can be counted.
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        self.micro.checked_sub(other.micro).map(Self::from_micro).ok_or(MoneyError::Overflow)
    }

    /// The sum of all.
    ///
    /// # Errors
    /// It is more than can be counted.
    pub fn checked_sum(all: impl IntoIterator<Item = Self>) -> Result<Self, MoneyError> {
        all.into_iter().try_fold(Self::ZERO, Self::checked_add)
    }

    /// So many times the money, rounded once, half to even, to the micro-unit.
    ///
    /// # Errors
    /// It is more than can be counted.
    pub fn times(self, factor: Decimal) -> Result<Self, MoneyError> {
        // Exact in 128 bits, and rounded only then: a decimal product would be rounded to 28 digits before.
        let exact = i128::from(self.micro).checked_mul(factor.mantissa()).ok_or(MoneyError::Overflow)?;
        let rounded = divide_half_even(exact, 10_i128.pow(factor.scale()));
        i64::try_from(rounded).map(Self::from_micro).map_err(|_| MoneyError::Overflow)
    }

    /// Splits the money in proportion to `weights` by the largest remainder (of equal ones the first), so that the parts are the
    /// whole.
    ///
    /// # Errors
    /// All weights are zero, or there are none.
    pub fn split(self, weights: &[u64]) -> Result<Vec<Self>, MoneyError> {
        let total: u128 = weights.iter().copied().map(u128::from).sum();
        if total == 0 {
            return Err(MoneyError::NoWeights);
        }
        // 2^63 × 2^64 fits 128 bits.
        let whole = u128::from(self.micro.unsigned_abs());
        let shares = weights.iter().map(|weight| whole * u128::from(*weight));
        let mut parts: Vec<u128> = shares.clone().map(|share| share / total).collect();
        let left = whole - parts.iter().sum::<u128>();
        let mut order: Vec<(usize, u128)> = shares.map(|share| share % total).enumerate().collect();
        order.sort_by_key(|(index, remainder)| (std::cmp::Reverse(*remainder), *index));
        for (index, _) in order.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
            if let Some(part) = parts.get_mut(index) {
                *part += 1;
            }
        }
        parts.into_iter().map(|part| self.signed(part)).collect()
    }

    /// A part of this money, with its sign.
    fn signed(self, magnitude: u128) -> Result<Self, MoneyError> {
        let part = i128::try_from(magnitude).map_err(|_| MoneyError::Overflow)?;
        let signed = if self.micro < 0 { -part } else { part };
        i64::try_from(signed).map(Self::from_micro).map_err(|_| MoneyError::Overflow)
    }
}

/// `value` ÷ `divisor` (positive), half to even.
fn divide_half_even(value: i128, divisor: i128) -> i128 {
    let (floor, rest) = (value.div_euclid(divisor), value.rem_euclid(divisor));
    match rest.cmp(&(divisor - rest)) {
        std::cmp::Ordering::Less => floor,
        std::cmp::Ordering::Greater => floor + 1,
        std::cmp::Ordering::Equal => floor + floor.rem_euclid(2),
    }
}

/// Money whose currency is known at run time. It serialises as `{micro, currency}`; an amount that JavaScript could not hold exactly
/// is refused on the way out and in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Amount {
    micro: i64,
    currency: Currency,
}

impl Amount {
    /// So many millionths of a unit of `currency`.
    pub const fn from_micro(micro: i64, currency: Currency) -> Self {
        Self { micro, currency }
    }

    /// The amount in millionths of a unit.
    pub const fn micro(self) -> i64 {
        self.micro
    }

    /// Its currency.
    pub const fn currency(self) -> Currency {
        self.currency
    }

    /// As money of the currency `C`.
    ///
    /// # Errors
    /// It is of another.
    pub fn money<C: Tender>(self) -> Result<Money<C>, MoneyError> {
        if self.currency == C::CURRENCY {
            Ok(Money::from_micro(self.micro))
        } else {
            Err(MoneyError::OtherCurrency { wanted: C::CURRENCY, found: self.currency })
        }
    }
}

impl<C: Tender> From<Money<C>> for Amount {
    fn from(money: Money<C>) -> Self {
        Self { micro: money.micro, currency: C::CURRENCY }
    }
}

impl fmt::Display for Amount {
    /// All that is known of it, without trailing zeros; how it is shown to a reader is the screen's matter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Decimal::new(self.micro, MICRO_DIGITS).normalize(), self.currency)
    }
}

/// The form in which an amount crosses.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Crossing {
    micro: i64,
    currency: Currency,
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.micro.unsigned_abs() > LARGEST_EXACT.unsigned_abs() {
            return Err(ser::Error::custom("an amount beyond 2^53 - 1 micro-units does not cross"));
        }
        Crossing { micro: self.micro, currency: self.currency }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Crossing { micro, currency } = Crossing::deserialize(deserializer)?;
        if micro.unsigned_abs() > LARGEST_EXACT.unsigned_abs() {
            return Err(de::Error::custom("an amount beyond 2^53 - 1 micro-units does not cross"));
        }
        Ok(Self { micro, currency })
    }
}

#[cfg(test)]
mod tests;
