//! The table of cards that the owner marked as doing own work.

use std::collections::BTreeMap;

use fanfare_rig::CardUuid;
use jiff::Timestamp;
use rusqlite::Connection;

use super::{StateDb, StateDbError, sense};

/// One row a marked card, with the moment of the mark: UTC in RFC 3339.
pub(super) const SCHEMA: &str = "
    CREATE TABLE own_job (
        uuid      TEXT PRIMARY KEY,
        marked_at TEXT NOT NULL
    ) STRICT;
";

impl StateDb {
    /// The cards that the owner marked as doing own work, and since when. As many as were ever marked and not unmarked.
    ///
    /// # Errors
    /// They cannot be read, or hold what no version of this program wrote.
    pub fn own_jobs(&self) -> Result<BTreeMap<CardUuid, Timestamp>, StateDbError> {
        read(&self.connection)
    }

    /// Marks a card as doing own work, or takes the mark away. A second mark keeps the moment of the first.
    ///
    /// # Errors
    /// It cannot be written; the marks then are as they were.
    pub fn mark_own_job(&mut self, uuid: &CardUuid, own: bool, now: Timestamp) -> Result<(), StateDbError> {
        if own {
            self.connection.execute(
                "INSERT INTO own_job (uuid, marked_at) VALUES (?1, ?2) ON CONFLICT (uuid) DO NOTHING",
                (uuid.as_str(), now.to_string()),
            )?;
        } else {
            self.connection.execute("DELETE FROM own_job WHERE uuid = ?1", [uuid.as_str()])?;
        }
        Ok(())
    }
}

fn read(connection: &Connection) -> Result<BTreeMap<CardUuid, Timestamp>, StateDbError> {
    let mut statement = connection.prepare("SELECT uuid, marked_at FROM own_job")?;
    let mut found = statement.query([])?;
    let mut marks = BTreeMap::new();
    while let Some(row) = found.next()? {
        marks.insert(sense("uuid", row.get("uuid")?)?, sense("marked_at", row.get("marked_at")?)?);
    }
    Ok(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_outlives_the_process_until_it_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let uuid: CardUuid = "GPU-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa".parse().unwrap();
        let (first, later) = (Timestamp::from_second(100).unwrap(), Timestamp::from_second(900).unwrap());
        let mut db = StateDb::open(folder.path()).unwrap();
        assert!(db.own_jobs().unwrap().is_empty());
        db.mark_own_job(&uuid, true, first).unwrap();
        db.mark_own_job(&uuid, true, later).unwrap();
        drop(db);
        let mut db = StateDb::open(folder.path()).unwrap();
        assert_eq!(db.own_jobs().unwrap(), BTreeMap::from([(uuid.clone(), first)]));
        db.mark_own_job(&uuid, false, later).unwrap();
        assert!(StateDb::read(folder.path()).unwrap().unwrap().own_jobs().unwrap().is_empty());
    }
}
