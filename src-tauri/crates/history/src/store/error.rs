//! Why the history cannot serve, and what each such cause means: to be waited for, to be said, or damage.

use std::path::PathBuf;

use fanfare_dbfile::{DbError, Fault};

use super::{DB, VERSION};
use crate::block::BlockError;

/// Why the history cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// It cannot be opened, read or written, or could not be set aside.
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
    /// It was told to stop, and nothing came of what it did so far.
    #[error("it was told to stop")]
    Interrupted,
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
}

impl From<rusqlite::Error> for HistoryError {
    fn from(source: rusqlite::Error) -> Self {
        Self::File(DB.failed(source))
    }
}

impl HistoryError {
    /// A block of this kind makes no sense.
    pub(crate) fn block(what: &'static str) -> impl FnOnce(BlockError) -> Self {
        move |source| Self::Block { what, source }
    }

    /// The disk, or the file's own limit, has no room for more.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::File(error) if error.is_full())
    }

    /// Another process held the file for longer than was waited.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::File(error) if error.is_locked())
    }
}

impl Fault for HistoryError {
    fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => error.is_damage(),
            Self::Nonsense { .. } | Self::Block { .. } => true,
            Self::Older { .. } | Self::Interrupted => false,
        }
    }
}
