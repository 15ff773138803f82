//! Fans: the automatic curve with its zero-RPM range, manual speeds, and blades that take time to follow.

use crate::layout::{CardRecord, MAX_FANS};
use crate::profile::Profile;

/// The automatic curve moves up by at most this much a step, in percent (8 %/s).
const RISE: f64 = 0.8;
/// … and down by this much (2 %/s).
const FALL: f64 = 0.2;
/// Share of the difference that the blades make up in one step (time constant 0.5 s).
const FOLLOW: f64 = 0.18;

/// What the automatic curve wants at `die_c`, in percent, for fans that turn.
fn curve(profile: &Profile, die_c: f64) -> f64 {
    let c = &profile.cooling;
    let least = f64::from(c.min_percent);
    let share = ((die_c - c.start_c) / (c.full_c - c.start_c)).clamp(0.0, 1.0);
    least + (100.0 - least) * share
}

/// One step of curve and blades.
pub(crate) fn turn(card: &mut CardRecord, profile: &Profile) {
    let c = &profile.cooling;
    let turning = card.spinning == 1;
    let turns = if turning { card.die_c > c.stop_c } else { card.die_c >= c.start_c };
    card.spinning = u32::from(turns);
    card.auto_fan = if turns {
        let wanted = curve(profile, card.die_c);
        // From rest straight to the least speed: slower than that a fan does not turn.
        let from = card.auto_fan.max(f64::from(c.min_percent));
        wanted.clamp(from - FALL, from + RISE)
    } else {
        0.0
    };
    let intended = (0..profile.fans as usize).map(|fan| intended_percent(card, fan)).sum::<f64>();
    let average = intended / f64::from(profile.fans.max(1));
    card.blades += FOLLOW * (average / 100.0 - card.blades);
}

/// What the driver intends for `fan`, in percent: the manual target, or the automatic curve.
pub(crate) fn intended_percent(card: &CardRecord, fan: usize) -> f64 {
    let fan = fan.min(MAX_FANS - 1);
    match (card.fan_manual.get(fan), card.fan_target.get(fan)) {
        (Some(1), Some(target)) => f64::from(*target),
        _ => card.auto_fan,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::fresh;
    use crate::profile::RTX4060X8 as P;

    #[test]
    fn zero_rpm_has_hysteresis() {
        let mut card = fresh(&P, 1, 0, 0, 25.0);
        // Starts at 56, stops at 46 °C: (temperature, percent after many steps at it).
        for (die_c, percent) in [
            (55.9, 0.0),
            // 30 % at the start of the curve, 100 % at 88 °C.
            (56.0, 30.0),
            (72.0, 65.0),
            (88.0, 100.0),
            (99.0, 100.0),
            (46.1, 30.0),
            (46.0, 0.0),
            (55.0, 0.0),
        ] {
            card.die_c = die_c;
            (0..500).for_each(|_| turn(&mut card, &P));
            assert!((card.auto_fan - percent).abs() < 1e-9, "{die_c} °C gives {}", card.auto_fan);
            assert!((card.blades * 100.0 - percent).abs() < 0.1, "blades {} at {die_c} °C", card.blades);
        }
    }

    #[test]
    fn a_manual_fan_holds_its_target_and_the_other_follows_the_curve() {
        let mut card = fresh(&P, 1, 0, 0, 25.0);
        card.die_c = 72.0;
        (card.fan_manual, card.fan_target) = ([1, 0, 0, 0], [90, 0, 0, 0]);
        (0..500).for_each(|_| turn(&mut card, &P));
        assert_eq!(intended_percent(&card, 0), 90.0);
        assert!((intended_percent(&card, 1) - 65.0).abs() < 1e-9);
        // The mean of 90 and 65 %.
        assert!((card.blades - 0.775).abs() < 1e-3, "{}", card.blades);
    }
}
