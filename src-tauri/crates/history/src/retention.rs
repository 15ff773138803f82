//! How long what is kept.
//!
//! What is too old goes as whole hours of samples and whole days of minutes, oldest first; minutes stay at least as long as their
//! samples, and hours for ever. At each hour's end little more goes than came: a clock that is wrong by years for an hour costs the
//! oldest few hours and not everything, and no end of an hour takes long.

use rusqlite::{Connection, Transaction, params};

use crate::{
    levels::Packed,
    store::{HistoryError, begin},
    time::day_of,
};

/// How long samples and minutes are kept, in days. Hours are kept for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Each sweep.
    pub raw_days: u16,
    /// Least, mean and greatest of each minute.
    pub minute_days: u16,
}

impl Default for Retention {
    fn default() -> Self {
        Self { raw_days: 8, minute_days: 400 }
    }
}

/// The most hours of samples that go at once.
const MOST_HOURS: i64 = 4;
/// The most days of minutes that go at once; an hour sees a twenty-fourth of one come.
const MOST_DAYS: i64 = 1;

/// What is too old: sealed hours before the first, packed days before the second, both counted from 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) hour: i64,
    pub(crate) day: i64,
}

impl Retention {
    /// What is too old in an hour.
    pub(crate) const fn cut(self, hour: i64) -> Cut {
        Cut { hour: hour - 24 * self.raw_days as i64, day: day_of(hour) - self.minute_days as i64 }
    }
}

/// Drops some of what is too old in an hour, in one transaction; whether anything was.
pub(crate) fn prune(
    connection: &mut Connection,
    retention: Retention,
    hour: i64,
) -> Result<bool, HistoryError> {
    let cut = retention.cut(hour);
    let transaction = begin(connection)?;
    let dropped = prune_hours(&transaction, cut)? + prune_days(&transaction, cut)?;
    if dropped == 0 {
        return Ok(false);
    }
    // The newest is what the recorder goes on from.
    transaction.execute(
        "DELETE FROM segment WHERE id < (SELECT max(id) FROM segment)
         AND id NOT IN (SELECT segment FROM sheet) AND id NOT IN (SELECT segment FROM tail)",
        [],
    )?;
    transaction.commit()?;
    Ok(true)
}

fn prune_hours(transaction: &Transaction<'_>, cut: Cut) -> Result<usize, HistoryError> {
    let oldest = "SELECT DISTINCT hour FROM sheet WHERE hour < ?1 ORDER BY hour LIMIT ?2";
    let sheets = format!("SELECT id FROM sheet WHERE hour IN ({oldest})");
    transaction
        .prepare_cached(&format!("DELETE FROM chunk WHERE sheet IN ({sheets})"))?
        .execute(params![cut.hour, MOST_HOURS])?;
    let sheets = transaction
        .prepare_cached(&format!("DELETE FROM sheet WHERE hour IN ({oldest})"))?
        .execute(params![cut.hour, MOST_HOURS])?;
    Ok(sheets)
}

fn prune_days(transaction: &Transaction<'_>, cut: Cut) -> Result<usize, HistoryError> {
    let oldest = "SELECT DISTINCT span FROM pack WHERE level = ?1
                  AND span < min(?2, coalesce((SELECT min(hour) FROM sheet) / 24, ?2)) ORDER BY span LIMIT ?3";
    let packs = transaction
        .prepare_cached(&format!("DELETE FROM pack WHERE level = ?1 AND span IN ({oldest})"))?
        .execute(params![Packed::Minutes.number(), cut.day, MOST_DAYS])?;
    Ok(packs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_old_is_counted_in_whole_hours_and_days() {
        let keep = |raw_days, minute_days| Retention { raw_days, minute_days };
        // Hour 500,000 lies in day 20,833 (20,833 × 24 = 499,992).
        for (retention, hour, day) in [
            (Retention::default(), 499_808, 20_433),
            (keep(1, 1), 499_976, 20_832),
            (keep(0, 0), 500_000, 20_833),
        ] {
            assert_eq!(retention.cut(500_000), Cut { hour, day }, "{retention:?}");
        }
    }
}
