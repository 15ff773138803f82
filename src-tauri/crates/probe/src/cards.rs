//! One card: makes its calls and reports.
//!
//! A sweep costs 14 calls on a card with two fans, and none of them is one of the 20-ms kind (PCIe throughput). The energy
//! counter, the replay counter and the recovery action come in one call, as fields. One more is made for each process that was not there
//! in the sweep before, for its name.

use fanfare_rig::{
    CardUuid, Link, Memory, NvmlCode, Reading, Reason, RecoveryAction, Sample, ThrottleReasons, Utilisation,
    clock::Clock, wire::Slow,
};
use fanfare_units::{Bytes, Celsius, Duty, Energy, Megahertz, Percent, Watts};
use nvml_wrapper::{
    Device, Nvml,
    enum_wrappers::device::{Clock as ClockDomain, TemperatureSensor},
};

use crate::{codes, meter::Meter, names::Names, raw, slow};

/// `NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION`, `NVML_FI_DEV_PCIE_REPLAY_COUNTER` and `NVML_FI_DEV_GET_GPU_RECOVERY_ACTION`: numbers
/// below 251, so the same in every generation of the header.
const FIELDS: [u32; 3] = [83, 94, 230];

/// One request to read a card.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The sweep it is for.
    pub sweep: u64,
    /// Whether the slow facts are wanted too.
    pub slow: bool,
}

/// What was read of a card, with the card, which whoever has the report may have read again.
#[derive(Debug)]
pub struct Report {
    /// The card.
    pub card: Box<CardReader>,
    /// The sweep it was read for.
    pub sweep: u64,
    /// Its readings.
    pub sample: Box<Sample>,
    /// Its slow facts, if they were asked for.
    pub slow: Option<Box<Slow>>,
}

/// One card, and all that is needed to read it.
#[derive(Debug)]
pub struct CardReader {
    nvml: &'static Nvml,
    device: Device<'static>,
    uuid: CardUuid,
    clock: Clock,
    meter: Meter,
    /// How many fans it has, as the last slow read told; 0 asks for none.
    fans: Reading<u32>,
    names: Names,
}

impl CardReader {
    /// A card that was met just now.
    pub fn new(nvml: &'static Nvml, device: Device<'static>, uuid: CardUuid, clock: Clock) -> Self {
        // `NVML_ERROR_NO_DATA`, until the first slow read.
        let fans = Reading::missing(Reason::Error { code: NvmlCode(21) });
        Self { nvml, device, uuid, clock, meter: Meter::new(), fans, names: Names::default() }
    }

    /// Its name.
    pub const fn uuid(&self) -> &CardUuid {
        &self.uuid
    }

    /// Reads it. This may hang for as long as the driver does.
    pub fn answer(mut self: Box<Self>, ask: Ask) -> Report {
        self.meter.begin();
        let details = ask.slow.then(|| {
            let (details, fans) = slow::read(self.nvml, &self.device, &mut self.meter, self.clock.stamp());
            self.fans = fans;
            details
        });
        let sample = Box::new(self.sample());
        self.find_again_if_lost(&sample);
        let slow = details.map(|details| Box::new(Slow { details, calls: self.meter.costs() }));
        Report { sweep: ask.sweep, sample, slow, card: self }
    }

    /// A lost card's old handle stays dead even after the card is back, so the handle is looked up again by the card's name.
    fn find_again_if_lost(&mut self, sample: &Sample) {
        if sample.temperature.reason() == Some(Reason::Lost) {
            let nvml = self.nvml;
            let uuid = self.uuid.as_str();
            if let Reading::Measured(device) =
                self.meter.time("nvmlDeviceGetHandleByUUID", || nvml.device_by_uuid(uuid))
            {
                self.device = device;
            }
        }
    }

    fn sample(&mut self) -> Sample {
        let at = self.clock.stamp();
        let (nvml, device, meter) = (self.nvml, &self.device, &mut self.meter);
        let temperature =
            meter.time("nvmlDeviceGetTemperature", || device.temperature(TemperatureSensor::Gpu));
        let power = meter.time("nvmlDeviceGetPowerUsage", || device.power_usage());
        let [energy, replays, recovery] = fields(nvml, device, meter);
        let utilisation = meter.time("nvmlDeviceGetUtilizationRates", || device.utilization_rates());
        let memory = meter.time("nvmlDeviceGetMemoryInfo_v2", || device.memory_info());
        let graphics = meter.time("nvmlDeviceGetClockInfo", || device.clock_info(ClockDomain::Graphics));
        let memory_clock = meter.time("nvmlDeviceGetClockInfo", || device.clock_info(ClockDomain::Memory));
        let pstate = meter.time("nvmlDeviceGetPerformanceState", || raw::performance_state(nvml, device));
        let throttle =
            meter.time("nvmlDeviceGetCurrentClocksThrottleReasons", || raw::throttle_reasons(nvml, device));
        let fans = duties(device, meter, &self.fans);
        let generation = meter.time("nvmlDeviceGetCurrPcieLinkGeneration", || device.current_pcie_link_gen());
        let width = meter.time("nvmlDeviceGetCurrPcieLinkWidth", || device.current_pcie_link_width());
        let mut processes =
            meter.time("nvmlDeviceGetComputeRunningProcesses_v3", || raw::compute_processes(nvml, device));
        if let Reading::Measured(processes) = &mut processes {
            let mut ask = |pid| meter.time("nvmlSystemGetProcessName", || raw::process_name(nvml, pid));
            self.names.name(processes, |pid| ask(pid).value().cloned());
        }
        Sample {
            at,
            temperature: codes::available(temperature)
                .map(|degrees| Celsius(i32::try_from(degrees).unwrap_or(i32::MAX))),
            power: codes::available(power).map(Watts::from_milliwatts),
            energy: energy.map(Energy::from_millijoules),
            utilisation: utilisation
                .map(|busy| Utilisation { gpu: Percent(busy.gpu), memory: Percent(busy.memory) }),
            memory: memory.map(|memory| Memory {
                total: Bytes(memory.total),
                used: Bytes(memory.used),
                reserved: Bytes(memory.reserved),
                free: Bytes(memory.free),
            }),
            clock_graphics: codes::available(graphics).map(Megahertz),
            clock_memory: codes::available(memory_clock).map(Megahertz),
            pstate,
            throttle: throttle.map(ThrottleReasons),
            fans,
            link: Link { generation: codes::available(generation), width: codes::available(width) },
            processes,
            pcie_replays: replays,
            recovery: recovery.map(|number| RecoveryAction::from(u32::try_from(number).unwrap_or(u32::MAX))),
        }
    }
}

/// The three fields in one call; a failure of the call is the failure of each, and each may fail alone.
fn fields(nvml: &Nvml, device: &Device<'_>, meter: &mut Meter) -> [Reading<u64>; 3] {
    match meter.time("nvmlDeviceGetFieldValues", || raw::field_values(nvml, device, FIELDS)) {
        Reading::Missing { missing } => [Reading::missing(missing); 3],
        Reading::Measured(values) => values.map(codes::reading),
    }
}

/// What the driver intends for each fan.
fn duties(device: &Device<'_>, meter: &mut Meter, fans: &Reading<u32>) -> Reading<Vec<Reading<Duty>>> {
    let duty = |fan| meter.time("nvmlDeviceGetFanSpeed_v2", || device.fan_speed(fan));
    match fans {
        Reading::Missing { missing } => Reading::missing(*missing),
        Reading::Measured(fans) => Reading::Measured(
            (0..*fans).map(duty).map(|percent| codes::available(percent).map(Duty)).collect(),
        ),
    }
}
