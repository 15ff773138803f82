//! Why `state.db` cannot serve, and what each such cause means: to be waited for, to be said, or damage.

use std::{io, path::PathBuf};

use rusqlite::ErrorCode;

use super::VERSION;

/// Why `state.db` cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum StateDbError {
    /// It was written by a newer program.
    #[error("{path} is of version {theirs}, this program knows up to {VERSION}: it was left untouched")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        theirs: i64,
    },
    /// It could not be copied; before a migration, so it was not migrated.
    #[error("{path} could not be backed up: {source}")]
    Backup {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    /// A new copy could not take the place of the one of before.
    #[error("{path} could not be replaced: {source}")]
    Replace {
        /// The copy.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A migration failed; the file is as it was.
    #[error("{path} could not be brought to version {VERSION}: {source}")]
    Migrate {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite_migration::Error,
    },
    /// SQLite finds the file in disorder.
    #[error("{path} is damaged: {finding}")]
    Disorder {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        finding: String,
    },
    /// A damaged file could not be moved out of the way.
    #[error("{path} is damaged and could not be set aside: {source}")]
    SetAside {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A stored value makes no sense.
    #[error("{what} in state.db makes no sense: {value:?}")]
    Nonsense {
        /// Which column.
        what: &'static str,
        /// Its value.
        value: String,
    },
    /// SQLite failed.
    #[error("state.db: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl StateDbError {
    /// Whether another process may have caused it, that will be done soon.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Migrate { .. } => true,
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy),
            _ => false,
        }
    }

    /// Whether SQLite could not make or change the files that it keeps beside a database.
    pub(super) fn lacks_companions(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
    }

    /// Whether the file itself is at fault, and not its directory, its disk, another process or another version.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Disorder { .. } | Self::Nonsense { .. } => true,
            Self::Sqlite(error) => is_damage(error),
            Self::Migrate { source, .. } => match source {
                rusqlite_migration::Error::RusqliteError { err, .. } => is_damage(err),
                _ => false,
            },
            Self::Newer { .. } | Self::Backup { .. } | Self::Replace { .. } | Self::SetAside { .. } => false,
        }
    }
}

/// `NotADatabase` is a wrong header, `DatabaseCorrupt` a wrong page; `Unknown` is "no such table" and the like, that is a schema
/// which is not the one of the file's version (our own statements are right: tests run each). A text where a number belongs is what
/// a damaged row answers.
fn is_damage(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        Some(code) => {
            matches!(code, ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown)
        }
        None => matches!(
            error,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..)
        ),
    }
}
