//! Fans. Every speed is the one that the driver intends; no call sees the blades.

use fanfare_sim_state::Symbol;
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Handle, Out, version_word};
use crate::codes::{ARGUMENT_VERSION_MISMATCH, Code, INVALID_ARGUMENT, Outcome};
use crate::gate::{Card, Subject, card_call, read, set};

const MANUAL: u32 = sys::NVML_FAN_POLICY_MANUAL;
const AUTOMATIC: u32 = sys::NVML_FAN_POLICY_TEMPERATURE_CONTINOUS_SW;

fn percent(card: &Card<'_, '_>, fan: u32) -> Outcome<u32> {
    let fan = card.fan(fan)?;
    card.reading.fans.get(fan).map(|fan| fan.percent).ok_or(INVALID_ARGUMENT)
}

/// Fans of the card.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetNumFans(device: Handle, count: Out<u32>) -> Code {
    read(Symbol::DeviceGetNumFans, device, count, |card| Ok(card.profile.fans))
}

/// Intended speed of the first fan, percent.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetFanSpeed(device: Handle, speed: Out<u32>) -> Code {
    read(Symbol::DeviceGetFanSpeed, device, speed, |card| percent(card, 0))
}

/// Intended speed of a fan, percent.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetFanSpeed_v2(device: Handle, fan: u32, speed: Out<u32>) -> Code {
    read(Symbol::DeviceGetFanSpeedV2, device, speed, |card| percent(card, fan))
}

/// Speed that a fan is to reach, percent.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTargetFanSpeed(device: Handle, fan: u32, speed: Out<u32>) -> Code {
    read(Symbol::DeviceGetTargetFanSpeed, device, speed, |card| percent(card, fan))
}

/// Intended speed of a fan, rpm.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetFanSpeedRPM(device: Handle, speed: Out<sys::nvmlFanSpeedInfo_t>) -> Code {
    card_call(Symbol::DeviceGetFanSpeedRPM, Subject::Handle(device), |card| {
        let asked = speed.get()?;
        if asked.version != version_word::<sys::nvmlFanSpeedInfo_v1_t>(1) {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        let fan = card.fan(asked.fan)?;
        let rpm = card.reading.fans.get(fan).map(|fan| fan.rpm).ok_or(INVALID_ARGUMENT)?;
        speed.put(sys::nvmlFanSpeedInfo_t { speed: rpm, ..asked })
    })
}

/// Settable range, percent.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMinMaxFanSpeed(device: Handle, min: Out<u32>, max: Out<u32>) -> Code {
    card_call(Symbol::DeviceGetMinMaxFanSpeed, Subject::Handle(device), |card| {
        max.required()?;
        min.put(card.profile.cooling.min_percent)?;
        max.put(100)
    })
}

/// Whether a fan is under manual control.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetFanControlPolicy_v2(device: Handle, fan: u32, policy: Out<u32>) -> Code {
    read(Symbol::DeviceGetFanControlPolicyV2, device, policy, |card| {
        let fan = card.fan(fan)?;
        let manual = card.reading.fans.get(fan).is_some_and(|fan| fan.manual);
        Ok(if manual { MANUAL } else { AUTOMATIC })
    })
}

/// Sets a fan's speed, percent, and puts it under manual control.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceSetFanSpeed_v2(device: Handle, fan: u32, speed: u32) -> Code {
    set(Symbol::DeviceSetFanSpeedV2, device, [i64::from(fan), i64::from(speed), 0], |card| {
        let fan = card.fan(fan)?;
        if !(card.profile.cooling.min_percent..=100).contains(&speed) {
            return Err(INVALID_ARGUMENT);
        }
        card.session.set_fan(card.slot, fan, Some(speed));
        Outcome::Ok(())
    })
}

/// Hands a fan back to the driver.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceSetDefaultFanSpeed_v2(device: Handle, fan: u32) -> Code {
    set(Symbol::DeviceSetDefaultFanSpeedV2, device, [i64::from(fan), 0, 0], |card| {
        let fan = card.fan(fan)?;
        card.session.set_fan(card.slot, fan, None);
        Outcome::Ok(())
    })
}

/// Puts a fan under manual or automatic control; its intended speed stays until another is set.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceSetFanControlPolicy(device: Handle, fan: u32, policy: u32) -> Code {
    set(Symbol::DeviceSetFanControlPolicy, device, [i64::from(fan), i64::from(policy), 0], |card| {
        let index = card.fan(fan)?;
        let held = match policy {
            MANUAL => Some(percent(card, fan)?),
            AUTOMATIC => None,
            _ => return Err(INVALID_ARGUMENT),
        };
        card.session.set_fan(card.slot, index, held);
        Outcome::Ok(())
    })
}
