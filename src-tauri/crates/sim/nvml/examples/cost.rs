//! What a call costs: `cargo run --release -p fanfare-sim-nvml --example cost -- PATH-OF-THE-LIBRARY`.
//!
//! Prints CPU time per call of a few getters on a clock that runs, and per step of the model while it catches up.
#![allow(unsafe_code, reason = "calls across the C interface")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a tool for developers: it may stop at the first surprise"
)]

use std::time::Duration;

use fanfare_sim_state::quantise::float;
use fanfare_sim_state::{Clock, Setup, World};
use nvml_wrapper_sys::bindings::NvmlLib;

const CALLS: u32 = 1_000_000;
const HOURS: u64 = 10;

/// CPU time of this thread.
fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(now.tv_sec).unwrap(), u32::try_from(now.tv_nsec).unwrap())
}

fn timed(what: &str, count: u64, work: impl FnOnce()) {
    let before = cpu();
    work();
    let used = cpu() - before;
    println!("{what:<40} {:>8.1} ns", used.as_secs_f64() * 1e9 / float(count));
}

fn main() {
    let library = std::env::args_os().nth(1).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    World::create(&state, &Setup::default()).unwrap();
    // SAFETY: nothing else runs in this process yet.
    unsafe { std::env::set_var("FANFARE_SIM_STATE", &state) };
    // SAFETY: our own library, whose calls get valid pointers below.
    unsafe {
        let lib = NvmlLib::new(library).unwrap();
        assert_eq!(lib.nvmlInit_v2(), 0);
        let mut device = std::ptr::null_mut();
        assert_eq!(lib.nvmlDeviceGetHandleByIndex_v2(0, &raw mut device), 0);
        let mut out = 0;
        timed("nvmlDeviceGetTemperature", CALLS.into(), || {
            (0..CALLS).for_each(|_| assert_eq!(lib.nvmlDeviceGetTemperature(device, 0, &raw mut out), 0));
        });
        timed("nvmlDeviceGetPowerUsage", CALLS.into(), || {
            (0..CALLS).for_each(|_| assert_eq!(lib.nvmlDeviceGetPowerUsage(device, &raw mut out), 0));
        });
        timed("nvmlDeviceGetCount_v2", CALLS.into(), || {
            (0..CALLS).for_each(|_| assert_eq!(lib.nvmlDeviceGetCount_v2(&raw mut out), 0));
        });
    }
    let manual = Setup { clock: Clock::Manual, cards: Some(1), ..Setup::default() };
    let world = World::create(&dir.path().join("manual"), &manual).unwrap();
    world.advance(Duration::from_secs(HOURS * 3600)).unwrap();
    timed("one step of one card (catching up)", HOURS * 36_000, || {
        world.card(0).unwrap();
    });
}
