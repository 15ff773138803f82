//! From the model's real numbers to the whole numbers that a driver reports.

/// Rounded to the nearest whole number, clamped to what a `u32` holds; NaN gives 0.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float cast saturates")]
pub fn whole(value: f64) -> u32 {
    value.round() as u32
}

/// As [`whole`], towards zero, for 64 bits.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float cast saturates")]
pub fn floor64(value: f64) -> u64 {
    value as u64
}

/// A count as a float; exact below 2^53, which simulated nanoseconds reach after 104 days.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the bound stands in the doc comment")]
pub fn float(value: u64) -> f64 {
    value as f64
}

/// A small index or slot as `u32`.
#[must_use]
pub fn small(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_saturate_instead_of_wrapping() {
        assert_eq!(whole(-3.0), 0);
        assert_eq!(whole(41.5), 42);
        assert_eq!(whole(f64::NAN), 0);
        assert_eq!(whole(1e12), u32::MAX);
        assert_eq!(floor64(1e30), u64::MAX);
    }
}
