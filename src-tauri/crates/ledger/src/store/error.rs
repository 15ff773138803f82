//! Why the ledger cannot serve, and what each such cause means: to be waited for, to be said, or damage.

use std::path::PathBuf;

use fanfare_dbfile::{DbError, Fault};

use super::{DB, VERSION};

/// Why the ledger cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// It cannot be opened, read, written or copied, or could not be set aside.
    #[error(transparent)]
    File(#[from] DbError),
    /// It was written by an older program and only its holder may bring it up to date.
    #[error("{path} is of version {theirs}, this program reads {VERSION}")]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        theirs: i64,
    },
    /// A stored value makes no sense.
    #[error("{what} in ledger.db makes no sense: {value}")]
    Nonsense {
        /// Which column.
        what: &'static str,
        /// Its value.
        value: String,
    },
    /// A figure is larger than a row holds: no card draws 2^63 mJ.
    #[error("{what} is too large for a row: {value}")]
    TooLarge {
        /// Which column.
        what: &'static str,
        /// Its value.
        value: u64,
    },
}

impl From<rusqlite::Error> for LedgerError {
    fn from(source: rusqlite::Error) -> Self {
        Self::File(DB.failed(source))
    }
}

impl LedgerError {
    /// The disk, or the file's own limit, has no room for more.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::File(error) if error.is_full())
    }

    /// Another process held the file for longer than was waited.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::File(error) if error.is_locked())
    }
}

impl Fault for LedgerError {
    fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => error.is_damage(),
            Self::Nonsense { .. } => true,
            Self::Older { .. } | Self::TooLarge { .. } => false,
        }
    }
}
