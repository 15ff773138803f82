//! Clocks, what holds them down, and load.

use fanfare_sim_state::Symbol;
use fanfare_sim_state::physics::STEP_NS;
use fanfare_sim_state::profile::ClockSet;
use fanfare_sim_state::reading::wall_us;
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Handle, Out};
use crate::codes::{Code, DEPRECATED, INVALID_ARGUMENT, NOT_SUPPORTED, Outcome};
use crate::gate::{Card, Subject, card_call, read};

/// Every reason that an Ada GeForce can give.
const SUPPORTED_REASONS: u64 = 0x1ff;

fn pick(clocks: ClockSet, kind: u32) -> Outcome<u32> {
    match kind {
        sys::nvmlClockType_enum_NVML_CLOCK_GRAPHICS | sys::nvmlClockType_enum_NVML_CLOCK_SM => {
            Ok(clocks.graphics)
        }
        sys::nvmlClockType_enum_NVML_CLOCK_MEM => Ok(clocks.memory),
        sys::nvmlClockType_enum_NVML_CLOCK_VIDEO => Ok(clocks.video),
        _ => Err(INVALID_ARGUMENT),
    }
}

fn current(card: &Card<'_, '_>, kind: u32) -> Outcome<u32> {
    let r = &card.reading;
    pick(ClockSet { graphics: r.graphics_mhz, memory: r.memory_mhz, video: r.video_mhz }, kind)
}

/// A clock now, MHz.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetClockInfo(device: Handle, kind: u32, clock: Out<u32>) -> Code {
    read(Symbol::DeviceGetClockInfo, device, clock, |card| current(card, kind))
}

/// A clock's greatest, MHz.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMaxClockInfo(device: Handle, kind: u32, clock: Out<u32>) -> Code {
    read(Symbol::DeviceGetMaxClockInfo, device, clock, |card| pick(card.profile.clocks.max, kind))
}

/// A clock by kind and meaning, MHz; application clocks are deprecated in this driver.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetClock(device: Handle, kind: u32, id: u32, clock: Out<u32>) -> Code {
    read(Symbol::DeviceGetClock, device, clock, |card| match id {
        sys::nvmlClockId_enum_NVML_CLOCK_ID_CURRENT => current(card, kind),
        sys::nvmlClockId_enum_NVML_CLOCK_ID_CUSTOMER_BOOST_MAX => Err(NOT_SUPPORTED),
        known if known < sys::nvmlClockId_enum_NVML_CLOCK_ID_COUNT => Err(DEPRECATED),
        _ => Err(INVALID_ARGUMENT),
    })
}

/// Performance state.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPerformanceState(device: Handle, state: Out<u32>) -> Code {
    read(Symbol::DeviceGetPerformanceState, device, state, |card| Ok(card.reading.pstate))
}

/// Performance state, under its old name.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerState(device: Handle, state: Out<u32>) -> Code {
    read(Symbol::DeviceGetPowerState, device, state, |card| Ok(card.reading.pstate))
}

/// What holds the clocks down, under its old name.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCurrentClocksThrottleReasons(device: Handle, reasons: Out<u64>) -> Code {
    let symbol = Symbol::DeviceGetCurrentClocksThrottleReasons;
    read(symbol, device, reasons, |card| Ok(u64::from(card.reading.reasons)))
}

/// What holds the clocks down.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCurrentClocksEventReasons(device: Handle, reasons: Out<u64>) -> Code {
    let symbol = Symbol::DeviceGetCurrentClocksEventReasons;
    read(symbol, device, reasons, |card| Ok(u64::from(card.reading.reasons)))
}

/// What can hold the clocks down, under its old name.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetSupportedClocksThrottleReasons(device: Handle, reasons: Out<u64>) -> Code {
    read(Symbol::DeviceGetSupportedClocksThrottleReasons, device, reasons, |_| Ok(SUPPORTED_REASONS))
}

/// What can hold the clocks down.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetSupportedClocksEventReasons(device: Handle, reasons: Out<u64>) -> Code {
    read(Symbol::DeviceGetSupportedClocksEventReasons, device, reasons, |_| Ok(SUPPORTED_REASONS))
}

/// Share of the last second in which the core was busy, and of time in which memory was.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetUtilizationRates(device: Handle, rates: Out<sys::nvmlUtilization_t>) -> Code {
    read(Symbol::DeviceGetUtilizationRates, device, rates, |card| {
        let r = &card.reading;
        Ok(sys::nvmlUtilization_t { gpu: r.utilization, memory: r.memory_utilization })
    })
}

fn video_engine(symbol: Symbol, device: Handle, utilization: Out<u32>, period: Out<u32>) -> Code {
    card_call(symbol, Subject::Handle(device), |_| {
        period.required()?;
        utilization.put(0)?;
        // Sampling period in µs: a sixth of a second, as consumer cards report.
        period.put(167_000)
    })
}

/// Encoder load: the simulated rentals compute and render, they do not encode.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetEncoderUtilization(
    device: Handle,
    utilization: Out<u32>,
    period: Out<u32>,
) -> Code {
    video_engine(Symbol::DeviceGetEncoderUtilization, device, utilization, period)
}

/// Decoder load.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetDecoderUtilization(
    device: Handle,
    utilization: Out<u32>,
    period: Out<u32>,
) -> Code {
    video_engine(Symbol::DeviceGetDecoderUtilization, device, utilization, period)
}

/// Time for which power or heat held the clocks down, ns, and the time of the figure, µs.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetViolationStatus(
    device: Handle,
    policy: u32,
    time: Out<sys::nvmlViolationTime_t>,
) -> Code {
    read(Symbol::DeviceGetViolationStatus, device, time, |card| {
        let held = match policy {
            sys::nvmlPerfPolicyType_enum_NVML_PERF_POLICY_POWER => card.reading.capped_ns,
            sys::nvmlPerfPolicyType_enum_NVML_PERF_POLICY_THERMAL => card.reading.thermal_ns,
            known if known < sys::nvmlPerfPolicyType_enum_NVML_PERF_POLICY_COUNT => 0,
            _ => return Err(INVALID_ARGUMENT),
        };
        let at = card.session.now() / STEP_NS * STEP_NS;
        let reference = wall_us(card.session.world().config(), at);
        Ok(sys::nvmlViolationTime_t { referenceTime: reference, violationTime: held })
    })
}
