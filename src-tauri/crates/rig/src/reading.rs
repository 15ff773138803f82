//! One quantity of one card: measured, or missing with its reason.

use std::fmt;

use fanfare_units::Stamp;
use serde::{Deserialize, Serialize};

/// A return code of NVML (`nvmlReturn_t`), kept as the number the driver gave: newer drivers have codes that no table here knows,
/// and a report must still be able to name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NvmlCode(pub u32);

impl NvmlCode {
    /// `NVML_ERROR_NOT_SUPPORTED`.
    pub const NOT_SUPPORTED: Self = Self(3);
    /// `NVML_ERROR_NO_PERMISSION`.
    pub const NO_PERMISSION: Self = Self(4);
    /// `NVML_ERROR_NOT_FOUND`.
    pub const NOT_FOUND: Self = Self(6);
    /// `NVML_ERROR_DRIVER_NOT_LOADED`.
    pub const DRIVER_NOT_LOADED: Self = Self(9);
    /// `NVML_ERROR_GPU_IS_LOST`: the card fell off the bus; only a restart of the rig brings it back.
    pub const GPU_IS_LOST: Self = Self(15);
    /// `NVML_ERROR_RESET_REQUIRED`.
    pub const RESET_REQUIRED: Self = Self(16);
    /// `NVML_ERROR_LIB_RM_VERSION_MISMATCH`: the library was updated under a loaded kernel module.
    pub const LIB_RM_VERSION_MISMATCH: Self = Self(18);
    /// `NVML_ERROR_UNKNOWN`.
    pub const UNKNOWN: Self = Self(999);

    /// The constant's name in `nvml.h` without its prefix, for a report; `None` for a code newer than the table.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            1 => "UNINITIALIZED",
            2 => "INVALID_ARGUMENT",
            3 => "NOT_SUPPORTED",
            4 => "NO_PERMISSION",
            5 => "ALREADY_INITIALIZED",
            6 => "NOT_FOUND",
            7 => "INSUFFICIENT_SIZE",
            8 => "INSUFFICIENT_POWER",
            9 => "DRIVER_NOT_LOADED",
            10 => "TIMEOUT",
            11 => "IRQ_ISSUE",
            12 => "LIBRARY_NOT_FOUND",
            13 => "FUNCTION_NOT_FOUND",
            14 => "CORRUPTED_INFOROM",
            15 => "GPU_IS_LOST",
            16 => "RESET_REQUIRED",
            17 => "OPERATING_SYSTEM",
            18 => "LIB_RM_VERSION_MISMATCH",
            19 => "IN_USE",
            20 => "MEMORY",
            21 => "NO_DATA",
            22 => "VGPU_ECC_NOT_SUPPORTED",
            23 => "INSUFFICIENT_RESOURCES",
            24 => "FREQ_NOT_SUPPORTED",
            25 => "ARGUMENT_VERSION_MISMATCH",
            26 => "DEPRECATED",
            27 => "NOT_READY",
            28 => "GPU_NOT_FOUND",
            29 => "INVALID_STATE",
            30 => "RESET_TYPE_NOT_SUPPORTED",
            999 => "UNKNOWN",
            _ => return None,
        })
    }
}

impl fmt::Display for NvmlCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} {name}", self.0),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Why a quantity is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The card, board or driver has no such sensor. Never an alarm.
    NotSupported,
    /// The driver refuses it to this user.
    NoPermission,
    /// The card is lost.
    Lost,
    /// The driver call has not returned; it began at `since`.
    Stuck {
        /// When the read that does not return began.
        since: Stamp,
    },
    /// The driver answered with another error.
    Error {
        /// Its code.
        code: NvmlCode,
    },
}

impl From<NvmlCode> for Reason {
    /// What a driver's error says of the one quantity that was asked for.
    fn from(code: NvmlCode) -> Self {
        match code {
            // A function that an older library lacks is a sensor that this rig does not have.
            NvmlCode::NOT_SUPPORTED | NvmlCode(13) => Self::NotSupported,
            NvmlCode::NO_PERMISSION => Self::NoPermission,
            NvmlCode::GPU_IS_LOST => Self::Lost,
            code => Self::Error { code },
        }
    }
}

/// A quantity that was measured, or is missing with its reason.
///
/// In JSON a measured one is its plain value and a missing one is `{"missing": reason}`, so that no reader can take a missing
/// value for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reading<T> {
    /// Missing, and why.
    Missing {
        /// The reason.
        missing: Reason,
    },
    /// Measured, as the driver gave it.
    Measured(T),
}

impl<T> Reading<T> {
    /// A missing quantity.
    pub const fn missing(reason: Reason) -> Self {
        Self::Missing { missing: reason }
    }

    /// The value, if it was measured.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Measured(value) => Some(value),
            Self::Missing { .. } => None,
        }
    }

    /// The reason, if it is missing.
    pub const fn reason(&self) -> Option<Reason> {
        match self {
            Self::Measured(_) => None,
            Self::Missing { missing } => Some(*missing),
        }
    }

    /// The same reading in another type; a missing one stays missing for the same reason.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Measured(value) => Reading::Measured(f(value)),
            Self::Missing { missing } => Reading::Missing { missing },
        }
    }
}

impl<T, E: Into<Reason>> From<Result<T, E>> for Reading<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => Self::Measured(value),
            Err(reason) => Self::missing(reason.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use fanfare_units::Celsius;

    use super::*;

    #[test]
    fn each_error_is_missing_with_its_reason() {
        let expected = [
            (3, Reason::NotSupported),
            (13, Reason::NotSupported),
            (4, Reason::NoPermission),
            (15, Reason::Lost),
            (2, Reason::Error { code: NvmlCode(2) }),
            (16, Reason::Error { code: NvmlCode(16) }),
            (27, Reason::Error { code: NvmlCode(27) }),
            (999, Reason::Error { code: NvmlCode(999) }),
            (4_000_000, Reason::Error { code: NvmlCode(4_000_000) }),
        ];
        for (code, reason) in expected {
            assert_eq!(Reason::from(NvmlCode(code)), reason, "code {code}");
        }
    }

    #[test]
    fn a_missing_value_cannot_be_read_as_a_number() {
        let missing: Reading<Celsius> = Reading::missing(Reason::NotSupported);
        assert_eq!(serde_json::to_string(&missing).unwrap(), r#"{"missing":"not_supported"}"#);
        assert_eq!(serde_json::from_str::<Reading<Celsius>>("64").unwrap(), Reading::Measured(Celsius(64)));
        for bad in ["null", "\"N/A\"", "{}", r#"{"missing":"because"}"#] {
            assert!(serde_json::from_str::<Reading<Celsius>>(bad).is_err(), "{bad} was taken for a reading");
        }
    }

    #[test]
    fn an_error_keeps_its_code_through_json() {
        let unknown: Reading<Celsius> = Reading::missing(Reason::Error { code: NvmlCode(29) });
        let json = serde_json::to_string(&unknown).unwrap();
        assert_eq!(json, r#"{"missing":{"error":{"code":29}}}"#);
        assert_eq!(serde_json::from_str::<Reading<Celsius>>(&json).unwrap(), unknown);
    }
}
