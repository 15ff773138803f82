//! Who works on a card: one compute process a rental, never a graphics one.

use fanfare_sim_state::Symbol;
use fanfare_sim_state::physics::STEP_NS;
use fanfare_sim_state::reading::{ProcessReading, wall_us};
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Handle, Out};
use crate::codes::{Code, INSUFFICIENT_SIZE, INVALID_ARGUMENT, NOT_FOUND, Outcome};
use crate::gate::{Subject, card_call};

/// "Not in a partition", in the fields for one.
const NO_INSTANCE: u32 = u32::MAX;

/// Lists `process` in NVML's way: the count goes in as room and comes out as need.
fn list<T: Copy>(count: Out<u32>, infos: Out<T>, process: Option<T>) -> Outcome {
    let room = count.get()?;
    let Some(process) = process else { return count.put(0) };
    count.put(1)?;
    if room == 0 {
        return Err(INSUFFICIENT_SIZE);
    }
    infos.put(process)
}

fn current(process: ProcessReading) -> sys::nvmlProcessInfo_t {
    sys::nvmlProcessInfo_t {
        pid: process.pid,
        usedGpuMemory: process.memory,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    }
}

fn compute(symbol: Symbol, device: Handle, count: Out<u32>, infos: Out<sys::nvmlProcessInfo_t>) -> Code {
    card_call(symbol, Subject::Handle(device), |card| list(count, infos, card.reading.process.map(current)))
}

fn none<T: Copy>(symbol: Symbol, device: Handle, count: Out<u32>, infos: Out<T>) -> Code {
    card_call(symbol, Subject::Handle(device), |_| list(count, infos, None))
}

/// Compute processes, in the first structure.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetComputeRunningProcesses(
    device: Handle,
    count: Out<u32>,
    infos: Out<sys::nvmlProcessInfo_v1_t>,
) -> Code {
    card_call(Symbol::DeviceGetComputeRunningProcesses, Subject::Handle(device), |card| {
        let first = |p: ProcessReading| sys::nvmlProcessInfo_v1_t { pid: p.pid, usedGpuMemory: p.memory };
        list(count, infos, card.reading.process.map(first))
    })
}

/// Compute processes.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetComputeRunningProcesses_v2(
    device: Handle,
    count: Out<u32>,
    infos: Out<sys::nvmlProcessInfo_t>,
) -> Code {
    compute(Symbol::DeviceGetComputeRunningProcessesV2, device, count, infos)
}

/// Compute processes.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetComputeRunningProcesses_v3(
    device: Handle,
    count: Out<u32>,
    infos: Out<sys::nvmlProcessInfo_t>,
) -> Code {
    compute(Symbol::DeviceGetComputeRunningProcessesV3, device, count, infos)
}

/// Graphics processes, in the first structure.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetGraphicsRunningProcesses(
    device: Handle,
    count: Out<u32>,
    infos: Out<sys::nvmlProcessInfo_v1_t>,
) -> Code {
    none(Symbol::DeviceGetGraphicsRunningProcesses, device, count, infos)
}

/// Graphics processes.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetGraphicsRunningProcesses_v2(
    device: Handle,
    count: Out<u32>,
    infos: Out<sys::nvmlProcessInfo_t>,
) -> Code {
    none(Symbol::DeviceGetGraphicsRunningProcessesV2, device, count, infos)
}

/// Graphics processes.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetGraphicsRunningProcesses_v3(
    device: Handle,
    count: Out<u32>,
    infos: Out<sys::nvmlProcessInfo_t>,
) -> Code {
    none(Symbol::DeviceGetGraphicsRunningProcessesV3, device, count, infos)
}

/// Processes under MPS.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMPSComputeRunningProcesses_v3(
    device: Handle,
    count: Out<u32>,
    infos: Out<sys::nvmlProcessInfo_t>,
) -> Code {
    none(Symbol::DeviceGetMPSComputeRunningProcessesV3, device, count, infos)
}

/// Load by process since `last_seen` (µs of wall time); NOT_FOUND when there is no newer sample.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetProcessUtilization(
    device: Handle,
    samples: Out<sys::nvmlProcessUtilizationSample_t>,
    count: Out<u32>,
    last_seen: u64,
) -> Code {
    card_call(Symbol::DeviceGetProcessUtilization, Subject::Handle(device), |card| {
        let room = count.get()?;
        let sampled = card.session.now() / STEP_NS * STEP_NS;
        let at = wall_us(card.session.world().config(), sampled);
        let process = card.reading.process.filter(|process| process.since_ns <= sampled && at > last_seen);
        let Some(process) = process else {
            count.put(0)?;
            return Err(NOT_FOUND);
        };
        count.put(1)?;
        if room == 0 || samples.is_null() {
            return Err(if samples.is_null() { INSUFFICIENT_SIZE } else { INVALID_ARGUMENT });
        }
        samples.put(sys::nvmlProcessUtilizationSample_t {
            pid: process.pid,
            timeStamp: at,
            smUtil: card.reading.utilization,
            memUtil: card.reading.memory_utilization,
            encUtil: 0,
            decUtil: 0,
        })
    })
}
