//! Why a file cannot serve, and what each such cause means: to be waited for, to be said, or damage.

use std::{error::Error, io, path::PathBuf};

use rusqlite::ErrorCode;

/// An error of a room over its file.
pub trait Fault: Error {
    /// Whether the file itself is at fault, and not its directory, its disk, another process or another version.
    fn is_damage(&self) -> bool;
}

/// Why a file cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// It was written by a newer program.
    #[error("{path} is of version {theirs}, this program knows up to {ours}: it was left untouched")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        theirs: i64,
        /// This build's.
        ours: i64,
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
    #[error("{path} could not be brought to version {ours}: {source}")]
    Migrate {
        /// The file.
        path: PathBuf,
        /// This build's version.
        ours: i64,
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
    /// SQLite failed.
    #[error("{name}: {source}")]
    Sqlite {
        /// The file's name.
        name: &'static str,
        /// How.
        #[source]
        source: rusqlite::Error,
    },
}

impl DbError {
    /// The disk, or the file's own limit, has no room for more.
    pub fn is_full(&self) -> bool {
        self.code() == Some(ErrorCode::DiskFull)
    }

    /// Another process held the file for longer than was waited.
    pub fn is_locked(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether another process may have caused it, that will be done soon.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Migrate { .. }) || self.is_locked()
    }

    /// Whether SQLite could not make or change the files that it keeps beside a database.
    pub(crate) fn lacks_companions(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite { source, .. } => code_of(source),
            _ => None,
        }
    }
}

impl Fault for DbError {
    fn is_damage(&self) -> bool {
        match self {
            Self::Disorder { .. } => true,
            Self::Sqlite { source, .. } => is_damage(source),
            Self::Migrate { source: rusqlite_migration::Error::RusqliteError { err, .. }, .. } => {
                is_damage(err)
            }
            Self::Migrate { .. }
            | Self::Newer { .. }
            | Self::Backup { .. }
            | Self::Replace { .. }
            | Self::SetAside { .. } => false,
        }
    }
}

/// SQLite's own code; an error that it can point at in a statement has it, too.
fn code_of(error: &rusqlite::Error) -> Option<ErrorCode> {
    match error {
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        error => error.sqlite_error_code(),
    }
}

/// `NotADatabase` is a wrong header, `DatabaseCorrupt` a wrong page; `Unknown` is "no such table" and the like: a schema that is
/// not the one of the file's version, since each of our own statements is run by a test. A text where a number belongs is what a
/// damaged row answers.
fn is_damage(error: &rusqlite::Error) -> bool {
    match code_of(error) {
        Some(code) => {
            matches!(code, ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown)
        }
        None => matches!(
            error,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..)
        ),
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_schema_that_is_not_the_one_of_the_version_is_damage() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE there (a)").unwrap();
        for statement in ["SELECT a FROM gone", "SELECT gone FROM there", "CREATE TABLE there (b)"] {
            let source = connection.prepare(statement).unwrap_err();
            assert!(DbError::Sqlite { name: "a.db", source }.is_damage(), "{statement}");
        }
    }
}
