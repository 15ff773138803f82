//! Opening and closing the library.

use fanfare_sim_state::Symbol;

use crate::codes::{Code, LIB_RM_VERSION_MISMATCH, Outcome, UNKNOWN};
use crate::gate::unlocked_call;
use crate::library;

fn init(symbol: Symbol) -> Code {
    unlocked_call(symbol, library::open, |world| {
        let mismatch = world.session().map_err(|_| UNKNOWN)?.conditions().mismatch;
        if mismatch {
            return Err(LIB_RM_VERSION_MISMATCH);
        }
        library::opened();
        Outcome::Ok(())
    })
}

/// Initialises NVML.
#[unsafe(no_mangle)]
extern "C" fn nvmlInit() -> Code {
    init(Symbol::Init)
}

/// Initialises NVML without touching a card.
#[unsafe(no_mangle)]
extern "C" fn nvmlInit_v2() -> Code {
    init(Symbol::InitV2)
}

/// Initialises NVML; the flags (no cards, no attach) change nothing here.
#[unsafe(no_mangle)]
extern "C" fn nvmlInitWithFlags(_flags: u32) -> Code {
    init(Symbol::InitWithFlags)
}

/// Ends one initialisation.
#[unsafe(no_mangle)]
extern "C" fn nvmlShutdown() -> Code {
    unlocked_call(Symbol::Shutdown, library::world, |_| library::closed())
}
