//! What the tests of this crate share.

use crate::{At, CardHour, Cursor, Sums, WallTerms};

pub(crate) const BOOT: &str = "0123456789abcdef0123456789abcdef";

/// Eight cards, 100 W of base, nine tenths of what the supply takes.
pub(crate) const fn terms() -> WallTerms {
    WallTerms { cards: 8, base_mw: 100_000, efficiency_ppm: 900_000, guessed: false }
}

/// An hour of a card, with a cursor at its end.
pub(crate) fn card_hour(card: &str, hour: i64, sums: Sums) -> CardHour {
    let wall_us = hour.saturating_add(1).saturating_mul(3_600_000_000);
    let at = At { boot: BOOT.parse().unwrap(), boottime_us: hour, wall_us };
    CardHour {
        card: card.into(),
        hour,
        sums,
        terms: terms(),
        cursor: Cursor { at, done_us: 0, limit_mw: Some(115_000) },
    }
}
