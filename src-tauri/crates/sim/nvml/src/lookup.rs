//! From index, UUID and bus address to a handle.

use fanfare_sim_state::Symbol;

use crate::abi::{Handle, Out, Text};
use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, Outcome};
use crate::gate::{Subject, card_call, driver_call};

fn count(symbol: Symbol, out: Out<u32>) -> Code {
    driver_call(symbol, |session| {
        let cards = session.conditions().enumeration.len();
        out.put(u32::try_from(cards).unwrap_or(u32::MAX))
    })
}

fn handle(symbol: Symbol, subject: Subject, out: Out<Handle>) -> Code {
    card_call(symbol, subject, |card| out.put(card.handle()))
}

/// Cards, lost ones included.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCount(count_out: Out<u32>) -> Code {
    count(Symbol::DeviceGetCount, count_out)
}

/// Cards, lost ones included.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCount_v2(count_out: Out<u32>) -> Code {
    count(Symbol::DeviceGetCountV2, count_out)
}

/// The card at a place of the enumeration.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleByIndex(index: u32, device: Out<Handle>) -> Code {
    handle(Symbol::DeviceGetHandleByIndex, Subject::Index(index), device)
}

/// The card at a place of the enumeration.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: Out<Handle>) -> Code {
    handle(Symbol::DeviceGetHandleByIndexV2, Subject::Index(index), device)
}

/// The card of a UUID.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleByUUID(uuid: Text, device: Out<Handle>) -> Code {
    handle(Symbol::DeviceGetHandleByUUID, Subject::Uuid(uuid.read()), device)
}

/// The card at a bus address.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleByPciBusId(bus_id: Text, device: Out<Handle>) -> Code {
    handle(Symbol::DeviceGetHandleByPciBusId, Subject::BusId(bus_id.read()), device)
}

/// The card at a bus address.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(bus_id: Text, device: Out<Handle>) -> Code {
    handle(Symbol::DeviceGetHandleByPciBusIdV2, Subject::BusId(bus_id.read()), device)
}

/// No GeForce card has a serial number.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleBySerial(serial: Text, _device: Out<Handle>) -> Code {
    driver_call(Symbol::DeviceGetHandleBySerial, |_| {
        serial.read().ok_or(INVALID_ARGUMENT)?;
        Outcome::Err(NOT_SUPPORTED)
    })
}
