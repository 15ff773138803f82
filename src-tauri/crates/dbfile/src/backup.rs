//! Copies of a file beside it, for those that hold what cannot be had again: `<name>.v<version>` before a migration, and
//! `<name>.daily` once a day. A copy of 100 kB costs a few milliseconds, one of 20 MB a tenth of a second.

use std::{fs, path::Path, time::Duration};

use jiff::Timestamp;
use rusqlite::Connection;

use crate::{DbError, DbFile, with_suffix};

/// How old the daily copy may become.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Copies a file of `version` that is about to be migrated: what a precious file says for [`DbFile::before_migration`].
///
/// # Errors
/// The copy cannot be written.
pub fn copy_of_version(connection: &Connection, path: &Path, version: i64) -> Result<(), DbError> {
    copy(connection, path, &with_suffix(path, &format!(".v{version}")))
}

impl DbFile {
    /// Copies the open file in `directory` to `<name>.daily` if none of the last day lies there. The copy of before is replaced in
    /// one step.
    ///
    /// # Errors
    /// It cannot be written; the copy of before is as it was.
    pub fn back_up_daily(
        &self,
        connection: &Connection,
        directory: &Path,
        now: Timestamp,
    ) -> Result<(), DbError> {
        let path = self.path(directory);
        let daily = with_suffix(&path, ".daily");
        if is_of_the_last_day(&daily, now) {
            return Ok(());
        }
        let new = with_suffix(&daily, ".new");
        copy(connection, &path, &new)?;
        fs::rename(&new, &daily).map_err(|source| DbError::Replace { path: daily, source })
    }
}

/// A copy of the future is one of a clock that has been put right since: it is as good as none.
fn is_of_the_last_day(daily: &Path, now: Timestamp) -> bool {
    let made = fs::metadata(daily).and_then(|metadata| metadata.modified()).ok();
    let made = made.and_then(|at| Timestamp::try_from(at).ok());
    made.is_some_and(|made| now.duration_since(made).unsigned_abs() < DAY)
}

fn copy(connection: &Connection, path: &Path, to: &Path) -> Result<(), DbError> {
    connection.backup("main", to, None).map_err(|source| DbError::Backup { path: path.into(), source })
}
