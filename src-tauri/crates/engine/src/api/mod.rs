//! What may be asked of the engine, in one typed form for everyone: the window's commands, the command line, and both of them over
//! the socket when another process holds the data directory.

mod course;
mod energy;

use fanfare_rig::CardUuid;
use serde::{Deserialize, Serialize};

use crate::{
    frame::Recent,
    profile::Profile,
    rig_state::Disk,
    settings::{Section, Settings, SettingsPatch},
};

pub use course::{Block, CourseQuestion, HistoryUsage, Mark, MarkKind, Marks};
pub use energy::{CardEnergy, CardWeek, EnergyReport, Share, WeekHour, WeekReport};

/// One question or order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ask")]
pub enum Request {
    /// Who holds the data directory, and where it is.
    Info,
    /// What each driver call on a card has cost.
    CallCosts {
        /// The card.
        uuid: CardUuid,
    },
    /// The temperatures of the last half hour.
    Recent,
    /// The course of quantities of cards.
    Course {
        /// Of what, and when.
        question: CourseQuestion,
    },
    /// What the driver reported between two moments, of one card or of all.
    Marks {
        /// The card.
        uuid: Option<CardUuid>,
        /// From this moment on, in milliseconds since 1970 …
        from_ms: i64,
        /// … and before this.
        to_ms: i64,
    },
    /// The energy of every card in the hours of UTC between two moments.
    Energy {
        /// The first hour is the one that this lies in …
        from_ms: i64,
        /// … the last the one before this, or that this lies in.
        to_ms: i64,
    },
    /// What cards did by the hour of the week, between two moments.
    Week {
        /// As of [`Request::Energy`].
        from_ms: i64,
        /// As of [`Request::Energy`].
        to_ms: i64,
    },
    /// What the history takes on the disk.
    HistoryUsage,
    /// Begins to write the history anew, to give free room back to the disk; [`HistoryUsage`] tells when it is done.
    CompactHistory,
    /// The settings.
    Settings,
    /// Changes what the patch names.
    ChangeSettings {
        /// What changes.
        patch: SettingsPatch,
    },
    /// Gives a section its defaults back.
    ResetSettings {
        /// The section.
        section: Section,
    },
    /// The owner says whether a card does own work.
    MarkOwnJob {
        /// The card.
        uuid: CardUuid,
        /// Whether it does.
        own: bool,
    },
    /// The owner says that a card is gone for good.
    ForgetCard {
        /// The card.
        uuid: CardUuid,
    },
}

/// The answer to a [`Request`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reply")]
pub enum Reply {
    /// To [`Request::Info`].
    Info(EngineInfo),
    /// To [`Request::CallCosts`].
    CallCosts {
        /// The costs; empty before the card's first minute.
        calls: Vec<fanfare_rig::wire::CallCost>,
    },
    /// To [`Request::Recent`].
    Recent(Recent),
    /// To [`Request::Course`].
    Course {
        /// The answer.
        block: Block,
    },
    /// To [`Request::Marks`].
    Marks(Marks),
    /// To [`Request::Energy`].
    Energy(EnergyReport),
    /// To [`Request::Week`].
    Week(WeekReport),
    /// To [`Request::HistoryUsage`].
    HistoryUsage(HistoryUsage),
    /// To every request about settings: all of them, as they now are.
    Settings(Settings),
    /// Done.
    Done,
}

/// Who holds the data directory, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct EngineInfo {
    /// Whose rig.
    pub profile: Profile,
    /// The data directory.
    pub directory: String,
    /// The process that holds it.
    pub holder: Holder,
    /// Whether that is the process that was asked first, and not another that it asked in turn.
    pub own: bool,
    /// How what must be remembered fares on disk.
    pub disk: Disk,
}

/// The process that holds a data directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// What it is.
    pub kind: Kind,
    /// Its version.
    pub version: String,
}

/// What kind of program holds a data directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The window.
    Window,
    /// `fanfarectl serve`.
    Serve,
    /// Another verb of the command line.
    Command,
}

/// Why a request was not fulfilled, in the one shape that everyone above gets. The code is acted on and said in the reader's
/// language; `message` is English, for a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[error("{message}")]
pub struct ApiError {
    /// What to act on.
    pub code: ErrorCode,
    /// What happened, in English.
    pub message: String,
    /// More of it, for a report.
    pub detail: Option<String>,
}

/// What a reader of an [`ApiError`] acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No such card is known.
    UnknownCard,
    /// A setting's value is out of its range; `detail` names it.
    BadSetting,
    /// It could not be kept on disk.
    NotStored,
    /// The history or the account of energy cannot be read; `detail` has the error's own words.
    NotReadable,
    /// More was asked for than one answer holds.
    TooMuch,
    /// A file for the owner could not be written into the download directory; `detail` says why. The window alone answers so.
    NotExported,
    /// The process that holds the data directory did not answer in time.
    NoAnswer,
    /// The process that holds the data directory says nothing at all: it was stopped, or hangs; `detail` names it.
    HolderSilent,
    /// The process that holds the data directory is of another version.
    OtherVersion,
    /// The data directory is another user's, or held by another user's program.
    OtherUser,
    /// The engine is ending.
    Ending,
    /// The engine did not start: no data directory can be made, or the demo is not installed; `detail` has the error's own words.
    NotStarted,
}
