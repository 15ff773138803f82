//! The probe's own reading of every card, as a library: typed readings, costs noted, nothing sent.

use std::time::Duration;

use fanfare_probe::{Ask, CardReader, load};
use fanfare_rig::clock::Clock;

use crate::{cpu, failure::Failure, programs};

/// Every card of the rig that `FANFARE_SIM_STATE` names.
#[derive(Debug)]
pub(crate) struct Reading {
    #[allow(clippy::vec_box, reason = "a card is handed on in its box, and comes back in it")]
    cards: Vec<Box<CardReader>>,
    sweep: u64,
}

impl Reading {
    /// Loads the simulated driver into this process and reads each card once, slow facts too.
    pub(crate) fn load() -> Result<Self, Failure> {
        let nvml = load(programs::built("libfanfare_sim_nvml.so")?.as_os_str()).map_err(Failure::Trouble)?;
        let clock = Clock::of_this_boot()?;
        let mut cards = Vec::new();
        for index in 0..nvml.device_count()? {
            let device = nvml.device_by_index(index)?;
            let uuid = device.uuid()?;
            let card = CardReader::new(nvml, device, uuid.parse().map_err(|_| Failure::Peer(uuid))?, clock);
            cards.push(Box::new(card).answer(Ask { sweep: 0, slow: true }).card);
        }
        Ok(Self { cards, sweep: 0 })
    }

    /// CPU time a sweep, over `sweeps` of them.
    pub(crate) fn cpu_per_sweep(&mut self, sweeps: u32) -> Result<Duration, Failure> {
        let before = cpu::of_this_process();
        for _ in 0..sweeps {
            self.sweep += 1;
            let ask = Ask { sweep: self.sweep, slow: false };
            for card in std::mem::take(&mut self.cards) {
                let report = std::hint::black_box(card.answer(ask));
                self.cards.push(report.card);
            }
        }
        Ok((cpu::of_this_process() - before) / sweeps.max(1))
    }
}
