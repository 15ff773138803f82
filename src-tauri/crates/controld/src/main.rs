//! `fanfare-controld`: will write NVML, and is the only program that does.
//!
//! Fan curves and power limits need the driver's privilege, so they belong to a system service of its own: a closed or crashed
//! window then leaves no fan at the wrong speed. The service takes its decisions from the cooling room. Until that room has any,
//! this program controls nothing, says so, and changes nothing.

use std::process::ExitCode;

/// `EX_UNAVAILABLE` of `sysexits.h`.
const UNAVAILABLE: u8 = 69;

fn main() -> ExitCode {
    eprintln!(
        "fanfare-controld: this version controls no fan and no power limit; the driver's own control is in force"
    );
    ExitCode::from(UNAVAILABLE)
}
