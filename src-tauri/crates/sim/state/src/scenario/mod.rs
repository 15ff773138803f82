//! Scenario files: what happens to a rig, and when.
//!
//! TOML, one `[[at]]` table for each thing that happens:
//!
//! ```toml
//! [[at]]
//! time = "30s"        # after the rig was set up, or after the file was taken in live
//! do = "lose"
//! card = 3            # by slot
//! for = "2m"          # where a thing can end by itself
//! ```
//!
//! The verbs are those of the command line; `KEYS` in `scenario/verbs.rs` lists the keys each one takes. A wrong file is
//! refused as a whole, with the line and the word that is wrong. A file holds at most as many entries as the
//! table of effects, 1024.

mod entry;
mod verbs;

use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use crate::effects::Effect;
use crate::error::StateError;
use crate::setup::Setup;
use crate::world::World;

pub use entry::parse_duration;

/// Why a scenario file was refused.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// It could not be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// The scenario file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line of it is wrong.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// The scenario file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong there.
        problem: Problem,
    },
}

/// What is wrong in a line.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// Not TOML.
    #[error("{0}")]
    Syntax(String),
    /// A key that the file, or this verb, does not know.
    #[error("unknown key `{key}`{}", .verb.as_ref().map(|verb| format!(" for `{verb}`")).unwrap_or_default())]
    UnknownKey {
        /// The key.
        key: String,
        /// The verb of the entry.
        verb: Option<String>,
    },
    /// A verb that does not exist.
    #[error("unknown verb `{verb}` (there are: {known})")]
    UnknownVerb {
        /// The verb.
        verb: String,
        /// The verbs that exist.
        known: String,
    },
    /// A key that must be there.
    #[error("`{key}` is missing")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// A value of the wrong kind.
    #[error("`{key}` must be {wanted}, not `{found}`")]
    Wrong {
        /// The key.
        key: String,
        /// What it must be.
        wanted: &'static str,
        /// What stands there.
        found: String,
    },
    /// A slot that this rig does not have.
    #[error("no card {card}: the rig has slots 0 to {last}")]
    NoCard {
        /// The slot.
        card: i64,
        /// The last slot there is or will be.
        last: i64,
    },
    /// A symbol that the simulated library does not export.
    #[error("the simulated driver has no symbol `{symbol}`")]
    UnknownSymbol {
        /// The symbol.
        symbol: String,
    },
    /// A value that the effect does not take.
    #[error("{0}")]
    Value(String),
}

/// A problem and where it stands in the text.
pub(crate) type Located = (std::ops::Range<usize>, Problem);

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    at: Duration,
    effect: Effect,
    span: Option<Duration>,
}

/// A scenario that was read and found right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    planned: Vec<Planned>,
}

/// Reads `file` for a rig that is about to be set up.
///
/// # Errors
/// [`ScenarioError`] within [`StateError::Scenario`].
pub fn load(file: &Path, setup: &Setup) -> Result<Script, StateError> {
    read(file, setup.cards()?)
}

/// Reads `file` for a rig that runs; its times count from now.
///
/// # Errors
/// As [`load`].
pub fn load_live(file: &Path, world: &World) -> Result<Script, StateError> {
    let slots = world.session()?.conditions().enumeration.iter().max().map_or(0, |last| last + 1);
    let now = world.now();
    let mut script = read(file, slots)?;
    script.planned.iter_mut().for_each(|planned| planned.at = planned.at.saturating_add(now));
    Ok(script)
}

impl Script {
    /// Plans everything on `world`.
    ///
    /// # Errors
    /// [`StateError::EffectsFull`] or the lock's errors; what was planned before stays.
    pub fn apply(&self, world: &World) -> Result<(), StateError> {
        self.planned.iter().try_for_each(|one| world.plan(&one.effect, one.at, one.span))
    }
}

fn read(file: &Path, cards: usize) -> Result<Script, StateError> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| ScenarioError::Read { file: file.to_owned(), source })?;
    let planned = parse(&text, cards).map_err(|(span, problem)| {
        let line = text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
        ScenarioError::Line { file: file.to_owned(), line, problem }
    })?;
    Ok(Script { planned })
}

fn parse(text: &str, cards: usize) -> Result<Vec<Planned>, Located> {
    let document = DeTable::parse(text)
        .map_err(|error| (error.span().unwrap_or(0..0), Problem::Syntax(error.message().to_owned())))?;
    let mut entries = Vec::new();
    for (key, value) in document.get_ref() {
        let list = match (key.get_ref().as_ref(), value.get_ref()) {
            ("at", DeValue::Array(list)) => list,
            ("at", other) => {
                let found = other.type_str().to_owned();
                let wanted = "a list of tables, [[at]]";
                return Err((value.span(), Problem::Wrong { key: "at".into(), wanted, found }));
            }
            (other, _) => {
                return Err((key.span(), Problem::UnknownKey { key: other.to_owned(), verb: None }));
            }
        };
        for one in list.iter() {
            entries.push(entry::Entry::new(one.get_ref(), one.span())?);
        }
    }
    let adds = entries.iter().filter(|entry| entry.verb() == Some("add")).count();
    let mut planned =
        entries.iter().map(|entry| verbs::planned(entry, cards + adds)).collect::<Result<Vec<_>, _>>()?;
    // Undoing looks at what is already in the table, so the table is filled in the order of time.
    planned.sort_by_key(|one| one.at);
    Ok(planned)
}

#[cfg(test)]
mod tests;
