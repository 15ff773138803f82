//! The list of cards: starts the driver, then asks once a minute which cards there are.
//!
//! It has a thread of its own because both can hang on one bad card, and the cards already known must go on. Cards are named by
//! UUID; an index is used once, to get a handle, and forgotten. A list that fails costs no card that was met before, and a card
//! whose look-up hangs hides none behind it (see [`lookup`](crate::lookup)).

use std::{collections::BTreeSet, io, sync::Arc, thread};

use fanfare_rig::{CardUuid, Driver, Reading, Reason, Unreachable, clock::Clock};
use nvml_wrapper::Nvml;

use crate::{
    args::Args,
    cards::CardReader,
    codes,
    crew::Crew,
    events::{self, Watch, Watched},
    leave, library,
    lookup::{Listing, Lookups},
    message::Message,
    raw,
};

/// No more cards than this are asked for: NVML's own limit on devices in a system.
const CARDS_MOST: u32 = 64;

/// The list of cards, owned by its thread.
#[derive(Debug)]
pub(crate) struct Roster {
    pub(crate) args: Args,
    pub(crate) clock: Clock,
    pub(crate) crew: Arc<Crew>,
}

impl Roster {
    /// Starts its thread.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(self) -> io::Result<()> {
        thread::Builder::new().name("roster".into()).spawn(move || self.run()).map(drop)
    }

    /// Starts the driver and lists the cards for the life of the process, or until the driver cannot be read at all.
    fn run(&self) {
        self.crew.tell(Message::RosterBegun(self.clock.stamp()));
        let simulated = raw::is_simulated(&self.args.library());
        if simulated {
            // Before anything is asked of it: its start may hang, and nothing simulated may be taken for the owner's meanwhile.
            self.tell_driver(simulated);
        }
        match library::load(&self.args.library()).and_then(|nvml| library::indispensable(nvml).map(|()| nvml))
        {
            Ok(nvml) => self.list(nvml, simulated),
            // The process's end is the leader's business.
            Err(trouble) => self.crew.tell(Message::Trouble(trouble)),
        }
    }

    fn list(&self, nvml: &'static Nvml, simulated: bool) -> ! {
        self.tell_driver(simulated);
        self.ask_versions(nvml, simulated);
        let watch = events::start(nvml, self.clock, Arc::clone(&self.crew));
        let mut lookups = Lookups::new(nvml, self.clock);
        let mut met = BTreeSet::new();
        loop {
            let message = match nvml.device_count() {
                Ok(count) => {
                    let listing = lookups.list(count.min(CARDS_MOST), self.args.patience());
                    let listing = listing.unwrap_or_else(|error| leave::for_want_of("thread", &error));
                    Message::RosterRead { unreachable: self.take_in(nvml, listing, &mut met, &watch) }
                }
                Err(error) => Message::RosterFailed(codes::code(error)),
            };
            self.crew.tell(message);
            lookups.wait(self.args.roster_interval());
            self.crew.tell(Message::RosterBegun(self.clock.stamp()));
        }
    }

    /// Hands on each card that was never met, and returns those the driver will not hand out.
    fn take_in(
        &self,
        nvml: &'static Nvml,
        listing: Listing,
        met: &mut BTreeSet<CardUuid>,
        watch: &Watch,
    ) -> Vec<Unreachable> {
        let stuck = listing
            .stuck
            .into_iter()
            .map(|(index, since)| Unreachable { index, reason: Reason::Stuck { since } });
        let (mut unreachable, mut new): (Vec<_>, Vec<_>) = (stuck.collect(), Vec::new());
        for (index, found) in listing.found {
            match found {
                Err(code) => unreachable.push(Unreachable { index, reason: code.into() }),
                Ok((uuid, device)) => {
                    if met.insert(uuid.clone()) {
                        new.push(Watched { uuid: uuid.clone(), handle: raw::handle_number(&device) });
                        let card = CardReader::new(nvml, device, uuid, self.clock);
                        self.crew.tell(Message::Card(Box::new(card)));
                    }
                }
            }
        }
        if !new.is_empty() {
            watch.cards(new);
        }
        unreachable.sort_by_key(|card| card.index);
        unreachable
    }

    /// Tells whether the driver is a simulated one, before any figure of it is told; its versions are not known yet.
    fn tell_driver(&self, simulated: bool) {
        let asked = Reason::Stuck { since: self.clock.stamp() };
        self.crew.tell(Message::Driver(Driver {
            version: Reading::missing(asked),
            library: Reading::missing(asked),
            cuda: Reading::missing(asked),
            simulated,
        }));
    }

    /// Tells the driver's versions, from a thread of its own: they are labels, and no card waits for a label.
    fn ask_versions(&self, nvml: &'static Nvml, simulated: bool) {
        let crew = Arc::clone(&self.crew);
        let tell = move || crew.tell(Message::Driver(driver(nvml, simulated)));
        let spawned = thread::Builder::new().name("driver".into()).spawn(tell);
        if let Err(error) = spawned {
            leave::for_want_of("thread", &error);
        }
    }
}

fn driver(nvml: &Nvml, simulated: bool) -> Driver {
    let cuda = codes::reading(nvml.sys_cuda_driver_version());
    Driver {
        version: codes::reading(nvml.sys_driver_version()),
        library: codes::reading(nvml.sys_nvml_version()),
        // 13020 is CUDA 13.2.
        cuda: cuda.map(|number| format!("{}.{}", number / 1_000, number % 1_000 / 10)),
        simulated,
    }
}
