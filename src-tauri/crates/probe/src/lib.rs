//! Reading NVIDIA cards through NVML: the parts that `fanfare-probe` puts to work.
//!
//! The program is the only one to sweep a rig. What it makes of one card, [`CardReader`], is open to the bench as well, which
//! measures it beside another program's reading of the same fields.

mod alarm;
mod args;
mod cards;
mod codes;
mod crew;
mod desk;
mod events;
mod lane;
mod leave;
mod library;
mod lookup;
mod message;
mod meter;
mod names;
mod program;
mod raw;
mod roster;
mod slow;

pub use cards::{Ask, CardReader, Report};
pub use library::load;
pub use program::main;
