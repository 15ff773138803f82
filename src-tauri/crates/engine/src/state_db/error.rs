//! Why `state.db` cannot serve.

use fanfare_dbfile::{DbError, Fault};

use super::FILE;

/// Why `state.db` cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum StateDbError {
    /// It cannot be opened, read or written, or could not be set aside.
    #[error(transparent)]
    File(#[from] DbError),
    /// A stored value makes no sense.
    #[error("{what} in state.db makes no sense: {value:?}")]
    Nonsense {
        /// Which column.
        what: &'static str,
        /// Its value.
        value: String,
    },
}

impl From<rusqlite::Error> for StateDbError {
    fn from(source: rusqlite::Error) -> Self {
        Self::File(FILE.failed(source))
    }
}

impl Fault for StateDbError {
    fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => error.is_damage(),
            Self::Nonsense { .. } => true,
        }
    }
}
