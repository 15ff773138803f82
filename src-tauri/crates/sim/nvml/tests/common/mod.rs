//! A rig with the library loaded over it, for one test.
//!
//! Each test loads a copy of the library of its own, so that each has its own process-wide state.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(unsafe_code, reason = "calls across the C interface")]

use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fanfare_sim_state::{Clock, Setup, World};
use nvml_wrapper_sys::bindings::{NvmlLib, nvmlDevice_t, nvmlReturn_t};

/// Guards the environment between setting the variable and the library's reading it.
static ENVIRONMENT: Mutex<()> = Mutex::new(());

/// The built library, beside this test's executable.
pub(crate) fn library() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let deps = exe.parent().unwrap();
    let name = "libfanfare_sim_nvml.so";
    let known = [deps.join(name), deps.parent().unwrap().join(name)];
    known.into_iter().find(|file| file.exists()).expect("cargo builds the cdylib with this package's tests")
}

/// A rig on a manual clock without rentals.
pub(crate) fn quiet() -> Setup {
    Setup { clock: Clock::Manual, rentals: false, ..Setup::default() }
}

/// A rig, and the library opened on it.
pub(crate) struct Rig {
    pub(crate) lib: NvmlLib,
    pub(crate) world: World,
    pub(crate) dir: tempfile::TempDir,
}

/// Loads a copy of the library in `dir` with the variable naming `state`, and calls `nvmlInit_v2`.
pub(crate) fn load(dir: &Path, state: Option<&Path>) -> (NvmlLib, nvmlReturn_t) {
    let copy = dir.join("libnvidia-ml.so.1");
    std::fs::copy(library(), &copy).unwrap();
    let _alone = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: whoever reads or writes the variable in this process does so under this lock.
    unsafe {
        match state {
            Some(state) => std::env::set_var("FANFARE_SIM_STATE", state),
            None => std::env::remove_var("FANFARE_SIM_STATE"),
        }
    }
    // SAFETY: our own library; its initialisers do nothing.
    let lib = unsafe { NvmlLib::new(copy) }.unwrap();
    // SAFETY: the call takes no arguments.
    let code = unsafe { lib.nvmlInit_v2() };
    (lib, code)
}

impl Rig {
    pub(crate) fn new(setup: &Setup) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let world = World::create(&state, setup).unwrap();
        let (lib, code) = load(dir.path(), Some(&state));
        assert_eq!(code, 0, "nvmlInit_v2");
        Self { lib, world, dir }
    }

    pub(crate) fn wait(&self, seconds: u64) {
        self.world.advance(Duration::from_secs(seconds)).unwrap();
    }

    /// The handle at an index, or the code.
    pub(crate) fn device(&self, index: u32) -> Result<nvmlDevice_t, nvmlReturn_t> {
        let mut device = std::ptr::null_mut();
        // SAFETY: `device` lives through the call.
        match unsafe { self.lib.nvmlDeviceGetHandleByIndex_v2(index, &raw mut device) } {
            0 => Ok(device),
            code => Err(code),
        }
    }

    pub(crate) fn count(&self) -> u32 {
        value(|out| {
            // SAFETY: `out` is valid.
            unsafe { self.lib.nvmlDeviceGetCount_v2(out) }
        })
        .unwrap()
    }
}

/// Calls a getter of one value.
pub(crate) fn value<T: Default>(get: impl FnOnce(*mut T) -> nvmlReturn_t) -> Result<T, nvmlReturn_t> {
    let mut out = T::default();
    match get(&raw mut out) {
        0 => Ok(out),
        code => Err(code),
    }
}

/// Calls a getter of a text with that much room.
pub(crate) fn text(
    room: u32,
    get: impl FnOnce(*mut std::ffi::c_char, u32) -> nvmlReturn_t,
) -> Result<String, nvmlReturn_t> {
    let mut buffer = vec![0; room as usize + 1];
    match get(buffer.as_mut_ptr(), room) {
        // SAFETY: the library ends a text with NUL, and the buffer's last byte is one.
        0 => Ok(unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_str().unwrap().to_owned()),
        code => Err(code),
    }
}

pub(crate) fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}
