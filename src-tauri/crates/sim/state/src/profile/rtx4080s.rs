//! One RTX 4080 SUPER, calibrated to the public dump of a real one (driver 595.71.05, Linux; nvidia_gpu_exporter's
//! captures, MIT). Limits, thresholds, memory, link and clocks are that dump's; the test
//! `tests/calibration.rs` compares them. Cooling and the draw at full work are not in it: assumptions.

use super::{ClockSet, Clocks, Cooling, Memory, Pcie, Power, Profile, Thresholds};

/// The calibrated card.
pub static RTX4080S: Profile = Profile {
    name: "rtx4080s",
    cards: 1,
    card_name: "NVIDIA GeForce RTX 4080 SUPER",
    driver: "595.71.05",
    nvml: "13.595.71.05",
    cuda: 13_020,
    compute: (8, 9),
    cores: 10_240,
    device_id: 0x2702_10DE,
    subsystem_id: 0x5110_1462,
    vbios: "95.03.44.00.B2",
    fans: 2,
    memory: Memory {
        total: 16_376,
        reserved: 434,
        idle_used: 596,
        bar1: 16_384,
        bus_width: 256,
        idle_busy: 23,
    },
    power: Power {
        min_mw: 150_000,
        default_mw: 320_000,
        max_mw: 400_000,
        idle_w: 26.0,
        // Chosen so that the dump's load (7 % of the core, video engines busy) draws its 84 W.
        active_w: 64.0,
        peak_w: 345.0,
    },
    thresholds: Thresholds { shutdown: 101, slowdown: 96, max_operating: 90, target: 84 },
    clocks: Clocks {
        idle: ClockSet { graphics: 210, memory: 405, video: 1185 },
        load: ClockSet { graphics: 2805, memory: 11_251, video: 2145 },
        max: ClockSet { graphics: 3165, memory: 11_501, video: 2415 },
    },
    pcie: Pcie { gpu_gen: 4, host_gen: 5, width: 16 },
    cooling: Cooling {
        capacity: 900.0,
        die: 0.045,
        still: 1.55,
        flow: 7.5,
        start_c: 56.0,
        stop_c: 46.0,
        full_c: 88.0,
        min_percent: 30,
        max_rpm: 3100,
    },
};
