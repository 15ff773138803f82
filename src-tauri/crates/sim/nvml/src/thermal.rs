//! Temperatures and thresholds.

use fanfare_sim_state::Symbol;
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Handle, Out, version_word};
use crate::codes::{ARGUMENT_VERSION_MISMATCH, Code, INVALID_ARGUMENT, NOT_SUPPORTED, Outcome};
use crate::gate::{Subject, card_call, read};

/// Core temperature in degrees Celsius; there is no other sensor (`sensor` 0).
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTemperature(device: Handle, sensor: u32, temperature: Out<u32>) -> Code {
    read(Symbol::DeviceGetTemperature, device, temperature, |card| {
        if sensor != sys::nvmlTemperatureSensors_enum_NVML_TEMPERATURE_GPU {
            return Err(INVALID_ARGUMENT);
        }
        Ok(u32::try_from(card.reading.temperature).unwrap_or(0))
    })
}

/// As [`nvmlDeviceGetTemperature`], in a versioned structure.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTemperatureV(device: Handle, temperature: Out<sys::nvmlTemperature_t>) -> Code {
    card_call(Symbol::DeviceGetTemperatureVersioned, Subject::Handle(device), |card| {
        let asked = temperature.get()?;
        if asked.version != version_word::<sys::nvmlTemperature_v1_t>(1) {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        if asked.sensorType != sys::nvmlTemperatureSensors_enum_NVML_TEMPERATURE_GPU {
            return Err(INVALID_ARGUMENT);
        }
        temperature.put(sys::nvmlTemperature_t { temperature: card.reading.temperature, ..asked })
    })
}

/// A threshold in degrees Celsius. GeForce cards have none for memory.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTemperatureThreshold(device: Handle, kind: u32, threshold: Out<u32>) -> Code {
    read(Symbol::DeviceGetTemperatureThreshold, device, threshold, |card| {
        let thresholds = &card.profile.thresholds;
        match kind {
            sys::nvmlTemperatureThresholds_enum_NVML_TEMPERATURE_THRESHOLD_SHUTDOWN => {
                Ok(thresholds.shutdown)
            }
            sys::nvmlTemperatureThresholds_enum_NVML_TEMPERATURE_THRESHOLD_SLOWDOWN => {
                Ok(thresholds.slowdown)
            }
            sys::nvmlTemperatureThresholds_enum_NVML_TEMPERATURE_THRESHOLD_GPU_MAX => {
                Ok(thresholds.max_operating)
            }
            sys::nvmlTemperatureThresholds_enum_NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR => {
                Ok(thresholds.target)
            }
            known if known < sys::nvmlTemperatureThresholds_enum_NVML_TEMPERATURE_THRESHOLD_COUNT => {
                Err(NOT_SUPPORTED)
            }
            _ => Err(INVALID_ARGUMENT),
        }
    })
}

/// Margin to the nearest slowdown ("T.Limit"): not on GeForce.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMarginTemperature(
    device: Handle,
    margin: Out<sys::nvmlMarginTemperature_t>,
) -> Code {
    card_call(Symbol::DeviceGetMarginTemperature, Subject::Handle(device), |_| {
        if margin.get()?.version != version_word::<sys::nvmlMarginTemperature_v1_t>(1) {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        Outcome::Err(NOT_SUPPORTED)
    })
}
