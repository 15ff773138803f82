//! What went wrong, why, and what to do next, in the user's language, with the exit code for it.
//!
//! The sentence and the next step are the user's; what stands in brackets is the system's or the driver's own word, for a report.

use std::{
    borrow::Cow,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use fanfare_dbfile::{DbError, Fault};
use fanfare_engine::{
    DemoError, EngineError, Obstacle, OpeningError, PlacesError, ProbeFailure, api::ApiError,
};
use fanfare_history::HistoryError;
use fanfare_rig::Trouble;

use crate::words::{self, Language, history, holder};

/// Exit code where the command line contradicts itself, as for what it cannot read.
const USAGE: u8 = 2;
/// Exit code where the driver cannot be read.
const DRIVER: u8 = 3;
/// Exit code where the data directory is another program's or another user's.
const HELD: u8 = 4;

/// Exit code where a signal ended what was not done yet, as shells have it for an interrupt.
const INTERRUPTED: u8 = 130;

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Places(#[from] PlacesError),
    #[error(transparent)]
    Demo(#[from] DemoError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The driver cannot be read.
    #[error("{}", .0.detail)]
    Driver(Trouble),
    /// The probe failed.
    #[error("{detail}")]
    Probe { failure: ProbeFailure, detail: String },
    /// The engine ended under the verb's hands.
    #[error("the engine ended")]
    Ended,
    #[error(transparent)]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The list of cards was not read in time.
    #[error("no list of cards in {seconds} s")]
    NotListed { seconds: u64 },
    /// The driver names cards, and none of them answers.
    #[error("{cards} cards, none of which answers")]
    NoneAnswers { cards: usize },
    /// The history cannot be read or written.
    #[error(transparent)]
    History(HistoryError),
    /// Nothing was ever recorded.
    #[error("there is no {path}")]
    NoHistory { path: PathBuf },
    /// The check of the history found something.
    #[error("history.db is not as it should be")]
    NotClean,
    /// A name that means no card, or several.
    #[error("--card {card:?}")]
    UnknownCard { card: String },
    /// A stretch of time that ends before it begins.
    #[error("--from and --to")]
    BadRange,
    /// What should be written is there already.
    #[error("{path}")]
    Exists { path: PathBuf },
    /// What should be written over is no file.
    #[error("{path}")]
    NotAFile { path: PathBuf },
    /// The engine refused.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// Another program could not write the history anew.
    #[error("history.db is as it was")]
    NotCompacted,
    /// A signal ended it.
    #[error("stopped by a signal")]
    Interrupted,
    /// A library was named for the demo.
    #[error("--nvml-lib with --profile demo")]
    LibraryAndDemo,
}

impl From<OpeningError> for Failure {
    fn from(error: OpeningError) -> Self {
        match error {
            OpeningError::LibraryAndDemo => Self::LibraryAndDemo,
            OpeningError::Places(error) => Self::Places(error),
            OpeningError::Demo(error) => Self::Demo(error),
        }
    }
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::Interrupted => Self::Interrupted,
            other => Self::History(other),
        }
    }
}

impl Failure {
    /// Whether the reader of the output is gone, which is no failure but the end.
    fn is_end(&self) -> bool {
        match self {
            Self::Terminal(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Json(error) => error.io_error_kind() == Some(io::ErrorKind::BrokenPipe),
            _ => false,
        }
    }

    /// Tells it on standard error and gives the exit code.
    pub(crate) fn tell(&self, language: Language) -> ExitCode {
        if self.is_end() {
            return ExitCode::SUCCESS;
        }
        if matches!(self, Self::Interrupted) {
            complain(history::interrupted(language));
            return self.exit_code();
        }
        match self.words(language) {
            Some((what, step)) => complain(&format!("{what} ({self})\n{step}")),
            None => complain(&format!("fanfarectl: {self}")),
        }
        self.exit_code()
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            Self::Driver(_) | Self::NotListed { .. } | Self::NoneAnswers { .. } => DRIVER.into(),
            Self::LibraryAndDemo | Self::UnknownCard { .. } | Self::BadRange => USAGE.into(),
            Self::Interrupted => INTERRUPTED.into(),
            Self::Places(PlacesError::Closed { .. }) => HELD.into(),
            Self::Engine(EngineError::Obstacle(obstacle)) => match obstacle {
                Obstacle::Lock { .. } => ExitCode::FAILURE,
                Obstacle::Held(_)
                | Obstacle::NoAnswer { .. }
                | Obstacle::Silent(_)
                | Obstacle::OtherUser { .. }
                | Obstacle::OtherVersion { .. }
                | Obstacle::AnothersData { .. } => HELD.into(),
            },
            _ => ExitCode::FAILURE,
        }
    }

    /// What it is, and the next step.
    fn words(&self, language: Language) -> Option<(Cow<'static, str>, Cow<'static, str>)> {
        if let Self::Engine(EngineError::Obstacle(Obstacle::Silent(by))) = self {
            let (what, step) = holder::silent(&by.holder, language);
            return Some((what.into(), step.into()));
        }
        if let Self::History(error) = self {
            let (what, step) = history_words(error, language);
            return Some((what.into(), step.into()));
        }
        let (what, step) = self.fixed_words(language)?;
        Some((what.into(), step.into()))
    }

    /// The same, of what names no process.
    const fn fixed_words(&self, language: Language) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::Driver(trouble) => words::trouble(trouble.code, language),
            Self::Probe { failure: ProbeFailure::Absent, .. } => {
                (words::probe(language).0, words::step_reinstall(language))
            }
            Self::Probe { failure: ProbeFailure::Version, .. } => {
                (words::probe(language).0, words::step_same_version(language))
            }
            Self::Probe { failure: ProbeFailure::Start | ProbeFailure::Crashed, .. }
            | Self::Ended
            | Self::Engine(EngineError::Hub(_)) => words::probe(language),
            Self::Engine(EngineError::Obstacle(obstacle)) => match obstacle {
                Obstacle::Held(_) => holder::held(language),
                Obstacle::NoAnswer { .. } => holder::no_answer(language),
                Obstacle::Silent(_) => return None,
                Obstacle::OtherUser { .. } => holder::other_user(language),
                Obstacle::OtherVersion { .. } => holder::other_version(language),
                Obstacle::AnothersData { .. } => holder::anothers_data(language),
                Obstacle::Lock { .. } => words::data_directory(language),
            },
            Self::Demo(DemoError::NotInstalled(_)) => {
                (words::demo(language).0, words::step_reinstall(language))
            }
            Self::Demo(_) => words::demo(language),
            Self::Places(PlacesError::Closed { .. }) => holder::anothers_data(language),
            Self::Places(_) => words::data_directory(language),
            Self::NotListed { .. } => words::not_listed(language),
            Self::NoneAnswers { .. } => words::none_answers(language),
            Self::LibraryAndDemo => words::library_and_demo(language),
            Self::NoHistory { .. } => history::none_yet(language),
            Self::NotClean => history::damaged(language),
            Self::UnknownCard { .. } => history::unknown_card(language),
            Self::BadRange => history::bad_range(language),
            Self::Exists { .. } => history::exists(language),
            Self::NotAFile { .. } => history::not_a_file(language),
            Self::NotCompacted => history::not_compacted(language),
            Self::Terminal(_) | Self::Json(_) | Self::History(_) | Self::Api(_) | Self::Interrupted => {
                return None;
            }
        })
    }
}

/// What is the matter with the history, and the next step.
fn history_words(error: &HistoryError, language: Language) -> (&'static str, &'static str) {
    match error {
        HistoryError::File(DbError::Newer { .. }) => history::newer(language),
        HistoryError::Older { .. } => history::older(language),
        error if error.is_locked() => history::locked(language),
        error if error.is_full() => history::full(language),
        error if error.is_damage() => history::damaged(language),
        _ => words::data_directory(language),
    }
}

/// A line on standard error. One that cannot be written has no other place to go.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
