//! What the window shows of the rig: plain numbers and codes, made from a [`RigState`](crate::RigState) by pure functions.
//!
//! A frame of eight cards is some 5 KiB of JSON. The page turns codes into sentences; nothing here is in any language.

mod card;
mod page;
mod parts;
mod recent;
mod shown;
mod status;
#[cfg(test)]
mod tests;
mod tile;
#[cfg(test)]
mod types_tests;

use fanfare_rig::Driver;
use fanfare_units::Stamp;
use serde::{Deserialize, Serialize};

pub use card::{CardPage, Group, GroupCode, ProcessLine, Row, RowCode, Unit, Value};
pub use parts::{FramePart, PART_BYTES, parts};
pub use recent::{Recent, RecentCard};

use crate::{
    api::Holder,
    occupancy::Occupancy,
    profile::Profile,
    rig_state::{RigState, STALE_AFTER},
};
use shown::{age_ms, wall_ms};

/// The rig at one moment, as the window shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct RigFrame {
    /// Grows from frame to frame; the page acknowledges a frame by it.
    #[cfg_attr(test, ts(type = "number"))]
    pub number: u64,
    /// Whose rig it is.
    pub profile: Profile,
    /// Whether the figures are simulated, by the profile or by the driver's own word.
    pub simulated: bool,
    /// The wall clock of the last sweep in milliseconds since 1970; none before the first.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub at_ms: Option<i64>,
    /// The age of the last sweep when this frame was made.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub age_ms: Option<u64>,
    /// Beyond this age everything is stale.
    #[cfg_attr(test, ts(type = "number"))]
    pub stale_after_ms: u64,
    /// Versions of the driver that answered.
    pub driver: Option<DriverLine>,
    /// What is wrong, or that nothing is.
    pub status: Status,
    /// One for each expected card, in slot order.
    pub tiles: Vec<Tile>,
}

impl RigFrame {
    /// `rig` as the window shows it at `now`.
    pub fn of(rig: &RigState, now: &Stamp) -> Self {
        let swept = rig.snapshot.as_ref().map(|snapshot| &snapshot.at);
        let driver = rig.snapshot.as_ref().and_then(|snapshot| snapshot.driver.as_ref());
        let age_ms = swept.map(|at| age_ms(at, now));
        let stale_after = (rig.interval * STALE_AFTER).as_millis();
        let stale_after_ms = u64::try_from(stale_after).unwrap_or(u64::MAX);
        Self {
            number: rig.number,
            profile: rig.profile,
            simulated: rig.profile == Profile::Demo || driver.is_some_and(|driver| driver.simulated),
            at_ms: swept.map(wall_ms),
            age_ms,
            stale_after_ms,
            driver: driver.map(DriverLine::of),
            status: Status::of(rig, age_ms.is_none_or(|age| age > stale_after_ms)),
            tiles: (1..).zip(&rig.seats).map(|(place, seat)| Tile::of(place, seat, rig, now)).collect(),
        }
    }
}

impl DriverLine {
    fn of(driver: &Driver) -> Self {
        Self {
            version: driver.version.clone().into(),
            library: driver.library.clone().into(),
            cuda: driver.cuda.clone().into(),
        }
    }
}

/// Versions of the driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct DriverLine {
    /// The kernel driver's.
    pub version: Shown<String>,
    /// The library's.
    pub library: Shown<String>,
    /// CUDA's.
    pub cuda: Shown<String>,
}

/// A value, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(untagged)]
pub enum Shown<T> {
    /// There is none.
    Missing {
        /// Why.
        missing: Missing,
    },
    /// The value.
    Value(T),
}

/// Why a value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Missing {
    /// The card has no such sensor. Never an alarm.
    NotSupported,
    /// The driver refuses it to this user.
    NoPermission,
    /// The card is lost.
    Lost,
    /// The driver has not answered since.
    Stuck {
        /// Milliseconds since 1970.
        #[cfg_attr(test, ts(type = "number"))]
        since_ms: i64,
    },
    /// The driver answered with another error.
    Error {
        /// NVML's number.
        nvml: u32,
    },
    /// It has not been read yet.
    NotYet,
}

/// What is wrong, or that nothing is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Status {
    /// The worst of the matters; calm without any.
    pub level: Level,
    /// What is wrong, the worst first.
    pub matters: Vec<Matter>,
    /// Expected cards.
    pub cards: u32,
    /// Those that answered the last sweep; none if that is stale.
    pub answering: u32,
    /// Those rented, as far as known.
    pub rented: u32,
}

/// How bad a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// All well.
    Calm,
    /// Nothing is known yet.
    Waiting,
    /// Worth knowing.
    Notice,
    /// Worth a look.
    Warning,
    /// Costs money or may break something.
    Critical,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Matter {
    /// What.
    pub code: MatterCode,
    /// How bad.
    pub level: Level,
    /// The cards it concerns, by [`Tile::seat`]; empty if it is the whole rig.
    pub seats: Vec<u32>,
    /// NVML's number, where the driver gave one.
    pub nvml: Option<u32>,
    /// Since when, in milliseconds since 1970, where that is known.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub since_ms: Option<i64>,
    /// The process that is to be acted on, where there is one.
    pub holder: Option<Holder>,
    /// An error's own words, for a report.
    pub detail: Option<String>,
}

/// What is wrong; each has its own sentence and next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case")]
pub enum MatterCode {
    /// No driver library is installed.
    LibraryAbsent,
    /// The file is no driver library.
    LibraryUnusable,
    /// The library is too old.
    LibraryTooOld,
    /// Library and kernel module differ: restart the rig.
    VersionMismatch,
    /// The kernel module is not loaded.
    DriverNotLoaded,
    /// This user may not open the driver.
    NoPermission,
    /// The driver refused to start.
    DriverFailed,
    /// Every card is stuck, or the driver hangs at its start.
    DriverStuck,
    /// The probe is not installed, or cannot be started.
    ProbeAbsent,
    /// The probe ended by itself.
    ProbeCrashed,
    /// The probe says nothing.
    ProbeSilent,
    /// The probe is of another version.
    ProbeVersion,
    /// The process that holds the data directory says nothing: it was stopped, or hangs.
    HolderSilent,
    /// The list of cards cannot be read.
    ListFailed,
    /// The read of the list of cards does not return.
    ListStuck,
    /// The driver runs and has no card, and none was ever met.
    NoCards,
    /// An expected card is not there.
    CardMissing,
    /// A card fell off the bus.
    CardLost,
    /// A card does not answer.
    CardStuck,
    /// The driver wants a card reset.
    CardNeedsReset,
    /// A card fails altogether.
    CardFailing,
    /// The driver counts a card that it does not hand out.
    CardUnreached,
    /// What must be remembered cannot be kept on disk.
    NotStored,
    /// A newer program wrote what is remembered: it is neither read nor changed.
    StateNewer,
    /// What was remembered is damaged: it was set aside and begun anew.
    StateSetAside,
    /// Damaged settings have their defaults again.
    SettingsReset,
    /// What is read cannot be recorded.
    HistoryNotStored,
    /// A newer program wrote the history: nothing is recorded.
    HistoryNewer,
    /// The history was damaged: it was set aside and begun anew.
    HistorySetAside,
    /// Closed hours of energy cannot be kept.
    LedgerNotStored,
    /// A newer program wrote the ledger: nothing is posted.
    LedgerNewer,
    /// The ledger was damaged: it was set aside and begun anew.
    LedgerSetAside,
}

/// One card, as its tile shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Tile {
    /// Its place in slot order, from 1.
    pub seat: u32,
    /// Its name for life.
    pub uuid: String,
    /// Its marketing name without the vendor's, such as `RTX 4060`.
    pub name: Option<String>,
    /// Its slot, such as `0000:01:00.0`.
    pub slot: Option<String>,
    /// How it does.
    pub state: TileState,
    /// What it is used for.
    pub occupancy: Occupancy,
    /// Its last values; none if it never answered, or is not there.
    pub values: Option<TileValues>,
}

/// How a card does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TileState {
    /// It answers.
    Answering,
    /// It has not been asked yet, or the list of cards was not read.
    Waiting,
    /// It does not answer.
    Stuck {
        /// Since when, in milliseconds since 1970.
        #[cfg_attr(test, ts(type = "number"))]
        since_ms: i64,
    },
    /// It fell off the bus.
    Lost,
    /// The driver wants it reset.
    NeedsReset,
    /// It fails altogether.
    Failing {
        /// NVML's number.
        nvml: u32,
    },
    /// It is not there.
    Missing {
        /// When it was last seen, in milliseconds since 1970 (to the minute).
        #[cfg_attr(test, ts(type = "number"))]
        last_seen_ms: i64,
    },
    /// The driver counts a card that it does not hand out; it may be this one.
    Unreached,
}

/// A card's values as its tile shows them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct TileValues {
    /// When they were read, in milliseconds since 1970.
    #[cfg_attr(test, ts(type = "number"))]
    pub at_ms: i64,
    /// Their age when this frame was made.
    #[cfg_attr(test, ts(type = "number"))]
    pub age_ms: u64,
    /// Degrees Celsius.
    pub temperature_c: Shown<i32>,
    /// Share of time in which something ran.
    pub utilisation_percent: Shown<u32>,
    /// Bytes allocated by programs.
    #[cfg_attr(test, ts(type = "Shown<number>"))]
    pub memory_used_bytes: Shown<u64>,
    /// All bytes less the driver's own.
    #[cfg_attr(test, ts(type = "Shown<number>"))]
    pub memory_total_bytes: Shown<u64>,
    /// Milliwatts.
    pub power_mw: Shown<u32>,
    /// The limit in force, in milliwatts.
    pub power_limit_mw: Shown<u32>,
    /// What the driver intends for each fan, in percent; not what the blades do.
    pub fans_percent: Shown<Vec<Shown<u32>>>,
    /// Processes that compute on it.
    pub processes: Shown<u32>,
}
