//! Opening the library, counting cards, finding them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]
#![allow(unsafe_code, reason = "calls across the C interface")]

mod common;

use common::{Rig, c, library, load, quiet, text, value};
use fanfare_sim_state::{Setup, Symbol};
use nvml_wrapper_sys::bindings::nvmlDevice_t;

fn by_uuid(rig: &Rig, uuid: &str) -> Result<nvmlDevice_t, u32> {
    let mut device = std::ptr::null_mut();
    // SAFETY: both arguments live through the call.
    match unsafe { rig.lib.nvmlDeviceGetHandleByUUID(c(uuid).as_ptr(), &raw mut device) } {
        0 => Ok(device),
        code => Err(code),
    }
}

fn by_bus(rig: &Rig, bus: &str) -> Result<nvmlDevice_t, u32> {
    let mut device = std::ptr::null_mut();
    // SAFETY: both arguments live through the call.
    match unsafe { rig.lib.nvmlDeviceGetHandleByPciBusId_v2(c(bus).as_ptr(), &raw mut device) } {
        0 => Ok(device),
        code => Err(code),
    }
}

fn temperature(rig: &Rig, device: nvmlDevice_t) -> Result<u32, u32> {
    // SAFETY: `out` is valid.
    value(|out| unsafe { rig.lib.nvmlDeviceGetTemperature(device, 0, out) })
}

fn uuid(rig: &Rig, device: nvmlDevice_t) -> String {
    // SAFETY: the buffer is as long as said.
    text(96, |buffer, room| unsafe { rig.lib.nvmlDeviceGetUUID(device, buffer, room) }).unwrap()
}

#[test]
fn every_symbol_of_the_table_is_exported() {
    let path = c(library().to_str().unwrap());
    // SAFETY: our own library; the path ends with NUL.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    assert!(!handle.is_null());
    for symbol in Symbol::ALL.iter().filter(|symbol| symbol.field_id().is_none()) {
        // SAFETY: `handle` is open; the name ends with NUL.
        let address = unsafe { libc::dlsym(handle, c(symbol.name()).as_ptr()) };
        assert!(!address.is_null(), "{symbol} is not exported");
    }
}

#[test]
fn without_a_good_state_file_the_driver_is_not_loaded() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(load(dir.path(), None).1, 9);
    assert_eq!(load(dir.path(), Some(&dir.path().join("none"))).1, 9);
    std::fs::write(dir.path().join("other"), vec![7; 5000]).unwrap();
    let (lib, code) = load(dir.path(), Some(&dir.path().join("other")));
    assert_eq!(code, 9);
    let mut count = 0;
    // SAFETY: `count` lives through the call.
    assert_eq!(unsafe { lib.nvmlDeviceGetCount_v2(&raw mut count) }, 1, "UNINITIALIZED");
}

#[test]
fn inits_and_shutdowns_are_counted() {
    let rig = Rig::new(&quiet());
    // SAFETY: calls without arguments, and one whose argument lives through it.
    unsafe {
        assert_eq!(rig.lib.nvmlInitWithFlags(0), 0);
        assert_eq!(rig.lib.nvmlShutdown(), 0);
        assert_eq!(rig.count(), 8);
        assert_eq!(rig.lib.nvmlShutdown(), 0);
        assert_eq!(rig.lib.nvmlShutdown(), 1, "UNINITIALIZED");
        let mut count = 0;
        assert_eq!(rig.lib.nvmlDeviceGetCount_v2(&raw mut count), 1);
        assert_eq!(rig.lib.nvmlInit_v2(), 0);
    }
    assert_eq!(rig.count(), 8);
}

#[test]
fn a_mismatch_refuses_to_open_and_names_itself() {
    let rig = Rig::new(&quiet());
    rig.world.mismatch(true).unwrap();
    // SAFETY: calls without pointers; the text is a constant of the library.
    unsafe {
        assert_eq!(rig.lib.nvmlInit_v2(), 18);
        let message = std::ffi::CStr::from_ptr(rig.lib.nvmlErrorString(18)).to_str().unwrap();
        assert_eq!(message, "Driver/library version mismatch");
    }
    rig.world.mismatch(false).unwrap();
    // SAFETY: a call without arguments.
    assert_eq!(unsafe { rig.lib.nvmlInit_v2() }, 0);
}

#[test]
fn rigs_of_every_size_are_counted_and_every_card_is_found_three_ways() {
    for cards in [0, 1, 8, 16, 64] {
        let rig = Rig::new(&Setup { cards: Some(cards), ..quiet() });
        assert_eq!(rig.count() as usize, cards);
        for (index, card) in rig.world.cards().unwrap().iter().enumerate() {
            let device = rig.device(u32::try_from(index).unwrap()).unwrap();
            assert_eq!(uuid(&rig, device), card.uuid);
            assert_eq!(by_uuid(&rig, &card.uuid), Ok(device));
            assert_eq!(by_bus(&rig, &card.bus_id), Ok(device));
            // As the kernel writes it: four digits, small letters.
            assert_eq!(by_bus(&rig, &card.bus_id.to_lowercase()[4..]), Ok(device));
        }
        assert_eq!(rig.device(u32::try_from(cards).unwrap()), Err(2));
    }
    let rig = Rig::new(&quiet());
    assert_eq!(by_uuid(&rig, "GPU-no-such-card"), Err(6));
    assert_eq!(by_bus(&rig, "0000:09:00.0"), Err(6));
}

#[test]
fn a_lost_card_is_counted_but_neither_found_nor_read() {
    let rig = Rig::new(&quiet());
    let old = rig.device(3).unwrap();
    let card = rig.world.card(3).unwrap().unwrap();
    rig.world.lose(3).unwrap();
    assert_eq!(rig.count(), 8);
    assert_eq!(rig.device(3), Err(15));
    assert_eq!(by_uuid(&rig, &card.uuid), Err(15));
    assert_eq!(by_bus(&rig, &card.bus_id), Err(15));
    assert_eq!(temperature(&rig, old), Err(15));
    assert!(temperature(&rig, rig.device(4).unwrap()).is_ok());
    rig.world.find(3).unwrap();
    assert_eq!(rig.device(3), Ok(old));
    assert!(temperature(&rig, old).is_ok());
}

#[test]
fn a_removed_card_shrinks_the_count_and_its_handle_is_lost() {
    let rig = Rig::new(&quiet());
    let (old, next) = (rig.device(3).unwrap(), rig.device(4).unwrap());
    let card = rig.world.card(3).unwrap().unwrap();
    rig.world.remove(3).unwrap();
    assert_eq!(rig.count(), 7);
    assert_eq!(by_uuid(&rig, &card.uuid), Err(6));
    assert_eq!(temperature(&rig, old), Err(15));
    assert_eq!(rig.device(3), Ok(next));
}

#[test]
fn a_swapped_card_answers_under_its_new_uuid_alone() {
    let rig = Rig::new(&quiet());
    let old = rig.device(2).unwrap();
    let before = uuid(&rig, old);
    rig.world.swap(2).unwrap();
    let new = rig.device(2).unwrap();
    assert_ne!(uuid(&rig, new), before);
    assert_eq!(by_uuid(&rig, &before), Err(6));
    assert_eq!(temperature(&rig, old), Err(15));
    assert_eq!(by_bus(&rig, "0000:03:00.0"), Ok(new));
}

#[test]
fn another_order_changes_the_index_and_not_the_handle() {
    let rig = Rig::new(&quiet());
    let handles: Vec<_> = (0..8).map(|index| rig.device(index).unwrap()).collect();
    rig.world.order(&[7, 6, 5, 4, 3, 2, 1, 0]).unwrap();
    for (index, handle) in handles.iter().rev().enumerate() {
        let index = u32::try_from(index).unwrap();
        assert_eq!(rig.device(index), Ok(*handle));
        // SAFETY: `out` is valid.
        assert_eq!(value(|out| unsafe { rig.lib.nvmlDeviceGetIndex(*handle, out) }), Ok(index));
    }
}

#[test]
fn handles_that_were_never_given_out_and_null_pointers_are_invalid() {
    let rig = Rig::new(&quiet());
    let device = rig.device(0).unwrap();
    // SAFETY: the library never follows a handle; null is what is tested.
    unsafe {
        let mut out = 0;
        assert_eq!(rig.lib.nvmlDeviceGetTemperature(std::ptr::null_mut(), 0, &raw mut out), 2);
        let foreign = std::ptr::without_provenance_mut(0x1234);
        assert_eq!(rig.lib.nvmlDeviceGetTemperature(foreign, 0, &raw mut out), 2);
        assert_eq!(rig.lib.nvmlDeviceGetTemperature(device, 0, std::ptr::null_mut()), 2);
        assert_eq!(rig.lib.nvmlDeviceGetCount_v2(std::ptr::null_mut()), 2);
        assert_eq!(rig.lib.nvmlDeviceGetHandleByUUID(std::ptr::null(), std::ptr::null_mut()), 2);
        assert_eq!(rig.lib.nvmlDeviceGetName(device, std::ptr::null_mut(), 64), 2);
        // "595.71.05" and its NUL are ten bytes.
        assert_eq!(text(9, |b, n| rig.lib.nvmlSystemGetDriverVersion(b, n)), Err(7));
        assert_eq!(text(10, |b, n| rig.lib.nvmlSystemGetDriverVersion(b, n)).as_deref(), Ok("595.71.05"));
    }
}
