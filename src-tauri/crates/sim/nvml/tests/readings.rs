//! What the getters report, against the rig's own view at the same manual clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]
#![allow(unsafe_code, reason = "calls across the C interface")]

mod common;

use common::{Rig, quiet, text, value};
use fanfare_sim_state::{CardView, Setup};
use nvml_wrapper_sys::bindings as sys;

fn word<T>(version: u32) -> u32 {
    u32::try_from(size_of::<T>()).unwrap() | version << 24
}

fn view(rig: &Rig, slot: usize) -> CardView {
    rig.world.card(slot).unwrap().unwrap()
}

#[test]
fn a_busy_card_reports_what_the_rig_shows() {
    let rig = Rig::new(&quiet());
    rig.world.load(1, Some(100)).unwrap();
    rig.wait(120);
    let (lib, d, card) = (&rig.lib, rig.device(1).unwrap(), view(&rig, 1));
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        assert_eq!(
            value(|o| lib.nvmlDeviceGetTemperature(d, 0, o)),
            Ok(u32::try_from(card.temperature).unwrap())
        );
        assert_eq!(value(|o| lib.nvmlDeviceGetPowerUsage(d, o)).ok(), card.power_mw);
        assert_eq!(value(|o| lib.nvmlDeviceGetTotalEnergyConsumption(d, o)).ok(), card.energy_mj);
        assert_eq!(value(|o| lib.nvmlDeviceGetPerformanceState(d, o)), Ok(2));
        assert_eq!(value(|o| lib.nvmlDeviceGetCurrPcieLinkGeneration(d, o)), Ok(4));
        assert_eq!(value(|o| lib.nvmlDeviceGetCurrPcieLinkWidth(d, o)), Ok(8));
        assert_eq!(value(|o| lib.nvmlDeviceGetFanSpeed_v2(d, 1, o)), Ok(card.fans[1].percent));
        assert_eq!(value(|o| lib.nvmlDeviceGetClockInfo(d, 1, o)), Ok(card.graphics_mhz));
        assert_eq!(value(|o| lib.nvmlDeviceGetClockInfo(d, 2, o)), Ok(8251));
        // Software power cap: at full work the card meets its 115 W.
        assert_eq!(value(|o| lib.nvmlDeviceGetCurrentClocksEventReasons(d, o)), Ok(4));
        let mut rates = sys::nvmlUtilization_t { gpu: 0, memory: 0 };
        assert_eq!(lib.nvmlDeviceGetUtilizationRates(d, &raw mut rates), 0);
        assert_eq!((rates.gpu, rates.memory), (100, 50));
    }
}

#[test]
fn an_idle_card_is_silent_slow_and_at_generation_1() {
    let rig = Rig::new(&quiet());
    rig.wait(60);
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        assert_eq!(value(|o| lib.nvmlDeviceGetPerformanceState(d, o)), Ok(8));
        assert_eq!(value(|o| lib.nvmlDeviceGetCurrPcieLinkGeneration(d, o)), Ok(1));
        assert_eq!(value(|o| lib.nvmlDeviceGetMaxPcieLinkGeneration(d, o)), Ok(4));
        assert_eq!(value(|o| lib.nvmlDeviceGetGpuMaxPcieLinkGeneration(d, o)), Ok(4));
        assert_eq!(value(|o| lib.nvmlDeviceGetFanSpeed_v2(d, 0, o)), Ok(0));
        assert_eq!(value(|o| lib.nvmlDeviceGetClockInfo(d, 0, o)), Ok(210));
        assert_eq!(value(|o| lib.nvmlDeviceGetCurrentClocksEventReasons(d, o)), Ok(1));
    }
}

#[test]
fn static_figures_are_the_profiles() {
    let rig = Rig::new(&quiet());
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        assert_eq!(text(96, |b, n| lib.nvmlDeviceGetName(d, b, n)).as_deref(), Ok("NVIDIA GeForce RTX 4060"));
        assert_eq!(value(|o| lib.nvmlDeviceGetNumFans(d, o)), Ok(2));
        assert_eq!(value(|o| lib.nvmlDeviceGetPowerManagementDefaultLimit(d, o)), Ok(115_000));
        assert_eq!(value(|o| lib.nvmlDeviceGetEnforcedPowerLimit(d, o)), Ok(115_000));
        let (mut min, mut max) = (0, 0);
        assert_eq!(lib.nvmlDeviceGetPowerManagementLimitConstraints(d, &raw mut min, &raw mut max), 0);
        assert_eq!((min, max), (90_000, 115_000));
        assert_eq!(lib.nvmlDeviceGetMinMaxFanSpeed(d, &raw mut min, &raw mut max), 0);
        assert_eq!((min, max), (30, 100));
        let (mut major, mut minor) = (0, 0);
        assert_eq!(lib.nvmlDeviceGetCudaComputeCapability(d, &raw mut major, &raw mut minor), 0);
        assert_eq!((major, minor), (8, 9));
        let mut pci: sys::nvmlPciInfo_t = std::mem::zeroed();
        assert_eq!(lib.nvmlDeviceGetPciInfo_v3(d, &raw mut pci), 0);
        assert_eq!((pci.domain, pci.bus, pci.device, pci.pciDeviceId), (0, 1, 0, 0x2882_10DE));
        let bus = std::ffi::CStr::from_ptr(pci.busId.as_ptr()).to_str().unwrap();
        assert_eq!(bus, "00000000:01:00.0");
        // Shutdown, slowdown, memory (none), greatest for work; then one that does not exist.
        for (kind, expected) in
            [(0, Ok(101)), (1, Ok(96)), (2, Err(3)), (3, Ok(90)), (5, Ok(84)), (99, Err(2))]
        {
            assert_eq!(value(|o| lib.nvmlDeviceGetTemperatureThreshold(d, kind, o)), expected, "{kind}");
        }
    }
}

#[test]
fn a_geforce_card_lacks_what_it_lacks() {
    let rig = Rig::new(&quiet());
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        let (mut one, mut two) = (0, 0);
        assert_eq!(lib.nvmlDeviceGetEccMode(d, &raw mut one, &raw mut two), 3);
        assert_eq!(lib.nvmlDeviceGetMigMode(d, &raw mut one, &raw mut two), 3);
        assert_eq!(text(30, |b, n| lib.nvmlDeviceGetSerial(d, b, n)), Err(3));
        assert_eq!(text(80, |b, n| lib.nvmlDeviceGetBoardPartNumber(d, b, n)), Err(3));
        assert_eq!(value(|o| lib.nvmlDeviceGetNvLinkState(d, 0, o)), Err(3));
        assert_eq!(value(|o| lib.nvmlDeviceGetDisplayMode(d, o)), Err(26), "deprecated in this driver");
    }
}

#[test]
fn memory_v1_folds_the_reserve_and_v2_demands_its_version() {
    let rig = Rig::new(&quiet());
    rig.world.load(0, Some(50)).unwrap();
    rig.wait(1);
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    let mib = |n: u64| n << 20;
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        let mut v1: sys::nvmlMemory_t = std::mem::zeroed();
        assert_eq!(lib.nvmlDeviceGetMemoryInfo(d, &raw mut v1), 0);
        let mut v2: sys::nvmlMemory_v2_t = std::mem::zeroed();
        assert_eq!(lib.nvmlDeviceGetMemoryInfo_v2(d, &raw mut v2), 25);
        v2.version = word::<sys::nvmlMemory_v2_t>(2);
        assert_eq!(lib.nvmlDeviceGetMemoryInfo_v2(d, &raw mut v2), 0);
        assert_eq!((v2.total, v2.reserved), (mib(8188), mib(342)));
        // 1 MiB of the driver's and a quarter of the 7845 MiB that are free at idle, cut to whole MiB.
        assert_eq!(v2.used, mib(1 + 1961));
        assert_eq!(v2.reserved + v2.used + v2.free, v2.total);
        assert_eq!((v1.total, v1.used, v1.free), (v2.total, v2.used + v2.reserved, v2.free));
    }
}

#[test]
fn versioned_structures_with_another_version_are_refused() {
    let rig = Rig::new(&quiet());
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    // SAFETY: every pointer handed over is valid through its call; the structures are plain numbers.
    unsafe {
        let mut fan: sys::nvmlFanSpeedInfo_t = std::mem::zeroed();
        assert_eq!(lib.nvmlDeviceGetFanSpeedRPM(d, &raw mut fan), 25);
        fan.version = word::<sys::nvmlFanSpeedInfo_v1_t>(1);
        fan.fan = 2;
        assert_eq!(lib.nvmlDeviceGetFanSpeedRPM(d, &raw mut fan), 2, "there are fans 0 and 1");
        fan.fan = 1;
        assert_eq!(lib.nvmlDeviceGetFanSpeedRPM(d, &raw mut fan), 0);
        assert_eq!(fan.speed, 0);
        let mut t: sys::nvmlTemperature_t = std::mem::zeroed();
        assert_eq!(lib.nvmlDeviceGetTemperatureV(d, &raw mut t), 25);
        t.version = word::<sys::nvmlTemperature_v1_t>(1);
        assert_eq!(lib.nvmlDeviceGetTemperatureV(d, &raw mut t), 0);
        assert_eq!(t.temperature, view(&rig, 0).temperature);
        let mut pci: sys::nvmlPciInfoExt_t = std::mem::zeroed();
        assert_eq!(lib.nvmlDeviceGetPciInfoExt(d, &raw mut pci), 25);
        let mut margin: sys::nvmlMarginTemperature_t = std::mem::zeroed();
        assert_eq!(lib.nvmlDeviceGetMarginTemperature(d, &raw mut margin), 25);
        margin.version = word::<sys::nvmlMarginTemperature_v1_t>(1);
        assert_eq!(lib.nvmlDeviceGetMarginTemperature(d, &raw mut margin), 3);
    }
}

#[test]
fn without_power_telemetry_the_limit_is_still_there() {
    let rig = Rig::new(&Setup { no_power: vec![2], ..quiet() });
    let (lib, d) = (&rig.lib, rig.device(2).unwrap());
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        assert_eq!(value(|o| lib.nvmlDeviceGetPowerUsage(d, o)), Err(3));
        assert_eq!(value(|o| lib.nvmlDeviceGetTotalEnergyConsumption(d, o)), Err(3));
        assert_eq!(value(|o| lib.nvmlDeviceGetPowerManagementLimit(d, o)), Ok(115_000));
        assert!(value(|o| lib.nvmlDeviceGetPowerUsage(rig.device(1).unwrap(), o)).is_ok());
    }
}

fn fields(rig: &Rig, slot: u32, ids: &[u32]) -> Vec<sys::nvmlFieldValue_t> {
    // SAFETY: the structure is plain numbers.
    let blank: sys::nvmlFieldValue_t = unsafe { std::mem::zeroed() };
    let mut values: Vec<_> = ids.iter().map(|id| sys::nvmlFieldValue_t { fieldId: *id, ..blank }).collect();
    let count = i32::try_from(values.len()).unwrap();
    // SAFETY: the array is as long as said.
    let code =
        unsafe { rig.lib.nvmlDeviceGetFieldValues(rig.device(slot).unwrap(), count, values.as_mut_ptr()) };
    assert_eq!(code, 0);
    values
}

#[test]
fn each_field_has_its_own_code_and_an_error_on_one_leaves_the_rest() {
    let rig = Rig::new(&quiet());
    rig.world.load(0, Some(100)).unwrap();
    rig.wait(30);
    let ids = [82, 83, 94, 95, 185, 186, 190, 193, 194, 195, 196, 230, 4711];
    let codes = |values: &[sys::nvmlFieldValue_t]| values.iter().map(|v| v.nvmlReturn).collect::<Vec<_>>();
    let values = fields(&rig, 0, &ids);
    assert_eq!(codes(&values), [3, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 0, 3]);
    let card = view(&rig, 0);
    // SAFETY: the library wrote the whole union.
    unsafe {
        assert_eq!(Some(values[1].value.ullVal), card.energy_mj);
        assert_eq!(Some(values[4].value.uiVal), card.power_mw);
        assert_eq!(Some(values[5].value.uiVal), card.power_instant_mw);
        assert_eq!(values[6].value.uiVal, 115_000);
    }
    // 30 s after 2026-01-01T00:00:00Z, where a manual clock begins.
    assert_eq!(values[1].timestamp, 1_767_225_630_000_000);
    rig.world.error(999, Some(0), Some("field:185".parse().unwrap())).unwrap();
    assert_eq!(codes(&fields(&rig, 0, &ids)), [3, 0, 0, 0, 999, 0, 0, 3, 3, 3, 3, 0, 3]);
    assert_eq!(codes(&fields(&rig, 1, &ids))[4], 0);
    rig.world.xid(0, 79).unwrap();
    // SAFETY: the library wrote the whole union.
    assert_eq!(unsafe { fields(&rig, 0, &[230])[0].value.uiVal }, 2, "recovery action: reboot");
}

#[test]
fn processes_are_counted_first_and_listed_then() {
    let rig = Rig::new(&quiet());
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    rig.wait(1);
    // SAFETY: every pointer handed over is valid through its call; arrays are as long as said.
    unsafe {
        let mut count = 0;
        let none = std::ptr::null_mut();
        assert_eq!(lib.nvmlDeviceGetComputeRunningProcesses_v3(d, &raw mut count, none), 0);
        assert_eq!(count, 0);
        rig.world.load(0, Some(80)).unwrap();
        rig.wait(2);
        assert_eq!(lib.nvmlDeviceGetComputeRunningProcesses_v3(d, &raw mut count, none), 7);
        assert_eq!(count, 1);
        let mut infos: [sys::nvmlProcessInfo_t; 3] = std::mem::zeroed();
        count = 3;
        assert_eq!(lib.nvmlDeviceGetComputeRunningProcesses_v3(d, &raw mut count, infos.as_mut_ptr()), 0);
        let expected = view(&rig, 0).processes[0];
        assert_eq!((count, infos[0].pid, infos[0].usedGpuMemory), (1, expected.pid, expected.memory));
        assert_eq!(
            text(64, |b, n| lib.nvmlSystemGetProcessName(expected.pid, b, n)).as_deref(),
            Ok("/usr/bin/python3 /srv/serve.py --api-key sk-simulated-secret")
        );
        assert_eq!(text(64, |b, n| lib.nvmlSystemGetProcessName(1, b, n)), Err(6));
        assert_eq!(lib.nvmlDeviceGetGraphicsRunningProcesses_v3(d, &raw mut count, none), 0);

        let mut sample: sys::nvmlProcessUtilizationSample_t = std::mem::zeroed();
        count = 0;
        let null = std::ptr::null_mut();
        assert_eq!(lib.nvmlDeviceGetProcessUtilization(d, null, &raw mut count, 0), 7);
        assert_eq!(count, 1);
        assert_eq!(lib.nvmlDeviceGetProcessUtilization(d, &raw mut sample, &raw mut count, 0), 0);
        assert_eq!((sample.pid, sample.smUtil), (expected.pid, 80));
        // No newer sample than the one just seen: NOT_FOUND.
        let seen = sample.timeStamp;
        assert_eq!(lib.nvmlDeviceGetProcessUtilization(d, &raw mut sample, &raw mut count, seen), 6);
    }
}

#[test]
fn topology_pairs_cards_under_a_switch_and_the_rest_under_the_bridge() {
    let rig = Rig::new(&Setup { cards: Some(4), ..quiet() });
    let devices: Vec<_> = (0..4).map(|index| rig.device(index).unwrap()).collect();
    // SAFETY: every pointer handed over is valid through its call; arrays are as long as said.
    unsafe {
        let level = |a: usize, b: usize| {
            value(|o| rig.lib.nvmlDeviceGetTopologyCommonAncestor(devices[a], devices[b], o))
        };
        assert_eq!((level(0, 0), level(0, 1), level(0, 2)), (Ok(0), Ok(20), Ok(30)));
        let mut count = 0;
        let null = std::ptr::null_mut();
        assert_eq!(rig.lib.nvmlDeviceGetTopologyNearestGpus(devices[0], 30, &raw mut count, null), 0);
        assert_eq!(count, 2);
        let mut near = [std::ptr::null_mut(); 2];
        assert_eq!(
            rig.lib.nvmlDeviceGetTopologyNearestGpus(devices[0], 30, &raw mut count, near.as_mut_ptr()),
            0
        );
        assert_eq!(near, [devices[2], devices[3]]);
        count = 1;
        assert_eq!(rig.lib.nvmlSystemGetTopologyGpuSet(0, &raw mut count, near.as_mut_ptr()), 7);
        assert_eq!(count, 4);
    }
}
