//! The few driver calls that the safe wrapper lacks, makes at twice the cost, or whose answer it changes: for an enumeration it gives
//! an unknown value and an unknown return code alike, and from a bit mask it drops the bits it has no name for.

#![allow(unsafe_code)]

use std::ffi::OsStr;

use fanfare_rig::{Process, Reading, Reason};
use fanfare_units::Bytes;
use nvml_wrapper::{
    Device, Nvml,
    enums::device::SampleValue,
    error::{NvmlError, nvml_sym, nvml_try},
    struct_wrappers::device::FieldValueSample,
};
use nvml_wrapper_sys::bindings::{
    NVML_FAN_POLICY_MANUAL, NVML_FAN_POLICY_TEMPERATURE_CONTINOUS_SW, nvmlFieldValue_t, nvmlProcessInfo_t,
    nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_SIZE as INSUFFICIENT_SIZE, nvmlValue_t,
};

/// Room for this many processes at the first try; a rented card runs one or a few.
const PROCESSES_USUAL: usize = 32;
/// No more than this many are asked for; a card with more says so as an error.
const PROCESSES_MOST: usize = 4_096;
/// Room for a process's name with its path; the longest path of Linux is 4,096 bytes, and few are over 256.
const NAME_ROOM: usize = 1_024;

/// An entry not yet filled in.
const BLANK: nvmlProcessInfo_t =
    nvmlProcessInfo_t { pid: 0, usedGpuMemory: 0, gpuInstanceId: 0, computeInstanceId: 0 };
/// `NVML_VALUE_NOT_AVAILABLE`, which a process's memory is where the driver cannot tell.
const NOT_AVAILABLE: u64 = u64::MAX;

/// The processes that compute on a card, by process id.
///
/// One call where the wrapper's own makes two (it asks for the number first, each time).
pub(crate) fn compute_processes(nvml: &Nvml, device: &Device<'_>) -> Result<Vec<Process>, NvmlError> {
    let mut usual = [BLANK; PROCESSES_USUAL];
    let (code, count) = compute_processes_into(nvml, device, &mut usual)?;
    if code != INSUFFICIENT_SIZE {
        nvml_try(code)?;
        return Ok(processes(&usual[..count.min(PROCESSES_USUAL)]));
    }
    // Once more, with the room the driver asked for and some to spare for processes that just began.
    let mut wanted = vec![BLANK; (count + 8).min(PROCESSES_MOST)];
    let (code, count) = compute_processes_into(nvml, device, &mut wanted)?;
    nvml_try(code)?;
    wanted.truncate(count);
    Ok(processes(&wanted))
}

fn compute_processes_into(
    nvml: &Nvml,
    device: &Device<'_>,
    room: &mut [nvmlProcessInfo_t],
) -> Result<(u32, usize), NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetComputeRunningProcesses_v3.as_ref())?;
    let mut count = u32::try_from(room.len()).unwrap_or(u32::MAX);
    // SAFETY: the handle is of this library, and `count` says how many entries `room` has.
    let code = unsafe { call(device.handle(), &raw mut count, room.as_mut_ptr()) };
    Ok((code, usize::try_from(count).unwrap_or(usize::MAX)))
}

fn processes(found: &[nvmlProcessInfo_t]) -> Vec<Process> {
    let mut processes: Vec<Process> = found
        .iter()
        .map(|info| Process {
            pid: info.pid,
            name: None,
            memory: match info.usedGpuMemory {
                NOT_AVAILABLE => Reading::missing(Reason::NotSupported),
                bytes => Reading::Measured(Bytes(bytes)),
            },
        })
        .collect();
    processes.sort_by_key(|process| process.pid);
    processes
}

/// What the driver calls a process, to its end or to as much as a name can be of it: the wrapper refuses what is not UTF-8.
pub(crate) fn process_name(nvml: &Nvml, pid: u32) -> Result<Vec<u8>, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlSystemGetProcessName.as_ref())?;
    let mut room = [0_u8; NAME_ROOM];
    let length = u32::try_from(room.len()).unwrap_or(u32::MAX);
    // SAFETY: `room` has `length` bytes, and outlives the call.
    nvml_try(unsafe { call(pid, room.as_mut_ptr().cast(), length) })?;
    Ok(room.to_vec())
}

/// Several fields in one call, each with its own result. The numbers must lie below 251, where all generations of the header
/// agree; whole numbers of every type the driver may choose are taken.
pub(crate) fn field_values<const N: usize>(
    nvml: &Nvml,
    device: &Device<'_>,
    numbers: [u32; N],
) -> Result<[Result<u64, NvmlError>; N], NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetFieldValues.as_ref())?;
    let mut fields = numbers.map(|number| nvmlFieldValue_t {
        fieldId: number,
        scopeId: 0,
        timestamp: 0,
        latencyUsec: 0,
        valueType: 0,
        nvmlReturn: 0,
        value: nvmlValue_t { ullVal: 0 },
    });
    let count = i32::try_from(N).unwrap_or(i32::MAX);
    // SAFETY: the handle is of this library, and `fields` has as many entries as `count` says.
    nvml_try(unsafe { call(device.handle(), count, fields.as_mut_ptr()) })?;
    Ok(fields.map(|field| FieldValueSample::try_from(field).and_then(|sample| whole(&sample.value?))))
}

/// The driver types its counters as it likes from one version to the next; none of them is a fraction or negative.
fn whole(value: &SampleValue) -> Result<u64, NvmlError> {
    match value {
        SampleValue::U32(value) => Ok(u64::from(*value)),
        SampleValue::U64(value) => Ok(*value),
        SampleValue::I64(value) => u64::try_from(*value).map_err(|_| NvmlError::Unknown),
        SampleValue::F64(_) => Err(NvmlError::Unknown),
    }
}

/// The highest PCIe generation of the card alone, which the wrapper lacks (its own call gives that of card and slot together).
pub(crate) fn card_link_generation_max(nvml: &Nvml, device: &Device<'_>) -> Result<u32, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetGpuMaxPcieLinkGeneration.as_ref())?;
    let mut generation = 0;
    // SAFETY: the handle is of this library, and `generation` outlives the call.
    nvml_try(unsafe { call(device.handle(), &raw mut generation) })?;
    Ok(generation)
}

/// The performance state, 0 (fastest) to 15.
pub(crate) fn performance_state(nvml: &Nvml, device: &Device<'_>) -> Result<u32, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetPerformanceState.as_ref())?;
    let mut state = 0;
    // SAFETY: the handle is of this library, and `state` outlives the call.
    nvml_try(unsafe { call(device.handle(), &raw mut state) })?;
    // 32 is the driver's word for a state it does not know.
    if state <= 15 { Ok(state) } else { Err(NvmlError::Unknown) }
}

/// Why the clocks are not higher, as the driver's bit mask.
pub(crate) fn throttle_reasons(nvml: &Nvml, device: &Device<'_>) -> Result<u64, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetCurrentClocksThrottleReasons.as_ref())?;
    let mut reasons = 0;
    // SAFETY: the handle is of this library, and `reasons` outlives the call.
    nvml_try(unsafe { call(device.handle(), &raw mut reasons) })?;
    Ok(reasons)
}

/// Whether somebody set a fan's duty, in place of the driver's own curve.
pub(crate) fn fan_is_manual(nvml: &Nvml, device: &Device<'_>, fan: u32) -> Result<bool, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetFanControlPolicy_v2.as_ref())?;
    let mut policy = 0;
    // SAFETY: the handle is of this library, and `policy` outlives the call.
    nvml_try(unsafe { call(device.handle(), fan, &raw mut policy) })?;
    match policy {
        NVML_FAN_POLICY_TEMPERATURE_CONTINOUS_SW => Ok(false),
        NVML_FAN_POLICY_MANUAL => Ok(true),
        _ => Err(NvmlError::Unknown),
    }
}

/// The duty that a fan is to reach, in percent, which the wrapper lacks.
pub(crate) fn fan_target(nvml: &Nvml, device: &Device<'_>, fan: u32) -> Result<u32, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetTargetFanSpeed.as_ref())?;
    let mut percent = 0;
    // SAFETY: the handle is of this library, and `percent` outlives the call.
    nvml_try(unsafe { call(device.handle(), fan, &raw mut percent) })?;
    Ok(percent)
}

/// A number by which an event's device is told from others; it means nothing outside this process.
pub(crate) fn handle_number(device: &Device<'_>) -> usize {
    // SAFETY: the handle is only looked at as a number.
    unsafe { device.handle() as usize }
}

/// Whether the library at `path` is the simulated driver, which says so by a symbol of its own. It makes no call of the driver, so
/// it answers where even the driver's start hangs. One that cannot be loaded is none.
pub(crate) fn is_simulated(path: &OsStr) -> bool {
    // SAFETY: its initialisers run as they do when the driver is loaded, which this process does next; the symbol is looked up and
    // not called.
    let Ok(library) = (unsafe { libloading::Library::new(path) }) else { return false };
    // SAFETY: as above.
    let marker = unsafe { library.get::<unsafe extern "C" fn() -> u32>(b"fanfareSimulatedDriver\0") };
    let simulated = marker.is_ok();
    // It stays for the life of the process, as the driver does: taken away, it would be initialised twice.
    std::mem::forget(library);
    simulated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_whose_memory_is_unknown_is_no_process_of_sixteen_exabytes() {
        let info = |pid, memory| nvmlProcessInfo_t {
            pid,
            usedGpuMemory: memory,
            gpuInstanceId: u32::MAX,
            computeInstanceId: u32::MAX,
        };
        assert_eq!(
            processes(&[info(20, NOT_AVAILABLE), info(10, 1 << 30)]),
            [
                Process { pid: 10, name: None, memory: Reading::Measured(Bytes(1 << 30)) },
                Process { pid: 20, name: None, memory: Reading::missing(Reason::NotSupported) }
            ]
        );
    }

    #[test]
    fn a_field_is_whole_whatever_type_the_driver_gave_it() {
        let table = [
            (SampleValue::U32(7), Some(7)),
            (SampleValue::U64(u64::MAX), Some(u64::MAX)),
            (SampleValue::I64(9), Some(9)),
            (SampleValue::I64(-9), None),
            (SampleValue::F64(1.5), None),
        ];
        for (value, expected) in table {
            assert_eq!(whole(&value).ok(), expected, "{value:?}");
        }
    }
}
