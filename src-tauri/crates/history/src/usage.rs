//! What is on the disk, and what a retention will come to: the figure beside the setting.

use rusqlite::{Connection, params};

use crate::{levels::Packed, retention::Retention, store::HistoryError, time::HOURS_A_DAY};

/// Bytes of one level, and the time that they are of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// Bytes of blocks, without what the file needs around them (some 3 %).
    pub bytes: u64,
    /// Hours of the wall that there is something of.
    pub hours: u64,
}

/// What is on the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The file, with room that is free in it for what comes; its log is not in this.
    pub file_bytes: u64,
    /// Samples of sealed hours.
    pub samples: Stored,
    /// Minutes of packed days.
    pub minutes: Stored,
    /// Bytes of the hours of packed days.
    pub hours_bytes: u64,
}

impl Stored {
    /// Bytes of so many days at the pace so far; `None` while there is nothing to go by.
    fn bytes_of(self, days: u64) -> Option<u64> {
        let hours = days.saturating_mul(HOURS_A_DAY.unsigned_abs());
        self.bytes.saturating_mul(hours).checked_div(self.hours)
    }
}

impl Usage {
    /// What the samples and minutes of a retention will take once it is full; `None` before the first day was packed. The hours, which
    /// are kept for ever, are not in it: a year of them is less than a hundredth of this.
    pub fn expected_bytes(&self, retention: Retention) -> Option<u64> {
        let samples = self.samples.bytes_of(retention.raw_days.into())?;
        let minutes = self.minutes.bytes_of(retention.minute_days.into())?;
        Some(samples.saturating_add(minutes))
    }
}

/// What is on the disk now; a few ten milliseconds for a year of eight cards.
pub(crate) fn usage(connection: &Connection) -> Result<Usage, HistoryError> {
    let one = |sql: &str| -> Result<u64, HistoryError> {
        Ok(connection.query_row(sql, [], |row| row.get::<_, i64>(0))?.unsigned_abs())
    };
    let samples = Stored {
        bytes: one(
            "SELECT (SELECT coalesce(sum(length(block)), 0) FROM chunk) + (SELECT coalesce(sum(length(block)), 0) FROM sheet)",
        )?,
        hours: one("SELECT count(DISTINCT hour) FROM sheet")?,
    };
    let (minute_bytes, minute_days) = packed(connection, Packed::Minutes)?;
    let (hours_bytes, _) = packed(connection, Packed::Hours)?;
    Ok(Usage {
        file_bytes: file_bytes(connection)?,
        samples,
        minutes: Stored {
            bytes: minute_bytes,
            hours: minute_days.saturating_mul(HOURS_A_DAY.unsigned_abs()),
        },
        hours_bytes,
    })
}

/// Bytes of the file, with the room that is free in it, without its log.
pub(crate) fn file_bytes(connection: &Connection) -> Result<u64, HistoryError> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    Ok(connection.query_row(sql, [], |row| row.get::<_, i64>(0))?.unsigned_abs())
}

/// Bytes and spans of the packs of a level.
fn packed(connection: &Connection, level: Packed) -> Result<(u64, u64), HistoryError> {
    let found = connection.query_row(
        "SELECT coalesce(sum(length(block)), 0), count(DISTINCT span) FROM pack WHERE level = ?1",
        params![level.number()],
        |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?.unsigned_abs())),
    );
    Ok(found?)
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;
    use crate::fixtures::{Rig, recorder};

    #[test]
    fn a_retention_costs_what_its_days_have_cost_so_far() {
        let stored = |bytes, hours| Stored { bytes, hours };
        let usage = Usage {
            file_bytes: 0,
            samples: stored(500_000, 12),
            minutes: stored(480_000, 48),
            hours_bytes: 30_000,
        };
        // 8 × 1,000,000 + 400 × 240,000.
        assert_eq!(usage.expected_bytes(Retention::default()), Some(104_000_000));
        assert_eq!(Usage { minutes: stored(0, 0), ..usage }.expected_bytes(Retention::default()), None);
    }

    #[test]
    fn what_is_there_is_measured() {
        let folder = tempdir().unwrap();
        let mut recorder = recorder(folder.path());
        assert_eq!(recorder.usage().unwrap().expected_bytes(Retention::default()), None);
        Rig { every: 60, ..Rig::at_midnight() }.run(&mut recorder, 0..26 * 3_600);
        let usage = recorder.usage().unwrap();
        // 25 hours are sealed, and a day is packed.
        assert_eq!((usage.samples.hours, usage.minutes.hours), (25, 24));
        assert!(usage.hours_bytes > 0);
        assert!(usage.file_bytes > usage.samples.bytes + usage.minutes.bytes + usage.hours_bytes);
        assert!(usage.samples.bytes > 25 * 60 / 8, "{usage:?}");
        assert!(usage.expected_bytes(Retention::default()).is_some());
    }
}
