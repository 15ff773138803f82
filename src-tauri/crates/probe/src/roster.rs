//! The list of cards: starts the driver, then asks once a minute which cards there are.
//!
//! It has a thread of its own because both can hang on one bad card, and the cards already known must go on. Cards are named by
//! UUID; an index is used once, to get a handle, and forgotten. A list that fails costs no card that was met before.

use std::{collections::BTreeSet, sync::mpsc::Sender, thread};

use fanfare_rig::{CardUuid, Driver, NvmlCode, Unreachable, clock::Clock};
use nvml_wrapper::{Device, Nvml};

use crate::{
    args::Args,
    cards::CardReader,
    codes,
    events::{self, Watch, Watched},
    library,
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
    pub(crate) report: Sender<Message>,
}

/// The coordinator is gone; there is nobody to work for.
struct Unheard;

impl Roster {
    /// Starts the driver and lists the cards until nobody listens, or until the driver cannot be read at all.
    pub(crate) fn run(self) {
        // Both ends are the end of this thread; the process's end is the coordinator's business.
        let Err(Unheard) = self.serve();
    }

    fn serve(&self) -> Result<std::convert::Infallible, Unheard> {
        self.say(Message::RosterBegun(self.clock.stamp()))?;
        let nvml = match library::load(&self.args.library())
            .and_then(|nvml| library::indispensable(nvml).map(|()| nvml))
        {
            Ok(nvml) => nvml,
            Err(trouble) => {
                self.say(Message::Trouble(trouble))?;
                return Err(Unheard);
            }
        };
        self.say(Message::Driver(self.driver(nvml)))?;
        let watch = events::start(nvml, self.clock, self.report.clone());
        let mut met = BTreeSet::new();
        loop {
            let message = match nvml.device_count() {
                Ok(count) => Message::RosterRead { unreachable: self.list(nvml, count, &mut met, &watch)? },
                Err(error) => Message::RosterFailed(codes::code(error)),
            };
            self.say(message)?;
            thread::sleep(self.args.roster_interval());
            self.say(Message::RosterBegun(self.clock.stamp()))?;
        }
    }

    /// Asks for every card, hands on each that was never met, and returns those the driver will not hand out.
    fn list(
        &self,
        nvml: &'static Nvml,
        count: u32,
        met: &mut BTreeSet<CardUuid>,
        watch: &Watch,
    ) -> Result<Vec<Unreachable>, Unheard> {
        let (mut unreachable, mut new) = (Vec::new(), Vec::new());
        for index in 0..count.min(CARDS_MOST) {
            match card(nvml, index) {
                Err(code) => unreachable.push(Unreachable { index, code }),
                Ok((uuid, device)) => {
                    if met.insert(uuid.clone()) {
                        new.push(Watched { uuid: uuid.clone(), handle: raw::handle_number(&device) });
                        self.say(Message::Card(Box::new(CardReader::new(nvml, device, uuid, self.clock))))?;
                    }
                }
            }
        }
        if !new.is_empty() {
            watch.cards(new);
        }
        Ok(unreachable)
    }

    fn driver(&self, nvml: &Nvml) -> Driver {
        let cuda = codes::reading(nvml.sys_cuda_driver_version());
        Driver {
            version: codes::reading(nvml.sys_driver_version()),
            library: codes::reading(nvml.sys_nvml_version()),
            // 13020 is CUDA 13.2.
            cuda: cuda.map(|number| format!("{}.{}", number / 1_000, number % 1_000 / 10)),
            simulated: raw::is_simulated(&self.args.library()),
        }
    }

    fn say(&self, message: Message) -> Result<(), Unheard> {
        self.report.send(message).map_err(|_| Unheard)
    }
}

/// A card's name and handle, or why it has none.
fn card(nvml: &'static Nvml, index: u32) -> Result<(CardUuid, Device<'static>), NvmlCode> {
    let device = nvml.device_by_index(index).map_err(codes::code)?;
    let uuid = device.uuid().map_err(codes::code)?;
    // A name of another shape (a MIG instance's, say) is no card's.
    let uuid = uuid.parse().map_err(|_| NvmlCode::NOT_SUPPORTED)?;
    Ok((uuid, device))
}
