//! Why the driver cannot be read at all.

use serde::{Deserialize, Serialize};

use crate::reading::NvmlCode;

/// The kind of trouble; each has its own next step for the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleCode {
    /// No NVIDIA library is installed where it was looked for.
    LibraryAbsent,
    /// The file is no driver library.
    LibraryUnusable,
    /// The library lacks a function without which nothing can be read.
    LibraryTooOld,
    /// The library was updated while the kernel module was not: the rig must be restarted.
    VersionMismatch,
    /// The kernel module is not loaded.
    DriverNotLoaded,
    /// This user may not open the driver.
    NoPermission,
    /// The driver refused to start with another error; also what a later program may call by a name that this one does not know.
    #[serde(other)]
    DriverFailed,
}

/// Why the driver cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The kind.
    pub code: TroubleCode,
    /// The driver's own code, where it gave one.
    pub nvml: Option<NvmlCode>,
    /// The loader's or driver's own words, for a report; never matched on.
    pub detail: String,
}

impl TroubleCode {
    /// What a driver's refusal to start means.
    pub const fn of_start(code: NvmlCode) -> Self {
        match code {
            NvmlCode::LIB_RM_VERSION_MISMATCH => Self::VersionMismatch,
            NvmlCode::DRIVER_NOT_LOADED => Self::DriverNotLoaded,
            NvmlCode::NO_PERMISSION => Self::NoPermission,
            NvmlCode(12) => Self::LibraryAbsent,
            NvmlCode(13) => Self::LibraryTooOld,
            _ => Self::DriverFailed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_to_start_has_its_meaning() {
        let table = [
            (18, TroubleCode::VersionMismatch),
            (9, TroubleCode::DriverNotLoaded),
            (4, TroubleCode::NoPermission),
            (12, TroubleCode::LibraryAbsent),
            (13, TroubleCode::LibraryTooOld),
            (8, TroubleCode::DriverFailed),
            (999, TroubleCode::DriverFailed),
            (31, TroubleCode::DriverFailed),
        ];
        for (code, meaning) in table {
            assert_eq!(TroubleCode::of_start(NvmlCode(code)), meaning, "code {code}");
        }
    }
}
