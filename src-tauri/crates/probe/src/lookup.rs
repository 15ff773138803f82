//! Looking cards up by their place in the list, so that one whose look-up hangs hides none behind it.
//!
//! A thread takes the places in turn. If one takes longer than the patience, another thread goes on behind it, and the place
//! counts as stuck until its look-up returns. So a list takes at most one patience for each place that hangs, and each costs a
//! thread; there are 64 places at most.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use fanfare_rig::{CardUuid, NvmlCode, clock::Clock};
use fanfare_units::Stamp;
use nvml_wrapper::{Device, Nvml};

use crate::codes;

/// A card that was found: its name and handle; or why there is none.
pub(crate) type Found = Result<(CardUuid, Device<'static>), NvmlCode>;

/// What a look-up says.
enum Word {
    Begun(u32, Stamp),
    Done(u32, Found),
}

/// What a listing came to.
#[derive(Debug)]
pub(crate) struct Listing {
    /// Places whose look-up returned.
    pub(crate) found: Vec<(u32, Found)>,
    /// Places whose look-up has not, with the moment it began.
    pub(crate) stuck: Vec<(u32, Stamp)>,
}

/// Looks cards up; remembers which look-ups are still out.
pub(crate) struct Lookups {
    nvml: &'static Nvml,
    clock: Clock,
    say: Sender<Word>,
    words: Receiver<Word>,
    out: BTreeMap<u32, Stamp>,
}

impl Lookups {
    pub(crate) fn new(nvml: &'static Nvml, clock: Clock) -> Self {
        let (say, words) = mpsc::channel();
        Self { nvml, clock, say, words, out: BTreeMap::new() }
    }

    /// Looks up the first `count` places, but for those that still are.
    ///
    /// # Errors
    /// No thread could be started.
    pub(crate) fn list(&mut self, count: u32, patience: Duration) -> io::Result<Listing> {
        let mut found = Vec::new();
        while let Ok(word) = self.words.try_recv() {
            self.hear(word, &mut found);
        }
        let late = found.iter().map(|(place, _)| *place).collect::<BTreeSet<u32>>();
        let places: VecDeque<u32> =
            (0..count).filter(|place| !self.out.contains_key(place) && !late.contains(place)).collect();
        let mut awaited: BTreeSet<u32> = places.iter().copied().collect();
        let queue = Arc::new(Mutex::new(places));
        self.start(&queue)?;
        // Ends: each round hears one of a bounded number of words, or leaves one more place behind as stuck.
        while !awaited.is_empty() {
            match self.words.recv_timeout(patience) {
                Ok(word) => {
                    self.hear(word, &mut found);
                    awaited.retain(|place| found.iter().all(|(done, _)| done != place));
                }
                Err(_) if lock(&queue).is_empty() => break,
                Err(_) => self.start(&queue)?,
            }
        }
        let stuck = self.out.iter().map(|(place, since)| (*place, *since)).collect();
        Ok(Listing { found, stuck })
    }

    /// Waits for a look-up that is still out to return, `limit` at most.
    pub(crate) fn wait(&mut self, limit: Duration) {
        if let Ok(word) = self.words.recv_timeout(limit) {
            // It goes to the front of the next listing.
            let _ = self.say.send(word);
        }
    }

    fn hear(&mut self, word: Word, found: &mut Vec<(u32, Found)>) {
        match word {
            Word::Begun(place, since) => drop(self.out.insert(place, since)),
            Word::Done(place, card) => {
                self.out.remove(&place);
                found.push((place, card));
            }
        }
    }

    fn start(&self, queue: &Arc<Mutex<VecDeque<u32>>>) -> io::Result<()> {
        let (nvml, clock, say, queue) = (self.nvml, self.clock, self.say.clone(), Arc::clone(queue));
        let look = move || {
            while let Some(place) = next(&queue) {
                let told = say
                    .send(Word::Begun(place, clock.stamp()))
                    .and_then(|()| say.send(Word::Done(place, find(nvml, place))));
                if told.is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("look-up".into()).spawn(look).map(drop)
    }
}

/// A card's name and handle, or why it has none.
fn find(nvml: &'static Nvml, place: u32) -> Found {
    let device = nvml.device_by_index(place).map_err(codes::code)?;
    let uuid = device.uuid().map_err(codes::code)?;
    // A name of another shape (a MIG instance's, say) is no card's.
    let uuid = uuid.parse().map_err(|_| NvmlCode::NOT_SUPPORTED)?;
    Ok((uuid, device))
}

/// The lock is not held while a card is looked up.
fn next(queue: &Mutex<VecDeque<u32>>) -> Option<u32> {
    lock(queue).pop_front()
}

fn lock(queue: &Mutex<VecDeque<u32>>) -> std::sync::MutexGuard<'_, VecDeque<u32>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
