//! Eight RTX 4060: the owner's rig.
//!
//! Known: name, 8188 MiB, compute capability 8.9, device id, 115 W default limit, 0 % fan at idle. The rest
//! follows the one Ada GeForce of which a full dump is public (see [`super::rtx4080s`]) or is an assumption.

use super::{ClockSet, Clocks, Cooling, Memory, Pcie, Power, Profile, Thresholds};

/// The rig of eight RTX 4060.
pub static RTX4060X8: Profile = Profile {
    name: "rtx4060x8",
    cards: 8,
    card_name: "NVIDIA GeForce RTX 4060",
    driver: "595.71.05",
    nvml: "13.595.71.05",
    cuda: 13_020,
    compute: (8, 9),
    cores: 3072,
    device_id: 0x2882_10DE,
    // Assumption: a board maker's number; any would do.
    subsystem_id: 0x8927_1043,
    // Assumption: of the form that AD107 boards carry.
    vbios: "95.07.31.00.A1",
    // Assumption: one or two, by board.
    fans: 2,
    memory: Memory {
        total: 8188,
        // Assumption: in proportion to the larger card's 434 of 16376.
        reserved: 342,
        idle_used: 1,
        bar1: 8192,
        bus_width: 128,
        idle_busy: 0,
    },
    power: Power {
        // Assumption: the range is the board maker's; 90 to 115 W is only a plausible one.
        min_mw: 90_000,
        default_mw: 115_000,
        max_mw: 115_000,
        idle_w: 11.5,
        active_w: 27.0,
        // Above the limit, so that full work runs into the software power cap.
        peak_w: 128.0,
    },
    thresholds: Thresholds { shutdown: 101, slowdown: 96, max_operating: 90, target: 84 },
    clocks: Clocks {
        // Assumption but for the idle set, which is the same on every Ada GeForce seen.
        idle: ClockSet { graphics: 210, memory: 405, video: 1185 },
        load: ClockSet { graphics: 2745, memory: 8251, video: 2100 },
        max: ClockSet { graphics: 3105, memory: 8501, video: 2415 },
    },
    pcie: Pcie { gpu_gen: 4, host_gen: 4, width: 8 },
    cooling: Cooling {
        capacity: 260.0,
        die: 0.075,
        still: 0.75,
        flow: 3.6,
        start_c: 56.0,
        stop_c: 46.0,
        full_c: 88.0,
        min_percent: 30,
        max_rpm: 3300,
    },
};
