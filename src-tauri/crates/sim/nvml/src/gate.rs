//! The way of every call: count, hang, injected error, subject, permission, cost, then its own body.
//!
//! The lock of the state file is held only while a call looks or changes, never while it hangs, burns its cost
//! or sits out the 20 ms of a throughput window. A panic inside becomes UNKNOWN (999): nothing unwinds into C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fanfare_sim_state::conditions::CardConditions;
use fanfare_sim_state::identity::{slot_of_bus_id, uuid};
use fanfare_sim_state::profile::Profile;
use fanfare_sim_state::{Reading, Session, Symbol, World};

use crate::abi::{Handle, Out};
use crate::codes::{Code, GPU_IS_LOST, INVALID_ARGUMENT, NO_PERMISSION, NOT_FOUND, Outcome, UNKNOWN, code};
use crate::library;
use crate::privilege::caller_is_privileged;

/// How often a call that hangs looks whether it may return.
const HANG_POLL: Duration = Duration::from_millis(1);
/// A hang that nobody ends returns UNKNOWN after this: longer than any driver's own time-out.
const HANG_LIMIT: Duration = Duration::from_secs(3600);
/// `nvmlDeviceGetPcieThroughput` counts over a window of this length.
const THROUGHPUT_WINDOW: Duration = Duration::from_millis(20);

/// What a call is about.
#[derive(Debug)]
pub(crate) enum Subject {
    /// The driver as a whole.
    Driver,
    /// The card of a handle.
    Handle(Handle),
    /// The card at a place of the enumeration.
    Index(u32),
    /// The card of that UUID; `None` for a null pointer.
    Uuid(Option<String>),
    /// The card at that bus address; `None` for a null pointer.
    BusId(Option<String>),
}

/// One card, up to date, while its call has the lock.
#[derive(Debug)]
pub(crate) struct Card<'s, 'w> {
    pub(crate) session: &'s mut Session<'w>,
    pub(crate) slot: usize,
    pub(crate) conditions: CardConditions,
    pub(crate) reading: Reading,
    pub(crate) profile: &'static Profile,
}

impl Card<'_, '_> {
    pub(crate) fn handle(&self) -> Handle {
        Handle::new(self.slot, self.conditions.board.unwrap_or_default())
    }

    /// Whether this card has a fan of that number.
    pub(crate) fn fan(&self, fan: u32) -> Outcome<usize> {
        if fan < self.profile.fans { Ok(fan as usize) } else { Err(INVALID_ARGUMENT) }
    }
}

/// What one look at the state decides.
enum Look {
    Done(Outcome),
    Hangs,
    Behind,
    Burn(u32),
    Window,
}

/// A call on its way.
struct Call {
    symbol: Symbol,
    subject: Subject,
    /// Arguments of a Set call, for the log.
    args: [i64; 3],
    counted: bool,
    burnt: bool,
    windowed: bool,
}

/// A call about the driver.
pub(crate) fn driver_call(symbol: Symbol, body: impl FnOnce(&mut Session<'_>) -> Outcome) -> Code {
    guarded(|| run(library::world()?, new(symbol, Subject::Driver), |session, _| body(session)))
}

/// A call about one card.
pub(crate) fn card_call(
    symbol: Symbol,
    subject: Subject,
    body: impl FnOnce(&mut Card<'_, '_>) -> Outcome,
) -> Code {
    guarded(|| run(library::world()?, new(symbol, subject), |session, slot| on_card(session, slot, body)))
}

/// A call that reads one value of a card into `out`.
pub(crate) fn read<T: Copy>(
    symbol: Symbol,
    device: Handle,
    out: Out<T>,
    value: impl FnOnce(&mut Card<'_, '_>) -> Outcome<T>,
) -> Code {
    card_call(symbol, Subject::Handle(device), |card| {
        out.required()?;
        out.put(value(card)?)
    })
}

/// A call that changes a card; it is logged with its arguments and its code.
pub(crate) fn set(
    symbol: Symbol,
    device: Handle,
    args: [i64; 3],
    body: impl FnOnce(&mut Card<'_, '_>) -> Outcome,
) -> Code {
    let call = Call { args, ..new(symbol, Subject::Handle(device)) };
    guarded(|| run(library::world()?, call, |session, slot| on_card(session, slot, body)))
}

/// A call that opens or closes the library, or waits: `body` runs without the lock, after the gate.
pub(crate) fn unlocked_call(
    symbol: Symbol,
    world: impl FnOnce() -> Outcome<&'static World>,
    body: impl FnOnce(&'static World) -> Outcome,
) -> Code {
    guarded(|| {
        let world = world()?;
        run(world, new(symbol, Subject::Driver), |_, _| Ok(()))?;
        body(world)
    })
}

fn new(symbol: Symbol, subject: Subject) -> Call {
    Call { symbol, subject, args: [0; 3], counted: false, burnt: false, windowed: false }
}

fn guarded(call: impl FnOnce() -> Outcome) -> Code {
    catch_unwind(AssertUnwindSafe(|| code(call()))).unwrap_or(UNKNOWN)
}

fn on_card(
    session: &mut Session<'_>,
    slot: Option<usize>,
    body: impl FnOnce(&mut Card<'_, '_>) -> Outcome,
) -> Outcome {
    let slot = slot.ok_or(INVALID_ARGUMENT)?;
    let profile = session.world().profile();
    let conditions = session.card_conditions(slot).ok_or(GPU_IS_LOST)?;
    let reading = session.reading(slot).ok_or(GPU_IS_LOST)?;
    body(&mut Card { session, slot, conditions, reading, profile })
}

fn run(
    world: &World,
    mut call: Call,
    body: impl FnOnce(&mut Session<'_>, Option<usize>) -> Outcome,
) -> Outcome {
    let mut body = Some(body);
    let mut hung_since = None;
    loop {
        match look(world, &mut call, &mut body) {
            Look::Done(outcome) => return outcome,
            Look::Hangs => {
                if hung_since.get_or_insert_with(Instant::now).elapsed() > HANG_LIMIT {
                    return Err(UNKNOWN);
                }
                std::thread::sleep(HANG_POLL);
            }
            // Each look works off a stretch of the card's debt, so this ends.
            Look::Behind => {}
            Look::Burn(micros) => burn(Duration::from_micros(u64::from(micros))),
            Look::Window => std::thread::sleep(THROUGHPUT_WINDOW),
        }
    }
}

fn look<B>(world: &World, call: &mut Call, body: &mut Option<B>) -> Look
where
    B: FnOnce(&mut Session<'_>, Option<usize>) -> Outcome,
{
    let Ok(mut session) = world.session() else {
        eprintln!("simulated NVML: the lock of the state file cannot be had");
        return Look::Done(Err(UNKNOWN));
    };
    let (slot, found) = resolve(&mut session, &call.subject);
    if !std::mem::replace(&mut call.counted, true) {
        session.count(call.symbol, slot);
    }
    if session.conditions().hangs(call.symbol, slot) {
        return Look::Hangs;
    }
    let cost = session.conditions().call_cost_us;
    if cost > 0 && !std::mem::replace(&mut call.burnt, true) {
        return Look::Burn(cost);
    }
    let injected = session.conditions().error(call.symbol, slot).map_or(Ok(()), Err);
    if let Err(refusal) = injected.and(found).and_then(|()| permit(&mut session, call.symbol)) {
        return Look::Done(logged(&session, call, slot, Err(refusal)));
    }
    if slot.is_some_and(|slot| !session.bring_up(slot)) {
        return Look::Behind;
    }
    if call.symbol == Symbol::DeviceGetPcieThroughput && !std::mem::replace(&mut call.windowed, true) {
        return Look::Window;
    }
    let outcome = body.take().map_or(Err(UNKNOWN), |body| body(&mut session, slot));
    Look::Done(logged(&session, call, slot, outcome))
}

fn logged(session: &Session<'_>, call: &Call, slot: Option<usize>, outcome: Outcome) -> Outcome {
    if call.symbol.is_set() {
        session.log_set(call.symbol, slot, call.args, code(outcome));
    }
    outcome
}

fn permit(session: &mut Session<'_>, symbol: Symbol) -> Outcome {
    let free = !symbol.is_set() || session.conditions().writes_anyone;
    if free || caller_is_privileged() { Ok(()) } else { Err(NO_PERMISSION) }
}

/// The slot that the subject names, and whether a call about it may go on.
fn resolve(session: &mut Session<'_>, subject: &Subject) -> (Option<usize>, Outcome) {
    let seed = session.world().config().seed;
    let conditions = session.conditions();
    let board = |slot: usize| conditions.card(slot).and_then(|card| card.board);
    let (slot, board) = match subject {
        Subject::Driver => return (None, Ok(())),
        Subject::Handle(handle) => match handle.unpack() {
            Some((slot, board)) => (Some(slot), Some(board)),
            None => return (None, Err(INVALID_ARGUMENT)),
        },
        Subject::Index(index) => match conditions.enumeration.get(*index as usize) {
            Some(slot) => (Some(*slot), board(*slot)),
            None => return (None, Err(INVALID_ARGUMENT)),
        },
        Subject::Uuid(None) | Subject::BusId(None) => return (None, Err(INVALID_ARGUMENT)),
        Subject::Uuid(Some(wanted)) => {
            let is_it = |slot: &usize| board(*slot).is_some_and(|board| uuid(seed, board) == *wanted);
            let slot = conditions.enumeration.iter().copied().find(is_it);
            (slot, slot.and_then(board))
        }
        Subject::BusId(Some(wanted)) => {
            let slot = slot_of_bus_id(wanted).filter(|slot| board(*slot).is_some());
            (slot, slot.and_then(board))
        }
    };
    let Some(slot) = slot else { return (None, Err(NOT_FOUND)) };
    match conditions.card(slot) {
        None => (None, Err(INVALID_ARGUMENT)),
        Some(card) if card.lost || card.board != board => (Some(slot), Err(GPU_IS_LOST)),
        Some(_) => (Some(slot), Ok(())),
    }
}

/// Burns CPU time of this thread, not wall time: a cost that sleeping could not stand for.
fn burn(cost: Duration) {
    let used = || {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
    };
    let until = used() + cost;
    while used() < until {
        std::hint::spin_loop();
    }
}
