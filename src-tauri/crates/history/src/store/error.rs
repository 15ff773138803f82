//! Why the history cannot serve, and what each such cause means: to be waited for, to be said, or damage.

use std::{io, path::PathBuf};

use rusqlite::ErrorCode;

use super::VERSION;
use crate::block::BlockError;

/// Why the history cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// It was written by a newer program.
    #[error("{path} is of version {theirs}, this program knows up to {VERSION}: it was left untouched")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        theirs: i64,
    },
    /// It was written by an older program and only its holder may bring it up to date.
    #[error("{path} is of version {theirs}, this program reads {VERSION}")]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        theirs: i64,
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
    #[error("{what} in history.db makes no sense: {value}")]
    Nonsense {
        /// Which column.
        what: &'static str,
        /// Its value.
        value: String,
    },
    /// A stored block makes no sense.
    #[error("{what} in history.db: {source}")]
    Block {
        /// Which block.
        what: &'static str,
        /// What is wrong with it.
        #[source]
        source: BlockError,
    },
    /// SQLite failed.
    #[error("history.db: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl HistoryError {
    /// A block of this kind makes no sense.
    pub(crate) fn block(what: &'static str) -> impl FnOnce(BlockError) -> Self {
        move |source| Self::Block { what, source }
    }

    /// The disk, or the file's own limit, has no room for more.
    pub fn is_full(&self) -> bool {
        self.code() == Some(ErrorCode::DiskFull)
    }

    /// Another process held the file for longer than was waited.
    pub fn is_locked(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether another process may have caused it, that will be done soon.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Migrate { .. }) || self.is_locked()
    }

    /// Whether SQLite could not make or change the files that it keeps beside a database.
    pub(super) fn lacks_companions(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
    }

    /// Whether the file itself is at fault, and not its directory, its disk, another process or another version.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Disorder { .. } | Self::Nonsense { .. } | Self::Block { .. } => true,
            Self::Sqlite(error) => is_damage(error),
            Self::Migrate { source: rusqlite_migration::Error::RusqliteError { err, .. }, .. } => {
                is_damage(err)
            }
            Self::Migrate { .. } | Self::Newer { .. } | Self::Older { .. } | Self::SetAside { .. } => false,
        }
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            _ => None,
        }
    }
}

/// `NotADatabase` is a wrong header, `DatabaseCorrupt` a wrong page; `Unknown` is "no such table" and the like: a schema that is
/// not the one of the file's version, since each of our own statements is run by a test. A text where a number belongs is what a
/// damaged row answers.
fn is_damage(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
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
