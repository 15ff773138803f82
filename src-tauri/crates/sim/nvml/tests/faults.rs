//! Hangs, injected errors, events, costs and counters.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]
#![allow(unsafe_code, reason = "calls across the C interface")]

mod common;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use common::{Rig, quiet, value};
use fanfare_sim_state::{Effect, Symbol, Target};
use nvml_wrapper_sys::bindings as sys;

/// Longer than anything here takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Handles are numbers to every caller, so another thread may use them.
struct Shared<'a>(&'a Rig, sys::nvmlDevice_t);
// SAFETY: the library is made to be called from any thread, and never follows a handle.
unsafe impl Send for Shared<'_> {}

impl Shared<'_> {
    fn temperature(&self) -> Result<u32, u32> {
        // SAFETY: `out` is valid.
        value(|out| unsafe { self.0.lib.nvmlDeviceGetTemperature(self.1, 0, out) })
    }
}

#[test]
fn a_hung_call_returns_when_released_and_holds_up_no_other_card() {
    let rig = Rig::new(&quiet());
    let (hung, free) = (rig.device(1).unwrap(), rig.device(2).unwrap());
    rig.world.hang(1, None, None).unwrap();
    let (done, news) = mpsc::channel();
    std::thread::scope(|scope| {
        let shared = Shared(&rig, hung);
        scope.spawn(move || {
            let shared = shared;
            done.send(shared.temperature()).unwrap();
        });
        // The call is in the driver once it is counted.
        let calls =
            || rig.world.calls().iter().any(|c| c.symbol == "nvmlDeviceGetTemperature" && c.card == Some(1));
        let began = Instant::now();
        while !calls() {
            assert!(began.elapsed() < PATIENCE);
            std::thread::yield_now();
        }
        assert!(Shared(&rig, free).temperature().is_ok());
        assert!(news.try_recv().is_err(), "the call returned though it hangs");
        rig.world.release(Target::All).unwrap();
        assert!(news.recv_timeout(PATIENCE).unwrap().is_ok());
    });
}

#[test]
fn a_hang_of_one_symbol_ends_with_its_simulated_time() {
    let rig = Rig::new(&quiet());
    let device = rig.device(0).unwrap();
    let symbol = Some(Symbol::DeviceGetTemperature);
    rig.world.hang(0, symbol, Some(Duration::from_secs(10))).unwrap();
    // SAFETY: `out` is valid.
    assert!(value(|out| unsafe { rig.lib.nvmlDeviceGetPowerUsage(device, out) }).is_ok());
    let (done, news) = mpsc::channel();
    std::thread::scope(|scope| {
        let shared = Shared(&rig, device);
        scope.spawn(move || {
            let shared = shared;
            done.send(shared.temperature()).unwrap();
        });
        rig.wait(9);
        assert!(news.try_recv().is_err());
        rig.wait(1);
        assert!(news.recv_timeout(PATIENCE).unwrap().is_ok());
    });
}

#[test]
fn every_code_can_be_injected_into_a_call_of_one_card() {
    let rig = Rig::new(&quiet());
    let (sick, well) = (rig.device(0).unwrap(), rig.device(1).unwrap());
    let codes = (1..=30).filter(|code| *code != 22).chain([999]);
    for code in codes {
        rig.world.error(code, Some(0), Some(Symbol::DeviceGetTemperature)).unwrap();
        assert_eq!(Shared(&rig, sick).temperature(), Err(code));
        assert!(Shared(&rig, well).temperature().is_ok());
        // SAFETY: `out` is valid.
        assert!(value(|out| unsafe { rig.lib.nvmlDeviceGetPowerUsage(sick, out) }).is_ok());
    }
    rig.world.clear_errors().unwrap();
    assert!(Shared(&rig, sick).temperature().is_ok());
    rig.world.error(17, None, Some(Symbol::InitV2)).unwrap();
    // SAFETY: a call without arguments.
    assert_eq!(unsafe { rig.lib.nvmlInit_v2() }, 17);
    rig.world.error(16, Some(0), Some(Symbol::DeviceGetHandleByIndexV2)).unwrap();
    assert_eq!(rig.device(0), Err(16));
}

#[test]
fn calls_are_counted_by_symbol_and_card() {
    let rig = Rig::new(&quiet());
    let device = rig.device(5).unwrap();
    rig.world.reset_calls();
    for _ in 0..3 {
        Shared(&rig, device).temperature().unwrap();
    }
    rig.count();
    let calls: Vec<_> = rig.world.calls().iter().map(|c| (c.symbol.name(), c.card, c.count)).collect();
    assert_eq!(calls, [("nvmlDeviceGetCount_v2", None, 1), ("nvmlDeviceGetTemperature", Some(5), 3)]);
}

#[test]
fn a_call_cost_is_cpu_time_of_the_caller() {
    let rig = Rig::new(&quiet());
    let device = rig.device(0).unwrap();
    let cpu = || {
        // SAFETY: `time` lives through the call.
        let mut time: libc::timespec = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
    };
    rig.world.call_cost(5000).unwrap();
    let before = cpu();
    (0..10).for_each(|_| assert!(Shared(&rig, device).temperature().is_ok()));
    // Ten calls of 5 ms; the clock of the thread only counts what it really used.
    assert!(cpu() - before >= Duration::from_millis(50));
}

#[test]
fn throughput_is_counted_over_20_ms() {
    let rig = Rig::new(&quiet());
    let device = rig.device(0).unwrap();
    let began = Instant::now();
    // SAFETY: `out` is valid.
    let sent = value(|out| unsafe { rig.lib.nvmlDeviceGetPcieThroughput(device, 0, out) }).unwrap();
    assert!(began.elapsed() >= Duration::from_millis(20));
    // At rest: 400 to 600 KB/s.
    assert!((400..=600).contains(&sent), "{sent}");
    // SAFETY: as above.
    assert_eq!(value(|out| unsafe { rig.lib.nvmlDeviceGetPcieThroughput(device, 9, out) }), Err(2));
}

/// An event set with the cards at `indices`.
fn set_of(rig: &Rig, indices: &[u32]) -> sys::nvmlEventSet_t {
    let mut set = std::ptr::null_mut();
    // SAFETY: `set` lives through the calls.
    unsafe {
        assert_eq!(rig.lib.nvmlEventSetCreate(&raw mut set), 0);
        for index in indices {
            assert_eq!(rig.lib.nvmlDeviceRegisterEvents(rig.device(*index).unwrap(), 8, set), 0);
        }
    }
    set
}

fn wait(rig: &Rig, set: sys::nvmlEventSet_t, millis: u32) -> Result<(sys::nvmlDevice_t, u64, u64), u32> {
    // SAFETY: the structure is plain numbers.
    let mut event: sys::nvmlEventData_t = unsafe { std::mem::zeroed() };
    // SAFETY: `event` lives through the call.
    match unsafe { rig.lib.nvmlEventSetWait_v2(set, &raw mut event, millis) } {
        0 => Ok((event.device, event.eventType, event.eventData)),
        code => Err(code),
    }
}

#[test]
fn xids_are_delivered_once_in_order_and_only_after_registration() {
    let rig = Rig::new(&quiet());
    rig.world.xid(0, 31).unwrap();
    let set = set_of(&rig, &[0, 2]);
    assert_eq!(wait(&rig, set, 0), Err(10), "TIMEOUT: the Xid came before");
    rig.world.xid(2, 79).unwrap();
    rig.world.xid(1, 62).unwrap();
    rig.world.plan(&Effect::Xid { card: 0, code: 119 }, Duration::from_secs(5), None).unwrap();
    assert_eq!(wait(&rig, set, 1000), Ok((rig.device(2).unwrap(), 8, 79)));
    assert_eq!(wait(&rig, set, 0), Err(10), "card 1 is not registered, the planned one has yet to come");
    rig.wait(5);
    assert_eq!(wait(&rig, set, 1000), Ok((rig.device(0).unwrap(), 8, 119)));
    // SAFETY: the set is open; then it is not.
    unsafe {
        assert_eq!(rig.lib.nvmlEventSetFree(set), 0);
        assert_eq!(rig.lib.nvmlEventSetFree(set), 2);
    }
    assert_eq!(wait(&rig, set, 0), Err(2));
}

#[test]
fn a_wait_ends_when_the_event_comes_and_after_its_time() {
    let rig = Rig::new(&quiet());
    let set = set_of(&rig, &[4]).addr();
    let began = Instant::now();
    assert_eq!(wait(&rig, std::ptr::without_provenance_mut(set), 30), Err(10));
    assert!(began.elapsed() >= Duration::from_millis(30));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            wait(&rig, std::ptr::without_provenance_mut(set), 60_000).map(|(_, kind, xid)| (kind, xid))
        });
        rig.world.xid(4, 13).unwrap();
        assert_eq!(waiting.join().unwrap(), Ok((8, 13)));
    });
    assert!(began.elapsed() < PATIENCE, "the wait sat out its minute");
}

#[test]
fn unsupported_events_and_lost_cards_cannot_be_registered() {
    let rig = Rig::new(&quiet());
    let (set, device) = (set_of(&rig, &[]), rig.device(0).unwrap());
    // SAFETY: calls whose pointers are valid.
    unsafe {
        assert_eq!(value(|out| rig.lib.nvmlDeviceGetSupportedEventTypes(device, out)), Ok(8));
        // Double-bit ECC errors: GeForce memory has no ECC.
        assert_eq!(rig.lib.nvmlDeviceRegisterEvents(device, 2, set), 3);
        rig.world.lose(0).unwrap();
        assert_eq!(rig.lib.nvmlDeviceRegisterEvents(device, 8, set), 15);
    }
}
