//! Numbers that look random and are not: each is a pure function of the seed, the thing and the step, so
//! that a reading never depends on how often it was asked for.

/// What a number is for, so that two uses never see the same sequence.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
pub(crate) enum Use {
    /// Identity of a board.
    Identity = 1,
    /// Differences of cooling between boards.
    Cooling,
    /// Noise of the power sensor.
    Power,
    /// Noise of the temperature sensor.
    Temperature,
    /// Tenancy of a card.
    Tenancy,
    /// Course of the load within a rental.
    Load,
    /// Throughput of the link.
    Link,
}

/// 64 mixed bits (the finaliser of SplitMix64 over a sum of odd multiples).
#[must_use]
pub(crate) fn bits(seed: u64, purpose: Use, who: u64, when: u64) -> u64 {
    let mut z = seed
        .wrapping_add((purpose as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(who.wrapping_mul(0xd1b5_4a32_d192_ed03))
        .wrapping_add(when.wrapping_mul(0x8cb9_2ba7_2f3d_8dd7));
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    z
}

/// Evenly spread over 0..1.
#[must_use]
pub(crate) fn unit(seed: u64, purpose: Use, who: u64, when: u64) -> f64 {
    share(bits(seed, purpose, who, when) >> 32)
}

/// Roughly normal with mean 0 and standard deviation 1, never beyond ±3: the scaled sum of three even
/// numbers (variance 3 × 1/12, so twice the sum of the deviations).
#[must_use]
pub(crate) fn normal(seed: u64, purpose: Use, who: u64, when: u64) -> f64 {
    let z = bits(seed, purpose, who, when);
    let part = |shift: u32| share(((z >> shift) & 0x1f_ffff) << 11);
    2.0 * (part(0) + part(21) + part(42) - 1.5)
}

/// A 32-bit number as a share of its range.
fn share(low32: u64) -> f64 {
    f64::from(u32::try_from(low32 & 0xffff_ffff).unwrap_or(u32::MAX)) / 4_294_967_296.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_numbers_have_the_stated_mean_spread_and_bounds() {
        let draws: Vec<f64> = (0..20_000).map(|n| normal(7, Use::Power, 3, n)).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        // The mean of 20 000 draws has a standard error of 1/141 = 0.007.
        assert!(mean.abs() < 0.03, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.05, "variance {variance}");
        assert!(draws.iter().all(|x| x.abs() <= 3.0));
    }

    #[test]
    fn two_uses_of_one_seed_differ() {
        assert_ne!(bits(1, Use::Power, 0, 0), bits(1, Use::Temperature, 0, 0));
        assert_ne!(bits(1, Use::Power, 0, 0), bits(1, Use::Power, 1, 0));
        assert_ne!(bits(1, Use::Power, 0, 0), bits(2, Use::Power, 0, 0));
        assert_eq!(bits(1, Use::Power, 5, 9), bits(1, Use::Power, 5, 9));
    }
}
