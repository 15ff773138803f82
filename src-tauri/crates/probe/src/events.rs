//! What the driver reports of its own accord: Xid errors above all.
//!
//! Only what happens after a card was registered is delivered (`nvml.h`), and the wrapper gives an event set up at any error, so
//! a set that fails is made anew with all its cards after a pause. Losing the events costs no reading.

use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use fanfare_rig::{CardEvent, CardUuid, EventKind, clock::Clock};
use nvml_wrapper::{
    EventSet, Nvml, bitmasks::event::EventTypes, enums::event::XidError, error::NvmlError,
    struct_wrappers::event::EventData,
};

use crate::{crew::Crew, message::Message, raw};

/// How long one wait for an event lasts; also how late a card that was met while the probe ran is registered.
const WAIT: Duration = Duration::from_secs(5);
/// Pause before a failed event set is made anew, doubled at each failure in a row.
const PAUSE_FIRST: Duration = Duration::from_secs(1);
/// The longest pause.
const PAUSE_LONGEST: Duration = Duration::from_secs(30);

/// A card whose events are wanted.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    pub(crate) uuid: CardUuid,
    /// The handle it has in this process, as a number: an event names its card by it.
    pub(crate) handle: usize,
}

/// Where to name the cards whose events are wanted.
#[derive(Debug)]
pub(crate) struct Watch {
    cards: Sender<Vec<Watched>>,
}

impl Watch {
    /// Wants the events of these cards from now on.
    pub(crate) fn cards(&self, cards: Vec<Watched>) {
        // Without a listener there are no events, and nothing else is lost.
        let _ = self.cards.send(cards);
    }
}

/// Starts the thread that waits for events.
pub(crate) fn start(nvml: &'static Nvml, clock: Clock, crew: Arc<Crew>) -> Watch {
    let (cards, new) = mpsc::channel();
    let listener = Listener { nvml, clock, crew, new, cards: Vec::new() };
    if let Err(error) = thread::Builder::new().name("events".into()).spawn(move || listener.run()) {
        eprintln!("fanfare-probe: events are not watched: {error}");
    }
    Watch { cards }
}

struct Listener {
    nvml: &'static Nvml,
    clock: Clock,
    crew: Arc<Crew>,
    new: Receiver<Vec<Watched>>,
    cards: Vec<Watched>,
}

impl Listener {
    fn run(mut self) {
        // An event set without a card waits for nothing, and some drivers answer it with an error.
        let Ok(first) = self.new.recv() else { return };
        self.cards.extend(first);
        let mut pause = PAUSE_FIRST;
        loop {
            let begun = Instant::now();
            match self.round() {
                NvmlError::NotSupported | NvmlError::FailedToLoadSymbol(_) => {
                    eprintln!("fanfare-probe: this driver reports no events");
                    return;
                }
                _ if begun.elapsed() > PAUSE_LONGEST => pause = PAUSE_FIRST,
                _ => {}
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE_LONGEST);
        }
    }

    /// One life of an event set, and what ended it.
    fn round(&mut self) -> NvmlError {
        let mut set = match self.nvml.create_event_set() {
            Ok(set) => set,
            Err(error) => return error,
        };
        self.new_cards();
        let mut unregistered = self.cards.clone();
        loop {
            for card in unregistered.drain(..) {
                set = match self.register(&card, set) {
                    Ok(set) => set,
                    Err(error) => return error,
                };
            }
            match set.wait(u32::try_from(WAIT.as_millis()).unwrap_or(u32::MAX)) {
                Ok(event) => self.crew.tell(Message::Event(self.named(&event))),
                Err(NvmlError::Timeout) => {}
                Err(error) => return error,
            }
            unregistered = self.new_cards();
        }
    }

    /// Cards named since the last look; they are remembered for the next set too.
    fn new_cards(&mut self) -> Vec<Watched> {
        let new: Vec<Watched> = self.new.try_iter().flatten().collect();
        self.cards.extend(new.iter().cloned());
        new
    }

    /// Registers one card. A card that cannot be found or has no events is left out; the set lives on for the others.
    fn register(&self, card: &Watched, set: EventSet<'static>) -> Result<EventSet<'static>, NvmlError> {
        let wanted = self.nvml.device_by_uuid(card.uuid.as_str()).and_then(|device| {
            let types = device.supported_event_types()?;
            Ok((device, types & EventTypes::CRITICAL_XID_ERROR))
        });
        match wanted {
            Ok((device, types)) if !types.is_empty() => {
                device.register_events(types, set).map_err(|failed| failed.error)
            }
            _ => Ok(set),
        }
    }

    fn named(&self, event: &EventData<'_>) -> CardEvent {
        let handle = raw::handle_number(&event.device);
        let kind = match event.event_data {
            Some(XidError::Value(number)) => EventKind::Xid(number),
            Some(XidError::Unknown) => EventKind::Xid(999),
            None => EventKind::Other(event.event_type.bits()),
        };
        let card = self.cards.iter().find(|card| card.handle == handle);
        CardEvent { at: self.clock.stamp(), uuid: card.map(|card| card.uuid.clone()), kind }
    }
}
