//! A simulated `libnvidia-ml.so.1`: NVML's C interface over the rig of [`fanfare_sim_state`].
//!
//! Programs that know nothing of the simulator load this library as they load NVIDIA's. The rig's state file is
//! named by `FANFARE_SIM_STATE`; without it, or with a bad file, `nvmlInit` says DRIVER_NOT_LOADED (9) and one
//! line on stderr tells why.
//!
//! Every exported function goes through one gate (`gate`), which counts the call, serves hangs and injected
//! errors, checks handles and permission, burns the configured cost and brings the card up to date. So a
//! function itself only says which figure it reports.
//!
//! Types come from `nvml-wrapper-sys`. Pointer arguments are taken as the transparent wrappers of `abi`, the
//! one place that follows them. A getter costs about 0.4 µs of CPU (`examples/cost.rs` measures).

#![allow(unsafe_code, reason = "exported C symbols; pointers are followed in `abi` alone")]
#![allow(non_snake_case, reason = "the names are NVML's")]

mod abi;
mod clocks;
mod codes;
mod events;
mod fans;
mod fields;
mod gate;
mod identity;
mod init;
mod library;
mod lookup;
mod memory;
mod pcie;
mod power;
mod privilege;
mod processes;
mod system;
mod thermal;
mod topology;
