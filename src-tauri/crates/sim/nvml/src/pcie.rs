//! The PCI Express link. At rest it falls back to generation 1, on a healthy card.

use fanfare_sim_state::Symbol;
use fanfare_sim_state::profile::Pcie;
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Handle, Out};
use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED};
use crate::gate::read;

/// What card and host can do together.
fn common_gen(pcie: &Pcie) -> u32 {
    pcie.gpu_gen.min(pcie.host_gen)
}

/// Transfers per second of a generation, in MT/s.
fn speed(generation: u32) -> u32 {
    match generation {
        0 | 1 => 2500,
        2 => 5000,
        3 => 8000,
        generation => 16_000 << (generation - 4).min(4),
    }
}

/// Generation now.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCurrPcieLinkGeneration(device: Handle, generation: Out<u32>) -> Code {
    read(Symbol::DeviceGetCurrPcieLinkGeneration, device, generation, |card| Ok(card.reading.pcie_gen))
}

/// Greatest generation of card and host together.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMaxPcieLinkGeneration(device: Handle, generation: Out<u32>) -> Code {
    read(Symbol::DeviceGetMaxPcieLinkGeneration, device, generation, |card| {
        Ok(common_gen(&card.profile.pcie))
    })
}

/// Greatest generation of the card alone.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetGpuMaxPcieLinkGeneration(device: Handle, generation: Out<u32>) -> Code {
    read(Symbol::DeviceGetGpuMaxPcieLinkGeneration, device, generation, |card| Ok(card.profile.pcie.gpu_gen))
}

/// Lanes now.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCurrPcieLinkWidth(device: Handle, width: Out<u32>) -> Code {
    read(Symbol::DeviceGetCurrPcieLinkWidth, device, width, |card| Ok(card.reading.pcie_width))
}

/// Greatest number of lanes.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMaxPcieLinkWidth(device: Handle, width: Out<u32>) -> Code {
    read(Symbol::DeviceGetMaxPcieLinkWidth, device, width, |card| Ok(card.profile.pcie.width))
}

/// Transfers now, MT/s.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPcieSpeed(device: Handle, transfers: Out<u32>) -> Code {
    read(Symbol::DeviceGetPcieSpeed, device, transfers, |card| Ok(speed(card.reading.pcie_gen)))
}

/// Greatest transfers, as NVML's own enumeration (which counts as the generations do).
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPcieLinkMaxSpeed(device: Handle, transfers: Out<u32>) -> Code {
    read(Symbol::DeviceGetPcieLinkMaxSpeed, device, transfers, |card| Ok(common_gen(&card.profile.pcie)))
}

/// Data over the link in one direction, KB/s, counted over 20 ms: the call takes that long.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPcieThroughput(device: Handle, counter: u32, kbps: Out<u32>) -> Code {
    read(Symbol::DeviceGetPcieThroughput, device, kbps, |card| match counter {
        sys::nvmlPcieUtilCounter_enum_NVML_PCIE_UTIL_TX_BYTES => Ok(card.session.throughput(card.slot).0),
        sys::nvmlPcieUtilCounter_enum_NVML_PCIE_UTIL_RX_BYTES => Ok(card.session.throughput(card.slot).1),
        _ => Err(INVALID_ARGUMENT),
    })
}

/// Replays since the driver was loaded: the simulated link has none.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPcieReplayCounter(device: Handle, replays: Out<u32>) -> Code {
    read(Symbol::DeviceGetPcieReplayCounter, device, replays, |_| Ok(0))
}

/// No link of the other kind on these cards.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetNvLinkState(device: Handle, _link: u32, active: Out<u32>) -> Code {
    read(Symbol::DeviceGetNvLinkState, device, active, |_| Err(NOT_SUPPORTED))
}
