//! Who a card is, and the modes that a GeForce card has or lacks.

use fanfare_sim_state::Symbol;
use fanfare_sim_state::identity::{bus, bus_id, bus_id_legacy, uuid};
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Buffer, Handle, Out, c_array, version_word};
use crate::codes::{ARGUMENT_VERSION_MISMATCH, Code, DEPRECATED, INVALID_ARGUMENT, NOT_SUPPORTED, Outcome};
use crate::gate::{Card, Subject, card_call, read, set};

fn text(
    symbol: Symbol,
    device: Handle,
    out: (Buffer, u32),
    value: impl FnOnce(&Card<'_, '_>) -> Outcome<String>,
) -> Code {
    card_call(symbol, Subject::Handle(device), |card| out.0.put(out.1, &value(card)?))
}

/// Product name.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetName(device: Handle, name: Buffer, length: u32) -> Code {
    text(Symbol::DeviceGetName, device, (name, length), |card| Ok(card.profile.card_name.to_owned()))
}

/// UUID.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetUUID(device: Handle, out: Buffer, length: u32) -> Code {
    text(Symbol::DeviceGetUUID, device, (out, length), |card| {
        Ok(uuid(card.session.world().config().seed, card.conditions.board.unwrap_or_default()))
    })
}

/// GeForce cards have no serial number.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetSerial(device: Handle, serial: Buffer, length: u32) -> Code {
    text(Symbol::DeviceGetSerial, device, (serial, length), |_| Err(NOT_SUPPORTED))
}

/// GeForce cards have no board part number.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetBoardPartNumber(device: Handle, number: Buffer, length: u32) -> Code {
    text(Symbol::DeviceGetBoardPartNumber, device, (number, length), |_| Err(NOT_SUPPORTED))
}

/// VBIOS version.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetVbiosVersion(device: Handle, version: Buffer, length: u32) -> Code {
    text(Symbol::DeviceGetVbiosVersion, device, (version, length), |card| Ok(card.profile.vbios.to_owned()))
}

/// PCI address and ids. The older symbols' structure is shorter, and no current program asks for it.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPciInfo_v3(device: Handle, out: Out<sys::nvmlPciInfo_t>) -> Code {
    read(Symbol::DeviceGetPciInfoV3, device, out, |card| {
        Ok(sys::nvmlPciInfo_t {
            busIdLegacy: c_array(&bus_id_legacy(card.slot)),
            domain: 0,
            bus: bus(card.slot),
            device: 0,
            pciDeviceId: card.profile.device_id,
            pciSubSystemId: card.profile.subsystem_id,
            busId: c_array(&bus_id(card.slot)),
        })
    })
}

/// PCI address, ids and class.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPciInfoExt(device: Handle, out: Out<sys::nvmlPciInfoExt_t>) -> Code {
    card_call(Symbol::DeviceGetPciInfoExt, Subject::Handle(device), |card| {
        let asked = out.get()?;
        if asked.version != version_word::<sys::nvmlPciInfoExt_v1_t>(1) {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        out.put(sys::nvmlPciInfoExt_t {
            version: asked.version,
            domain: 0,
            bus: bus(card.slot),
            device: 0,
            pciDeviceId: card.profile.device_id,
            pciSubSystemId: card.profile.subsystem_id,
            // Display controller, VGA compatible.
            baseClass: 3,
            subClass: 0,
            busId: c_array(&bus_id(card.slot)),
        })
    })
}

/// Product line.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetBrand(device: Handle, brand: Out<u32>) -> Code {
    read(Symbol::DeviceGetBrand, device, brand, |_| Ok(sys::nvmlBrandType_enum_NVML_BRAND_GEFORCE))
}

/// Place in the enumeration.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetIndex(device: Handle, index: Out<u32>) -> Code {
    read(Symbol::DeviceGetIndex, device, index, |card| {
        let slot = card.slot;
        let place = card.session.conditions().enumeration.iter().position(|other| *other == slot);
        place.and_then(|place| u32::try_from(place).ok()).ok_or(INVALID_ARGUMENT)
    })
}

/// Number in `/dev/nvidiaN`: follows the slot, not the enumeration.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMinorNumber(device: Handle, minor: Out<u32>) -> Code {
    read(Symbol::DeviceGetMinorNumber, device, minor, |card| Ok(bus(card.slot) - 1))
}

/// Board id: bus number and device, as NVML makes it.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetBoardId(device: Handle, board: Out<u32>) -> Code {
    read(Symbol::DeviceGetBoardId, device, board, |card| Ok(bus(card.slot) << 8))
}

/// One chip a board.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMultiGpuBoard(device: Handle, multi: Out<u32>) -> Code {
    read(Symbol::DeviceGetMultiGpuBoard, device, multi, |_| Ok(0))
}

/// Ada Lovelace.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetArchitecture(device: Handle, architecture: Out<u32>) -> Code {
    read(Symbol::DeviceGetArchitecture, device, architecture, |_| Ok(sys::NVML_DEVICE_ARCH_ADA))
}

/// CUDA compute capability.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCudaComputeCapability(device: Handle, major: Out<i32>, minor: Out<i32>) -> Code {
    card_call(Symbol::DeviceGetCudaComputeCapability, Subject::Handle(device), |card| {
        minor.required()?;
        major.put(card.profile.compute.0)?;
        minor.put(card.profile.compute.1)
    })
}

/// CUDA cores.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetNumGpuCores(device: Handle, cores: Out<u32>) -> Code {
    read(Symbol::DeviceGetNumGpuCores, device, cores, |card| Ok(card.profile.cores))
}

/// Width of the memory bus, bits.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMemoryBusWidth(device: Handle, width: Out<u32>) -> Code {
    read(Symbol::DeviceGetMemoryBusWidth, device, width, |card| Ok(card.profile.memory.bus_width))
}

/// Persistence mode.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPersistenceMode(device: Handle, mode: Out<u32>) -> Code {
    read(Symbol::DeviceGetPersistenceMode, device, mode, |card| Ok(u32::from(card.reading.persistence)))
}

/// Sets persistence mode.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceSetPersistenceMode(device: Handle, mode: u32) -> Code {
    set(Symbol::DeviceSetPersistenceMode, device, [i64::from(mode), 0, 0], |card| {
        if mode > 1 {
            return Err(INVALID_ARGUMENT);
        }
        card.session.set_persistence(card.slot, mode == 1);
        Outcome::Ok(())
    })
}

/// Any number of processes may use the card.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetComputeMode(device: Handle, mode: Out<u32>) -> Code {
    read(Symbol::DeviceGetComputeMode, device, mode, |_| {
        Ok(sys::nvmlComputeMode_enum_NVML_COMPUTEMODE_DEFAULT)
    })
}

/// Deprecated in this driver.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetDisplayMode(device: Handle, display: Out<u32>) -> Code {
    read(Symbol::DeviceGetDisplayMode, device, display, |_| Err(DEPRECATED))
}

/// No screen is attached.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetDisplayActive(device: Handle, active: Out<u32>) -> Code {
    read(Symbol::DeviceGetDisplayActive, device, active, |_| Ok(0))
}

/// Driver models are Windows's.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetDriverModel(device: Handle, current: Out<u32>, _pending: Out<u32>) -> Code {
    read(Symbol::DeviceGetDriverModel, device, current, |_| Err(NOT_SUPPORTED))
}

/// Driver models are Windows's.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetDriverModel_v2(device: Handle, current: Out<u32>, _pending: Out<u32>) -> Code {
    read(Symbol::DeviceGetDriverModelV2, device, current, |_| Err(NOT_SUPPORTED))
}

/// GeForce cards cannot be partitioned.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMigMode(device: Handle, current: Out<u32>, _pending: Out<u32>) -> Code {
    read(Symbol::DeviceGetMigMode, device, current, |_| Err(NOT_SUPPORTED))
}

/// GeForce cards cannot be partitioned.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMaxMigDeviceCount(device: Handle, count: Out<u32>) -> Code {
    read(Symbol::DeviceGetMaxMigDeviceCount, device, count, |_| Ok(0))
}

/// No handle is a partition's.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceIsMigDeviceHandle(device: Handle, is_mig: Out<u32>) -> Code {
    read(Symbol::DeviceIsMigDeviceHandle, device, is_mig, |_| Ok(0))
}

/// No error-correcting memory on GeForce cards.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetEccMode(device: Handle, current: Out<u32>, _pending: Out<u32>) -> Code {
    read(Symbol::DeviceGetEccMode, device, current, |_| Err(NOT_SUPPORTED))
}

/// No error-correcting memory on GeForce cards.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTotalEccErrors(device: Handle, _kind: u32, _since: u32, errors: Out<u64>) -> Code {
    read(Symbol::DeviceGetTotalEccErrors, device, errors, |_| Err(NOT_SUPPORTED))
}

/// Accounting is off.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetAccountingMode(device: Handle, mode: Out<u32>) -> Code {
    read(Symbol::DeviceGetAccountingMode, device, mode, |_| Ok(0))
}
