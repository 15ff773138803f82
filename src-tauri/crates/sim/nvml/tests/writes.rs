//! Setting fans, limit and persistence: what is accepted, what is refused, what is logged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]
#![allow(unsafe_code, reason = "calls across the C interface")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use common::{Rig, library, quiet, value};
use fanfare_sim_state::{Setup, Symbol, World, Writes};
use nvml_wrapper_sys::bindings::NvmlLib;

fn open_to_all() -> Setup {
    Setup { writes: Writes::Anyone, ..quiet() }
}

#[test]
fn fans_take_30_to_100_percent_and_go_back_to_the_driver() {
    let rig = Rig::new(&open_to_all());
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        let fan = |fan| value(|o| lib.nvmlDeviceGetFanSpeed_v2(d, fan, o));
        let policy = |fan| value(|o| lib.nvmlDeviceGetFanControlPolicy_v2(d, fan, o));
        assert_eq!((fan(0), policy(0)), (Ok(0), Ok(0)));
        for (speed, code) in [(29, 2), (101, 2), (0, 2), (30, 0), (100, 0), (50, 0)] {
            assert_eq!(lib.nvmlDeviceSetFanSpeed_v2(d, 0, speed), code, "{speed} %");
        }
        assert_eq!(lib.nvmlDeviceSetFanSpeed_v2(d, 2, 50), 2, "there are fans 0 and 1");
        assert_eq!((fan(0), policy(0)), (Ok(50), Ok(1)));
        assert_eq!((fan(1), policy(1)), (Ok(0), Ok(0)), "each fan has its own policy");
        assert_eq!(lib.nvmlDeviceSetDefaultFanSpeed_v2(d, 0), 0);
        assert_eq!((fan(0), policy(0)), (Ok(0), Ok(0)));
        assert_eq!(lib.nvmlDeviceSetFanControlPolicy(d, 1, 7), 2);
    }
}

#[test]
fn the_power_limit_stays_in_its_range_and_holds_the_card_down() {
    let rig = Rig::new(&open_to_all());
    let (lib, d) = (&rig.lib, rig.device(0).unwrap());
    // SAFETY: every pointer handed over is valid through its call.
    unsafe {
        for (limit, code) in [(89_999, 2), (115_001, 2), (90_000, 0)] {
            assert_eq!(lib.nvmlDeviceSetPowerManagementLimit(d, limit), code, "{limit} mW");
        }
        assert_eq!(value(|o| lib.nvmlDeviceGetPowerManagementLimit(d, o)), Ok(90_000));
        rig.world.load(0, Some(100)).unwrap();
        rig.wait(60);
        let power = value(|o| lib.nvmlDeviceGetPowerUsage(d, o)).unwrap();
        // The mean of ten samples with 0.5 % of noise each: 0.16 %, six times that is 0.9 W.
        assert!((89_100..=90_900).contains(&power), "{power} mW");
        rig.world.reload().unwrap();
        assert_eq!(value(|o| lib.nvmlDeviceGetPowerManagementLimit(d, o)), Ok(115_000));
    }
}

#[test]
fn every_set_call_is_logged_with_arguments_and_code() {
    let rig = Rig::new(&open_to_all());
    let (lib, d) = (&rig.lib, rig.device(3).unwrap());
    rig.wait(7);
    // SAFETY: calls without pointers.
    unsafe {
        lib.nvmlDeviceSetFanSpeed_v2(d, 1, 60);
        lib.nvmlDeviceSetFanSpeed_v2(d, 1, 29);
        lib.nvmlDeviceSetPersistenceMode(d, 1);
        rig.world.lose(3).unwrap();
        lib.nvmlDeviceSetDefaultFanSpeed_v2(d, 0);
    }
    let sets = rig.world.sets().unwrap();
    let told: Vec<_> = sets.iter().map(|s| (s.symbol, s.card, s.args.clone(), s.code)).collect();
    assert_eq!(
        told,
        [
            (Symbol::DeviceSetFanSpeedV2, Some(3), vec![1, 60], 0),
            (Symbol::DeviceSetFanSpeedV2, Some(3), vec![1, 29], 2),
            (Symbol::DeviceSetPersistenceMode, Some(3), vec![1], 0),
            (Symbol::DeviceSetDefaultFanSpeedV2, Some(3), vec![0], 15),
        ]
    );
    assert!(sets.iter().all(|set| set.pid == std::process::id() && set.at_ns == 7_000_000_000));
}

/// Not a test of its own: sets a fan as whoever it is started as, and prints the code.
#[test]
fn child_that_sets() {
    let Ok(dir) = std::env::var("FANFARE_SIM_TEST_DIR") else { return };
    let uid: u32 = std::env::var("FANFARE_SIM_TEST_UID").unwrap().parse().unwrap();
    // SAFETY: a call without arguments that cannot fail.
    assert_eq!(unsafe { libc::geteuid() }, uid, "the uid did not change");
    // SAFETY: our own library; pointers are valid through their calls.
    unsafe {
        let lib = NvmlLib::new(Path::new(&dir).join("libnvidia-ml.so.1")).unwrap();
        assert_eq!(lib.nvmlInit_v2(), 0);
        let mut device = std::ptr::null_mut();
        assert_eq!(lib.nvmlDeviceGetHandleByIndex_v2(0, &raw mut device), 0);
        println!("\ncode {}", lib.nvmlDeviceSetFanSpeed_v2(device, 0, 60));
    }
}

/// The code that a process of `uid` gets when it sets a fan of the rig in `dir`.
fn code_as(dir: &Path, uid: u32) -> String {
    let mut command = Command::new(dir.join("child"));
    command.args(["--exact", "child_that_sets", "--nocapture"]).current_dir(dir);
    command.env("FANFARE_SIM_TEST_DIR", dir).env("FANFARE_SIM_TEST_UID", uid.to_string());
    command.env("FANFARE_SIM_STATE", dir.join("state")).uid(uid).gid(uid);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = told.lines().find_map(|line| line.strip_prefix("code ")).map(str::to_owned);
    code.unwrap_or_else(|| panic!("{told}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn only_a_privileged_caller_may_set_unless_the_rig_is_open_to_all() {
    // SAFETY: a call without arguments that cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        fanfare_testkit::skip("only root can start a process of another user");
        return;
    }
    // A folder that the other user may enter, with all that the child needs.
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::copy(std::env::current_exe().unwrap(), dir.path().join("child")).unwrap();
    std::fs::copy(library(), dir.path().join("libnvidia-ml.so.1")).unwrap();
    let world = World::create(&dir.path().join("state"), &quiet()).unwrap();
    assert_eq!(code_as(dir.path(), 65_534), "4", "NO_PERMISSION");
    assert_eq!(code_as(dir.path(), 0), "0");
    world.writes(Writes::Anyone).unwrap();
    assert_eq!(code_as(dir.path(), 65_534), "0");
    let codes: Vec<u32> = world.sets().unwrap().iter().map(|set| set.code).collect();
    assert_eq!(codes, [4, 0, 0]);
}
