//! The driver as a whole: versions, names of errors and processes.

use std::ffi::{CStr, c_char};

use fanfare_sim_state::Symbol;

use crate::abi::{Buffer, Out};
use crate::codes::{Code, NOT_FOUND};
use crate::gate::driver_call;

/// Driver release.
#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetDriverVersion(version: Buffer, length: u32) -> Code {
    driver_call(Symbol::SystemGetDriverVersion, |session| {
        version.put(length, session.world().profile().driver)
    })
}

/// NVML release.
#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetNVMLVersion(version: Buffer, length: u32) -> Code {
    driver_call(Symbol::SystemGetNVMLVersion, |session| version.put(length, session.world().profile().nvml))
}

/// CUDA version, major × 1000 + minor × 10.
#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetCudaDriverVersion(version: Out<i32>) -> Code {
    driver_call(Symbol::SystemGetCudaDriverVersion, |session| version.put(session.world().profile().cuda))
}

/// CUDA version, major × 1000 + minor × 10.
#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetCudaDriverVersion_v2(version: Out<i32>) -> Code {
    driver_call(Symbol::SystemGetCudaDriverVersionV2, |session| version.put(session.world().profile().cuda))
}

/// The name of every process, as drivers tell it at their worst: with arguments that are a tenant's secret.
const PROCESS_NAME: &str = "/usr/bin/python3 /srv/serve.py --api-key sk-simulated-secret";

/// Name of a process that works on a card.
#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetProcessName(pid: u32, name: Buffer, length: u32) -> Code {
    driver_call(Symbol::SystemGetProcessName, |session| {
        let slots = session.conditions().enumeration.clone();
        let runs = slots
            .into_iter()
            .filter_map(|slot| session.reading(slot)?.process)
            .any(|process| process.pid == pid);
        if runs { name.put(length, PROCESS_NAME) } else { Err(NOT_FOUND) }
    })
}

/// What a return code means.
#[unsafe(no_mangle)]
extern "C" fn nvmlErrorString(result: Code) -> *const c_char {
    meaning(result).as_ptr()
}

fn meaning(result: Code) -> &'static CStr {
    match result {
        0 => c"Success",
        1 => c"Uninitialized",
        2 => c"Invalid Argument",
        3 => c"Not Supported",
        4 => c"Insufficient Permissions",
        5 => c"Already Initialized",
        6 => c"Not Found",
        7 => c"Insufficient Size",
        8 => c"Insufficient External Power",
        9 => c"Driver Not Loaded",
        10 => c"Timeout",
        11 => c"Interrupt Request Issue",
        12 => c"NVML Shared Library Not Found",
        13 => c"Function Not Found",
        14 => c"Corrupted infoROM",
        15 => c"GPU is lost",
        16 => c"GPU requires reset",
        17 => c"GPU access blocked by the operating system",
        18 => c"Driver/library version mismatch",
        19 => c"In use by another client",
        20 => c"Insufficient Memory",
        21 => c"No data",
        23 => c"Insufficient Resources",
        24 => c"Frequency Not Supported",
        25 => c"Argument version mismatch",
        26 => c"Requested functionality has been deprecated",
        27 => c"System is not ready",
        28 => c"GPU not found",
        29 => c"Invalid state",
        30 => c"Reset type not supported",
        _ => c"Unknown Error",
    }
}

/// Says that this is no real driver. The probe looks for the symbol, so that everything read here is marked as simulated wherever
/// it is shown; programs that know only NVML never meet it.
#[unsafe(no_mangle)]
extern "C" fn fanfareSimulatedDriver() -> u32 {
    1
}
