//! The table of settings: a row a section, with the version of its shape and its JSON.
//!
//! - A section that was never changed has no row: its defaults are this build's, also after they change.
//! - A field that this build does not know is kept when the section is written: whoever starts an older build for a day loses
//!   nothing of what a newer one knows. A change that an older build would misread is a new version of the section, which comes with
//!   a migration; so a row of another version is no older row but a damaged one.
//! - A damaged section (no JSON, another shape, a value out of its range) counts as its defaults. The holder resets it alone and
//!   keeps the old text in `setting_damaged`, of which the newest 16 are kept.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{StateDb, StateDbError};
use crate::{
    api::{ApiError, ErrorCode},
    settings::{
        Appearance, BadSetting, HistorySettings, MoneySettings, PowerSettings, ReadingSettings, Section,
        Settings, SettingsPatch,
    },
};

pub(super) const SCHEMA: &str = "
    CREATE TABLE setting (
        section TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        json    TEXT NOT NULL
    ) STRICT;
    CREATE TABLE setting_damaged (
        id      INTEGER PRIMARY KEY,
        at      TEXT NOT NULL,
        section TEXT NOT NULL,
        version INTEGER NOT NULL,
        json    TEXT NOT NULL
    ) STRICT;
";

/// Longest JSON of a section that is read: some ten times the largest that is ever written.
const LONGEST_JSON: usize = 262_144;

/// Why settings were not changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A value cannot serve.
    #[error(transparent)]
    Bad(#[from] BadSetting),
    /// A section could not be put as JSON.
    #[error("settings could not be put as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// They could not be kept.
    #[error(transparent)]
    Store(#[from] StateDbError),
}

impl From<rusqlite::Error> for SettingsError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<SettingsError> for ApiError {
    fn from(error: SettingsError) -> Self {
        match error {
            SettingsError::Bad(bad) => bad.into(),
            error => Self { code: ErrorCode::NotStored, message: error.to_string(), detail: None },
        }
    }
}

/// A section as it is stored.
trait Stored: Serialize + DeserializeOwned + Default {
    const SECTION: Section;
    /// Of the section's shape; see the module's head for when it changes.
    const VERSION: i64 = 1;

    /// Whether every value can serve.
    fn check(&self) -> Result<(), BadSetting>;
}

impl Stored for Appearance {
    const SECTION: Section = Section::Appearance;

    fn check(&self) -> Result<(), BadSetting> {
        Ok(())
    }
}

impl Stored for ReadingSettings {
    const SECTION: Section = Section::Reading;

    fn check(&self) -> Result<(), BadSetting> {
        Self::check(self)
    }
}

impl Stored for MoneySettings {
    const SECTION: Section = Section::Money;

    fn check(&self) -> Result<(), BadSetting> {
        Self::check(self)
    }
}

impl Stored for HistorySettings {
    const SECTION: Section = Section::History;

    fn check(&self) -> Result<(), BadSetting> {
        Self::check(self)
    }
}

impl Stored for PowerSettings {
    const SECTION: Section = Section::Power;

    fn check(&self) -> Result<(), BadSetting> {
        Self::check(self)
    }
}

/// What a section's row holds.
enum Row<T> {
    /// There is none.
    Absent,
    /// The section, and the JSON object that it was read from.
    Whole(T, Map<String, Value>),
    /// Nothing that can serve.
    Damaged,
}

impl StateDb {
    /// The settings; a section that is not stored, or damaged, has its defaults.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn settings(&self) -> Result<Settings, StateDbError> {
        read(&self.connection)
    }

    /// Takes over the sections of `patch` and gives back all settings; all of the patch is taken or none.
    ///
    /// # Errors
    /// A value cannot serve, or the change cannot be written; the settings then are as they were.
    pub fn change_settings(&mut self, patch: &SettingsPatch) -> Result<Settings, SettingsError> {
        patch.check()?;
        let transaction = self.connection.transaction()?;
        write(&transaction, patch.appearance.as_ref())?;
        write(&transaction, patch.reading.as_ref())?;
        write(&transaction, patch.money.as_ref())?;
        write(&transaction, patch.history.as_ref())?;
        write(&transaction, patch.power.as_ref())?;
        let settings = read(&transaction)?;
        transaction.commit()?;
        Ok(settings)
    }

    /// Gives a section its defaults back and gives back all settings.
    ///
    /// # Errors
    /// It cannot be written; the settings then are as they were.
    pub fn reset_settings(&mut self, section: Section) -> Result<Settings, StateDbError> {
        self.connection.execute("DELETE FROM setting WHERE section = ?1", [section.name()])?;
        self.settings()
    }

    /// Resets each damaged section, keeping its text, and names them.
    ///
    /// # Errors
    /// They cannot be read or written; they then are as they were.
    pub fn reset_damaged_settings(&mut self, now: Timestamp) -> Result<Vec<Section>, StateDbError> {
        let transaction = self.connection.transaction()?;
        let damaged: Vec<Section> = [
            is_damaged::<Appearance>(&transaction)?,
            is_damaged::<ReadingSettings>(&transaction)?,
            is_damaged::<MoneySettings>(&transaction)?,
            is_damaged::<HistorySettings>(&transaction)?,
            is_damaged::<PowerSettings>(&transaction)?,
        ]
        .into_iter()
        .flatten()
        .collect();
        for section in &damaged {
            set_section_aside(&transaction, *section, now)?;
        }
        transaction.commit()?;
        Ok(damaged)
    }
}

fn read(connection: &Connection) -> Result<Settings, StateDbError> {
    Ok(Settings {
        appearance: section(connection)?,
        reading: section(connection)?,
        money: section(connection)?,
        history: section(connection)?,
        power: section(connection)?,
    })
}

fn section<T: Stored>(connection: &Connection) -> Result<T, StateDbError> {
    Ok(match row(connection)? {
        Row::Whole(section, _) => section,
        Row::Absent | Row::Damaged => T::default(),
    })
}

fn is_damaged<T: Stored>(connection: &Connection) -> Result<Option<Section>, StateDbError> {
    Ok(matches!(row::<T>(connection)?, Row::Damaged).then_some(T::SECTION))
}

/// The row of a section. Its JSON is read as bytes: a damaged text need not even be UTF-8.
fn row<T: Stored>(connection: &Connection) -> Result<Row<T>, StateDbError> {
    let found: Option<(i64, Vec<u8>)> = connection
        .query_row(
            "SELECT version, CAST(json AS BLOB) FROM setting WHERE section = ?1",
            [T::SECTION.name()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((version, json)) = found else { return Ok(Row::Absent) };
    if version != T::VERSION || json.len() > LONGEST_JSON {
        return Ok(Row::Damaged);
    }
    let Ok(object) = serde_json::from_slice::<Map<String, Value>>(&json) else { return Ok(Row::Damaged) };
    let section: Result<T, _> = serde_json::from_value(Value::Object(object.clone()));
    Ok(match section {
        Ok(section) if section.check().is_ok() => Row::Whole(section, object),
        _ => Row::Damaged,
    })
}

/// Writes a section over the object that is stored, so that fields of a later build stay.
fn write<T: Stored>(transaction: &Transaction<'_>, section: Option<&T>) -> Result<(), SettingsError> {
    let Some(section) = section else { return Ok(()) };
    let mut object = match row::<T>(transaction)? {
        Row::Whole(_, object) => object,
        Row::Absent | Row::Damaged => Map::new(),
    };
    if let Value::Object(fields) = serde_json::to_value(section)? {
        object.extend(fields);
    }
    transaction.execute(
        "INSERT INTO setting (section, version, json) VALUES (?1, ?2, ?3)
         ON CONFLICT (section) DO UPDATE SET version = excluded.version, json = excluded.json",
        (T::SECTION.name(), T::VERSION, serde_json::to_string(&object)?),
    )?;
    Ok(())
}

fn set_section_aside(
    transaction: &Transaction<'_>,
    section: Section,
    now: Timestamp,
) -> Result<(), rusqlite::Error> {
    transaction.execute(
        "INSERT INTO setting_damaged (at, section, version, json)
         SELECT ?1, section, version, json FROM setting WHERE section = ?2",
        (now.to_string(), section.name()),
    )?;
    transaction.execute("DELETE FROM setting WHERE section = ?1", [section.name()])?;
    transaction.execute(
        "DELETE FROM setting_damaged WHERE id NOT IN (SELECT id FROM setting_damaged ORDER BY id DESC LIMIT 16)",
        [],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
