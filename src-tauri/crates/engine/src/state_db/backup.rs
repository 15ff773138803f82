//! Copies of `state.db` beside it: what it holds cannot be had again.

use std::path::Path;

use jiff::Timestamp;

use super::{FILE, StateDb, StateDbError};

impl StateDb {
    /// Copies it to `state.db.daily` if none of the last day lies there. The copy of before is replaced in one step.
    ///
    /// # Errors
    /// It cannot be written; the copy of before is as it was.
    pub fn back_up_daily(&self, directory: &Path, now: Timestamp) -> Result<(), StateDbError> {
        Ok(FILE.back_up_daily(&self.connection, directory, now)?)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        time::Duration,
    };

    use fanfare_dbfile::DbError;

    use super::*;
    use crate::settings::{ReadingSettings, SettingsPatch};

    /// A quarter of an hour short of a day ago, and past it.
    const TABLE: [(u64, bool); 3] = [(0, false), (23 * 60 + 45, false), (24 * 60 + 15, true)];

    #[test]
    fn the_daily_copy_is_whole_and_made_anew_once_it_is_a_day_old() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = StateDb::open(folder.path()).unwrap();
        let daily = folder.path().join("state.db.daily");
        let now = Timestamp::now();
        for (minutes, renewed) in TABLE {
            db.back_up_daily(folder.path(), now).unwrap();
            let made = File::options().write(true).open(&daily).unwrap();
            let at = now - Duration::from_secs(minutes * 60);
            made.set_modified(at.into()).unwrap();
            db.back_up_daily(folder.path(), now).unwrap();
            let is_new = fs::metadata(&daily).unwrap().modified().unwrap() != std::time::SystemTime::from(at);
            assert_eq!(is_new, renewed, "{minutes} min");
        }
        // It holds what was committed, and serves where it takes the place of the file.
        let reading = ReadingSettings { nvml_library: Some("/opt/nvml.so".into()) };
        db.change_settings(&SettingsPatch { reading: Some(reading.clone()), ..SettingsPatch::default() })
            .unwrap();
        fs::remove_file(&daily).unwrap();
        db.back_up_daily(folder.path(), now).unwrap();
        let rescue = tempfile::tempdir().unwrap();
        fs::copy(&daily, rescue.path().join(StateDb::FILE)).unwrap();
        let rescued = StateDb::read(rescue.path()).unwrap().unwrap();
        assert_eq!(rescued.settings().unwrap().reading, reading);
        assert!(!folder.path().join("state.db.daily.new").exists());
    }

    #[test]
    fn a_copy_that_cannot_be_written_leaves_the_one_of_before() {
        let folder = tempfile::tempdir().unwrap();
        let db = StateDb::open(folder.path()).unwrap();
        let daily = folder.path().join("state.db.daily");
        fs::write(&daily, "of before").unwrap();
        // A folder stands where the new copy would be made.
        fs::create_dir(folder.path().join("state.db.daily.new")).unwrap();
        let two_days_on = Timestamp::now() + Duration::from_secs(2 * 24 * 60 * 60);
        let refused = db.back_up_daily(folder.path(), two_days_on).unwrap_err();
        assert!(matches!(refused, StateDbError::File(DbError::Backup { .. })), "{refused}");
        assert_eq!(fs::read(&daily).unwrap(), b"of before");
    }
}
