//! A card's slow facts: some 30 calls, made once a minute.

use fanfare_rig::{Details, FanDetails, LinkLimits, PowerLimits, Range, Reading, Reason, Thresholds};
use fanfare_units::{Celsius, Duty, Megahertz, Rpm, Stamp, Watts};
use nvml_wrapper::{
    Device, Nvml,
    enum_wrappers::device::{Clock, TemperatureThreshold},
    error::NvmlError,
};

use crate::{codes, meter::Meter, raw};

/// No board has more; a driver that says so says nothing.
const FANS_MOST: u32 = 16;

/// Reads the slow facts, and the number of fans, which each sweep needs.
pub(crate) fn read(
    nvml: &Nvml,
    device: &Device<'_>,
    meter: &mut Meter,
    at: Stamp,
) -> (Details, Reading<u32>) {
    let fans = meter.time("nvmlDeviceGetNumFans", || match device.num_fans()? {
        fans if fans <= FANS_MOST => Ok(fans),
        _ => Err(NvmlError::Unknown),
    });
    let compute = meter.time("nvmlDeviceGetCudaComputeCapability", || device.cuda_compute_capability());
    let details = Details {
        at,
        name: meter.time("nvmlDeviceGetName", || device.name()),
        bus_id: bus_id(device, meter),
        vbios: meter.time("nvmlDeviceGetVbiosVersion", || device.vbios_version()),
        compute_capability: compute.map(|version| format!("{}.{}", version.major, version.minor)),
        persistence: meter.time("nvmlDeviceGetPersistenceMode", || device.is_in_persistent_mode()),
        power: power_limits(device, meter),
        thresholds: thresholds(device, meter),
        fan_range: meter
            .time("nvmlDeviceGetMinMaxFanSpeed", || device.min_max_fan_speed())
            .map(|(min, max)| Range { min: Duty(min), max: Duty(max) }),
        fans: fans.map(|count| (0..count).map(|fan| fan_details(nvml, device, meter, fan)).collect()),
        link: link_limits(nvml, device, meter),
        clock_graphics_max: max_clock(device, meter, Clock::Graphics),
        clock_memory_max: max_clock(device, meter, Clock::Memory),
        ecc: meter.time("nvmlDeviceGetEccMode", || device.is_ecc_enabled()).map(|ecc| ecc.currently_enabled),
        mig: meter.time("nvmlDeviceGetMigMode", || device.mig_mode()).map(|mode| mode.current == 1),
    };
    (details, fans)
}

fn bus_id(device: &Device<'_>, meter: &mut Meter) -> Reading<fanfare_rig::BusId> {
    match meter.time("nvmlDeviceGetPciInfo_v3", || device.pci_info()) {
        Reading::Missing { missing } => Reading::missing(missing),
        // A slot that cannot be read is no slot; `NVML_ERROR_UNKNOWN` is the nearest of the driver's words for it.
        Reading::Measured(pci) => {
            pci.bus_id.parse().map_err(|_| Reason::Error { code: fanfare_rig::NvmlCode::UNKNOWN }).into()
        }
    }
}

fn power_limits(device: &Device<'_>, meter: &mut Meter) -> PowerLimits {
    PowerLimits {
        limit: meter
            .time("nvmlDeviceGetPowerManagementLimit", || device.power_management_limit())
            .map(Watts::from_milliwatts),
        default: meter
            .time("nvmlDeviceGetPowerManagementDefaultLimit", || device.power_management_limit_default())
            .map(Watts::from_milliwatts),
        enforced: meter
            .time("nvmlDeviceGetEnforcedPowerLimit", || device.enforced_power_limit())
            .map(Watts::from_milliwatts),
        range: meter
            .time("nvmlDeviceGetPowerManagementLimitConstraints", || {
                device.power_management_limit_constraints()
            })
            .map(|limits| Range {
                min: Watts::from_milliwatts(limits.min_limit),
                max: Watts::from_milliwatts(limits.max_limit),
            }),
    }
}

fn thresholds(device: &Device<'_>, meter: &mut Meter) -> Thresholds {
    let mut threshold = |which| {
        meter
            .time("nvmlDeviceGetTemperatureThreshold", || device.temperature_threshold(which))
            .map(|degrees| Celsius(i32::try_from(degrees).unwrap_or(i32::MAX)))
    };
    Thresholds {
        shutdown: threshold(TemperatureThreshold::Shutdown),
        slowdown: threshold(TemperatureThreshold::Slowdown),
        max_operating: threshold(TemperatureThreshold::GpuMax),
        target: threshold(TemperatureThreshold::AcousticCurr),
    }
}

fn fan_details(nvml: &Nvml, device: &Device<'_>, meter: &mut Meter, fan: u32) -> FanDetails {
    FanDetails {
        manual: meter.time("nvmlDeviceGetFanControlPolicy_v2", || raw::fan_is_manual(nvml, device, fan)),
        target: codes::available(
            meter.time("nvmlDeviceGetTargetFanSpeed", || raw::fan_target(nvml, device, fan)),
        )
        .map(Duty),
        speed: meter.time("nvmlDeviceGetFanSpeedRPM", || device.fan_speed_rpm(fan)).map(Rpm),
    }
}

fn link_limits(nvml: &Nvml, device: &Device<'_>, meter: &mut Meter) -> LinkLimits {
    LinkLimits {
        generation_max: meter.time("nvmlDeviceGetMaxPcieLinkGeneration", || device.max_pcie_link_gen()),
        card_generation_max: meter
            .time("nvmlDeviceGetGpuMaxPcieLinkGeneration", || raw::card_link_generation_max(nvml, device)),
        width_max: meter.time("nvmlDeviceGetMaxPcieLinkWidth", || device.max_pcie_link_width()),
    }
}

fn max_clock(device: &Device<'_>, meter: &mut Meter, domain: Clock) -> Reading<Megahertz> {
    meter.time("nvmlDeviceGetMaxClockInfo", || device.max_clock_info(domain)).map(Megahertz)
}
