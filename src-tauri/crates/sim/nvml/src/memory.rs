//! Frame buffer and aperture.

use fanfare_sim_state::Symbol;
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Handle, Out, version_word};
use crate::codes::{ARGUMENT_VERSION_MISMATCH, Code};
use crate::gate::{Subject, card_call, read};

/// Frame buffer in bytes; what the driver reserves counts as used.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMemoryInfo(device: Handle, memory: Out<sys::nvmlMemory_t>) -> Code {
    read(Symbol::DeviceGetMemoryInfo, device, memory, |card| {
        let m = card.reading.memory;
        Ok(sys::nvmlMemory_t { total: m.total, free: m.free, used: m.used + m.reserved })
    })
}

/// Frame buffer in bytes; what the driver reserves stands apart.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMemoryInfo_v2(device: Handle, memory: Out<sys::nvmlMemory_v2_t>) -> Code {
    card_call(Symbol::DeviceGetMemoryInfoV2, Subject::Handle(device), |card| {
        let version = memory.get()?.version;
        if version != version_word::<sys::nvmlMemory_v2_t>(2) {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        let m = card.reading.memory;
        memory.put(sys::nvmlMemory_v2_t {
            version,
            total: m.total,
            reserved: m.reserved,
            free: m.free,
            used: m.used,
        })
    })
}

/// BAR1 aperture in bytes; a little of it is always mapped.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetBAR1MemoryInfo(device: Handle, bar1: Out<sys::nvmlBAR1Memory_t>) -> Code {
    const MAPPED: u64 = 30 << 20;
    read(Symbol::DeviceGetBAR1MemoryInfo, device, bar1, |card| {
        let total = card.profile.memory.bar1 << 20;
        Ok(sys::nvmlBAR1Memory_t { bar1Total: total, bar1Free: total - MAPPED, bar1Used: MAPPED })
    })
}
