//! The calls of a sweep in a bare loop: what any program that wants these figures must spend in the driver.

use std::time::Duration;

use nvml_wrapper::{
    Device, Nvml,
    enum_wrappers::device::{Clock, TemperatureSensor},
    structs::device::FieldId,
};

use crate::{cpu, failure::Failure, programs};

/// The bare loop over the cards of one rig.
pub(crate) struct Bare {
    nvml: Nvml,
    cards: u32,
}

impl Bare {
    /// Loads the simulated driver into this process; the rig is the one that `FANFARE_SIM_STATE` names.
    pub(crate) fn load() -> Result<Self, Failure> {
        let nvml = Nvml::builder().lib_path(programs::built("libfanfare_sim_nvml.so")?.as_os_str()).init()?;
        let cards = nvml.device_count()?;
        Ok(Self { nvml, cards })
    }

    /// CPU time a sweep, over `sweeps` of them.
    pub(crate) fn cpu_per_sweep(&self, sweeps: u32) -> Result<Duration, Failure> {
        let devices: Vec<Device<'_>> =
            (0..self.cards).map(|index| self.nvml.device_by_index(index)).collect::<Result<_, _>>()?;
        let before = cpu::of_this_process();
        for _ in 0..sweeps {
            for device in &devices {
                sweep(device)?;
            }
        }
        Ok((cpu::of_this_process() - before) / sweeps.max(1))
    }
}

/// The fourteen calls that the probe makes of a card each second.
fn sweep(device: &Device<'_>) -> Result<(), Failure> {
    std::hint::black_box((
        device.temperature(TemperatureSensor::Gpu)?,
        device.power_usage()?,
        device.field_values_for(&[FieldId(83), FieldId(94), FieldId(230)])?,
        device.utilization_rates()?,
        device.memory_info()?,
        device.clock_info(Clock::Graphics)?,
        device.clock_info(Clock::Memory)?,
        device.performance_state()?,
        device.current_throttle_reasons()?,
    ));
    std::hint::black_box((
        device.fan_speed(0)?,
        device.fan_speed(1)?,
        device.current_pcie_link_gen()?,
        device.current_pcie_link_width()?,
        device.running_compute_processes_count()?,
    ));
    Ok(())
}
