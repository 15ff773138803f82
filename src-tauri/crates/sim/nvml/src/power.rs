//! Board power, its limit, energy.

use fanfare_sim_state::Symbol;

use crate::abi::{Handle, Out};
use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, Outcome};
use crate::gate::{Subject, card_call, read, set};

/// Power averaged over one second, mW.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerUsage(device: Handle, power: Out<u32>) -> Code {
    read(Symbol::DeviceGetPowerUsage, device, power, |card| card.reading.power_mw.ok_or(NOT_SUPPORTED))
}

/// Energy since the driver was loaded, mJ.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTotalEnergyConsumption(device: Handle, energy: Out<u64>) -> Code {
    read(Symbol::DeviceGetTotalEnergyConsumption, device, energy, |card| {
        card.reading.energy_mj.ok_or(NOT_SUPPORTED)
    })
}

/// Power management is always on.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerManagementMode(device: Handle, mode: Out<u32>) -> Code {
    read(Symbol::DeviceGetPowerManagementMode, device, mode, |_| Ok(1))
}

/// The limit that was asked for, mW.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerManagementLimit(device: Handle, limit: Out<u32>) -> Code {
    read(Symbol::DeviceGetPowerManagementLimit, device, limit, |card| Ok(card.reading.power_limit_mw))
}

/// The limit after the driver was loaded, mW.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerManagementDefaultLimit(device: Handle, limit: Out<u32>) -> Code {
    read(Symbol::DeviceGetPowerManagementDefaultLimit, device, limit, |card| {
        Ok(card.profile.power.default_mw)
    })
}

/// Smallest and largest settable limit, mW.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerManagementLimitConstraints(
    device: Handle,
    min: Out<u32>,
    max: Out<u32>,
) -> Code {
    let symbol = Symbol::DeviceGetPowerManagementLimitConstraints;
    card_call(symbol, Subject::Handle(device), |card| {
        max.required()?;
        min.put(card.profile.power.min_mw)?;
        max.put(card.profile.power.max_mw)
    })
}

/// The limit in force, mW: nothing but the asked one limits here.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetEnforcedPowerLimit(device: Handle, limit: Out<u32>) -> Code {
    read(Symbol::DeviceGetEnforcedPowerLimit, device, limit, |card| Ok(card.reading.power_limit_mw))
}

/// Sets the limit, mW, within the card's range.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceSetPowerManagementLimit(device: Handle, limit: u32) -> Code {
    set(Symbol::DeviceSetPowerManagementLimit, device, [i64::from(limit), 0, 0], |card| {
        let power = &card.profile.power;
        if !(power.min_mw..=power.max_mw).contains(&limit) {
            return Err(INVALID_ARGUMENT);
        }
        card.session.set_power_limit(card.slot, limit);
        Outcome::Ok(())
    })
}
