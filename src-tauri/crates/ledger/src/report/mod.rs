//! What rows of energy come to: totals of a card, and its week. Pure sums over [`CardHour`](crate::CardHour)s, closed or open.

mod totals;
mod week;

pub use totals::CardTotals;
pub use week::{Week, WeekHour};
