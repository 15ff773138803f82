//! Event sets: Xids of the cards that were registered, from the registration on.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fanfare_sim_state::{Symbol, World, XidMark};
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{EventSetHandle, Handle, Out};
use crate::codes::{
    Code, INSUFFICIENT_RESOURCES, INVALID_ARGUMENT, NOT_SUPPORTED, Outcome, TIMEOUT, UNKNOWN,
};
use crate::gate::{Subject, card_call, read, unlocked_call};
use crate::library;

/// What a GeForce card reports here.
const SUPPORTED: u64 = sys::nvmlEventTypeXidCriticalError as u64;
/// Event sets open at once in one process.
const MOST_SETS: usize = 256;
/// One card in a set; a set holds each card once, so at most 64.
#[derive(Debug, Clone, Copy)]
struct Registration {
    slot: usize,
    board: u32,
    mark: XidMark,
}

/// Event sets are the process's own, as in the real library.
static SETS: Mutex<BTreeMap<usize, Vec<Registration>>> = Mutex::new(BTreeMap::new());

fn sets() -> MutexGuard<'static, BTreeMap<usize, Vec<Registration>>> {
    SETS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes an event set.
#[unsafe(no_mangle)]
extern "C" fn nvmlEventSetCreate(set: Out<EventSetHandle>) -> Code {
    unlocked_call(Symbol::EventSetCreate, library::world, |_| {
        set.required()?;
        let mut sets = sets();
        if sets.len() >= MOST_SETS {
            return Err(INSUFFICIENT_RESOURCES);
        }
        let number = sets.last_key_value().map_or(1, |(last, _)| last + 1);
        sets.insert(number, Vec::new());
        set.put(EventSetHandle::new(number))
    })
}

/// Frees an event set.
#[unsafe(no_mangle)]
extern "C" fn nvmlEventSetFree(set: EventSetHandle) -> Code {
    unlocked_call(Symbol::EventSetFree, library::world, |_| {
        sets().remove(&set.number()).map(drop).ok_or(INVALID_ARGUMENT)
    })
}

/// Which kinds of events the card reports.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetSupportedEventTypes(device: Handle, types: Out<u64>) -> Code {
    read(Symbol::DeviceGetSupportedEventTypes, device, types, |_| Ok(SUPPORTED))
}

/// Adds a card's events to a set; only events from now on are delivered.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceRegisterEvents(device: Handle, types: u64, set: EventSetHandle) -> Code {
    card_call(Symbol::DeviceRegisterEvents, Subject::Handle(device), |card| {
        let mut sets = sets();
        let registrations = sets.get_mut(&set.number()).ok_or(INVALID_ARGUMENT)?;
        if types & !SUPPORTED != 0 {
            return Err(NOT_SUPPORTED);
        }
        if types != 0 && registrations.iter().all(|known| known.slot != card.slot) {
            let board = card.conditions.board.unwrap_or_default();
            let mark = card.session.xid_mark();
            registrations.push(Registration { slot: card.slot, board, mark });
        }
        Outcome::Ok(())
    })
}

/// Takes the oldest new event of a set.
fn take(world: &World, set: EventSetHandle) -> Outcome<Option<sys::nvmlEventData_t>> {
    // The session first: registering takes the two locks in this order.
    let mut session = world.session().map_err(|_| UNKNOWN)?;
    let mut sets = sets();
    let registrations = sets.get_mut(&set.number()).ok_or(INVALID_ARGUMENT)?;
    let news = registrations.iter_mut().filter_map(|registration| {
        let (xid, behind) = session.next_xid(registration.slot, registration.mark)?;
        Some((behind, xid, registration))
    });
    let Some((behind, xid, registration)) = news.min_by_key(|(behind, ..)| *behind) else { return Ok(None) };
    registration.mark = behind;
    Ok(Some(sys::nvmlEventData_t {
        device: Handle::new(registration.slot, registration.board).raw(),
        eventType: u64::from(sys::nvmlEventTypeXidCriticalError),
        eventData: u64::from(xid),
        gpuInstanceId: u32::MAX,
        computeInstanceId: u32::MAX,
    }))
}

/// Waits for an event for at most `timeout_ms` of real time.
#[unsafe(no_mangle)]
extern "C" fn nvmlEventSetWait_v2(
    set: EventSetHandle,
    data: Out<sys::nvmlEventData_t>,
    timeout_ms: u32,
) -> Code {
    let deadline = Instant::now() + Duration::from_millis(u64::from(timeout_ms));
    unlocked_call(Symbol::EventSetWaitV2, library::world, |world| {
        data.required()?;
        loop {
            let seen = world.news();
            if let Some(event) = take(world, set)? {
                return data.put(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TIMEOUT);
            }
            world.wait_for_news(seen, left);
        }
    })
}
