//! How the cards hang together: invented, but such as a mining board has. Slots 0 and 1, 2 and 3, … share a
//! switch; everything else meets at the host bridge of the one CPU.

use fanfare_sim_state::Symbol;
use fanfare_sim_state::conditions::Conditions;
use nvml_wrapper_sys::bindings as sys;

use crate::abi::{Handle, Out};
use crate::codes::{Code, INSUFFICIENT_SIZE, INVALID_ARGUMENT, Outcome};
use crate::gate::{Subject, card_call, driver_call};

const SAME: u32 = sys::nvmlGpuLevel_enum_NVML_TOPOLOGY_INTERNAL;
const SWITCH: u32 = sys::nvmlGpuLevel_enum_NVML_TOPOLOGY_MULTIPLE;
const BRIDGE: u32 = sys::nvmlGpuLevel_enum_NVML_TOPOLOGY_HOSTBRIDGE;

fn level(one: usize, other: usize) -> u32 {
    if one == other {
        SAME
    } else if one / 2 == other / 2 {
        SWITCH
    } else {
        BRIDGE
    }
}

/// Fills an array in NVML's way: the count goes in as room and comes out as need.
fn fill(conditions: &Conditions, slots: &[usize], count: Out<u32>, array: Out<Handle>) -> Outcome {
    let room = count.get()? as usize;
    count.put(u32::try_from(slots.len()).unwrap_or(u32::MAX))?;
    if room == 0 || array.is_null() {
        return Ok(());
    }
    if room < slots.len() {
        return Err(INSUFFICIENT_SIZE);
    }
    for (place, slot) in slots.iter().enumerate() {
        let board = conditions.card(*slot).and_then(|card| card.board).unwrap_or_default();
        array.put_at(place, Handle::new(*slot, board))?;
    }
    Ok(())
}

/// Where two cards meet.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTopologyCommonAncestor(one: Handle, other: Handle, path: Out<u32>) -> Code {
    card_call(Symbol::DeviceGetTopologyCommonAncestor, Subject::Handle(one), |card| {
        let (slot, board) = other.unpack().ok_or(INVALID_ARGUMENT)?;
        let there = card.session.conditions().card(slot).and_then(|card| card.board);
        if there != Some(board) {
            return Err(INVALID_ARGUMENT);
        }
        path.put(level(card.slot, slot))
    })
}

/// The cards that meet this one at exactly that level.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTopologyNearestGpus(
    device: Handle,
    at: u32,
    count: Out<u32>,
    array: Out<Handle>,
) -> Code {
    card_call(Symbol::DeviceGetTopologyNearestGpus, Subject::Handle(device), |card| {
        let own = card.slot;
        let conditions = card.session.conditions();
        let others = conditions.enumeration.iter().copied();
        let near: Vec<usize> = others.filter(|slot| *slot != own && level(own, *slot) == at).collect();
        fill(conditions, &near, count, array)
    })
}

/// The cards near a CPU: all of them near every one.
#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetTopologyGpuSet(cpu: u32, count: Out<u32>, array: Out<Handle>) -> Code {
    driver_call(Symbol::SystemGetTopologyGpuSet, |session| {
        if cpu >= processors() {
            return Err(INVALID_ARGUMENT);
        }
        let conditions = session.conditions();
        let all = conditions.enumeration.clone();
        fill(conditions, &all, count, array)
    })
}

/// The CPUs near a card, a bit each: all of them.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCpuAffinity(device: Handle, words: u32, cpus: Out<u64>) -> Code {
    card_call(Symbol::DeviceGetCpuAffinity, Subject::Handle(device), |_| {
        if words == 0 {
            return Err(INVALID_ARGUMENT);
        }
        for word in 0..words {
            let left = processors().saturating_sub(word.saturating_mul(64)).min(64);
            let mask = if left == 64 { u64::MAX } else { (1 << left) - 1 };
            cpus.put_at(word as usize, mask)?;
        }
        Outcome::Ok(())
    })
}

fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
}
