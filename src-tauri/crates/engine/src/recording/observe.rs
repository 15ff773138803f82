//! What a state of the rig is as a sweep of the history: plain values by card and quantity. No I/O and no clock.
//!
//! - A card's values are those of its sample, if that was read in this sweep; what was read before is a moment gone by, and was
//!   recorded then. A card that is silent or stuck has none.
//! - Values that are read once a minute (power limit, fan speed, the duty that somebody set) stand in each sweep until the next read
//!   of them is overdue, while the card answers.
//! - All values of a sweep have its moment, though a card may be read up to a twentieth of an interval later, once a sweep in which
//!   another hangs.
//! - Of several fans the fastest counts: it is what the card needed, and a stopped one beside it is nothing that a chart could tell.
//!
//! A sweep of eight cards is some 140 values, made in 6 µs.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use fanfare_history::{Mark, MarkKind, Quantity, Series, Source, Sweep};
use fanfare_rig::{
    Answer, Card, CardEvent, CardUuid, Condition, Details, EventKind, Reading, Sample, Snapshot,
    ThrottleReasons,
};
use fanfare_units::{Celsius, Duty, Energy, Megahertz, Percent, Rpm, Stamp, Watts};

use crate::occupancy::{Occupancy, Usage};

/// Names that are kept so as not to be made each second; NVML knows 64 cards at a time.
const NAMES_MOST: usize = 256;

/// Makes sweeps, and remembers the names of their series.
#[derive(Debug)]
pub(super) struct Observer {
    every: Duration,
    /// For how long a value stands that is read once a minute.
    stands_for: Duration,
    names: BTreeMap<CardUuid, Arc<str>>,
}

impl Observer {
    /// One for a probe that sweeps and reads slow facts so often.
    pub(super) const fn new(every: Duration, slow_every: Duration) -> Self {
        // A slow read may be late by one, of a card that did not answer.
        let stands_for = slow_every.saturating_mul(2).saturating_add(every);
        Self { every, stands_for, names: BTreeMap::new() }
    }

    /// The sweep of a snapshot, in this session of the driver.
    pub(super) fn sweep(
        &mut self,
        snapshot: &Snapshot,
        occupancy: &BTreeMap<CardUuid, Occupancy>,
        session: u32,
    ) -> Sweep {
        if self.names.len() > NAMES_MOST {
            self.names.clear();
        }
        let mut values = Vec::with_capacity(snapshot.cards.len() * Quantity::ALL.len());
        for card in &snapshot.cards {
            let subject = self.name(&card.uuid);
            let mut put = |quantity, value: Option<i64>| {
                if value.is_some() {
                    values.push((Series { subject: Arc::clone(&subject), quantity }, value));
                }
            };
            if let Some(sample) = sample_of(card, &snapshot.at) {
                put_sample(sample, &mut put);
                let details = card.details.as_ref().filter(|details| self.stands(details, &snapshot.at));
                if let (Some(details), Condition::Answering) = (details, card.condition()) {
                    put_details(details, &mut put);
                }
            }
            put(Quantity::Tenancy, occupancy.get(&card.uuid).and_then(|occupancy| tenancy(&occupancy.usage)));
        }
        Sweep {
            at: snapshot.at,
            source: Source { session, every: self.every },
            values,
            marks: snapshot.events.iter().filter_map(|event| self.mark(event)).collect(),
        }
    }

    fn mark(&mut self, event: &CardEvent) -> Option<Mark> {
        let code = match event.kind {
            EventKind::Xid(code) => code,
            EventKind::Other(_) => return None,
        };
        let subject = event.uuid.as_ref().map(|uuid| self.name(uuid));
        Some(Mark { at: event.at, subject, kind: MarkKind::Xid, code })
    }

    fn stands(&self, details: &Details, now: &Stamp) -> bool {
        now.since(&details.at).is_some_and(|age| age <= self.stands_for)
    }

    fn name(&mut self, uuid: &CardUuid) -> Arc<str> {
        match self.names.get(uuid) {
            Some(name) => Arc::clone(name),
            None => {
                let name: Arc<str> = uuid.as_str().into();
                self.names.insert(uuid.clone(), Arc::clone(&name));
                name
            }
        }
    }
}

/// A card's sample, if it was read in the sweep that began at `sweep`.
fn sample_of<'a>(card: &'a Card, sweep: &Stamp) -> Option<&'a Sample> {
    match &card.answer {
        Answer::Sample(sample) if sample.at.boot == sweep.boot && sample.at.boottime >= sweep.boottime => {
            Some(sample)
        }
        Answer::Sample(_) | Answer::Silent { .. } => None,
    }
}

fn put_sample(sample: &Sample, put: &mut impl FnMut(Quantity, Option<i64>)) {
    let power = |watts: &Watts| i64::from(watts.milliwatts());
    let clock = |clock: &Megahertz| i64::from(clock.0);
    let percent = |percent: Percent| i64::from(percent.0);
    put(Quantity::Temperature, read(&sample.temperature, |Celsius(degrees)| i64::from(*degrees)));
    put(Quantity::Power, read(&sample.power, power));
    put(Quantity::Energy, read_large(&sample.energy, Energy::millijoules));
    put(Quantity::Utilisation, read(&sample.utilisation, |busy| percent(busy.gpu)));
    put(Quantity::MemoryUtilisation, read(&sample.utilisation, |busy| percent(busy.memory)));
    put(Quantity::MemoryUsed, read_large(&sample.memory, |memory| memory.used.0));
    put(Quantity::GraphicsClock, read(&sample.clock_graphics, clock));
    put(Quantity::MemoryClock, read(&sample.clock_memory, clock));
    put(Quantity::FanReported, greatest(sample.fans.value(), |fan| read(fan, |Duty(duty)| i64::from(*duty))));
    put(Quantity::Throttle, read_large(&sample.throttle, |ThrottleReasons(bits)| bits));
    put(Quantity::PerformanceState, read(&sample.pstate, |state| i64::from(*state)));
    put(Quantity::LinkGeneration, read(&sample.link.generation, |generation| i64::from(*generation)));
    put(Quantity::LinkWidth, read(&sample.link.width, |width| i64::from(*width)));
    put(Quantity::PcieReplays, read_large(&sample.pcie_replays, |count| count));
}

fn put_details(details: &Details, put: &mut impl FnMut(Quantity, Option<i64>)) {
    let fans = details.fans.value();
    let limit = read(&details.power.enforced, |watts| i64::from(watts.milliwatts()));
    put(Quantity::PowerLimit, limit);
    put(Quantity::FanSpeed, greatest(fans, |fan| read(&fan.speed, |Rpm(rpm)| i64::from(*rpm))));
    // What the driver's own curve wants nobody asked for.
    let asked = greatest(fans, |fan| match fan.manual {
        Reading::Measured(true) => read(&fan.target, |Duty(duty)| i64::from(*duty)),
        Reading::Measured(false) | Reading::Missing { .. } => None,
    });
    put(Quantity::FanAsked, asked);
}

/// Who has a card, as [`Quantity::Tenancy`] has it.
const fn tenancy(usage: &Usage) -> Option<i64> {
    match usage {
        Usage::Unknown => None,
        Usage::Idle => Some(1),
        Usage::Rented { .. } => Some(2),
        Usage::OwnJob => Some(4),
        Usage::Busy => Some(8),
    }
}

fn read<T>(reading: &Reading<T>, value: impl Fn(&T) -> i64) -> Option<i64> {
    reading.value().map(value)
}

/// A number that may be too large to be kept is then none; the history would refuse it anyway.
fn read_large<T: Copy>(reading: &Reading<T>, value: impl Fn(T) -> u64) -> Option<i64> {
    reading.value().and_then(|read| i64::try_from(value(*read)).ok())
}

fn greatest<T>(fans: Option<&Vec<T>>, value: impl Fn(&T) -> Option<i64>) -> Option<i64> {
    fans.into_iter().flatten().filter_map(value).max()
}

#[cfg(test)]
mod tests {
    use fanfare_rig::{FanDetails, NvmlCode, Reason};

    use super::*;
    use crate::{
        fixtures::{self, answering, details, failing, silent, snapshot, stamp, uuid},
        occupancy,
    };

    const SECOND: Duration = Duration::from_secs(1);
    const MINUTE: Duration = Duration::from_secs(60);

    fn observer() -> Observer {
        Observer::new(SECOND, MINUTE)
    }

    /// The values of the card on bus 1.
    fn values(sweep: &Sweep) -> Vec<(Quantity, i64)> {
        let of_card = |series: &Series| &*series.subject == uuid(1).as_str();
        sweep
            .values
            .iter()
            .filter(|(series, _)| of_card(series))
            .filter_map(|(series, value)| Some((series.quantity, (*value)?)))
            .collect()
    }

    #[test]
    fn each_reading_is_the_value_of_its_quantity() {
        let mut card = fixtures::card(1, answering(60_100));
        let fan = |manual, target, rpm| FanDetails {
            manual: Reading::Measured(manual),
            target: Reading::Measured(Duty(target)),
            speed: Reading::Measured(Rpm(rpm)),
        };
        let slow = Details {
            fans: Reading::Measured(vec![fan(false, 90, 2_400), fan(true, 55, 1_900)]),
            ..details(1, stamp(30_000))
        };
        card.details = Some(slow);
        let rented = Usage::Rented { platform: "Vast.ai".into() };
        let occupancy = Occupancy { usage: rented, source: occupancy::Source::Platform };
        let sweep =
            observer().sweep(&snapshot(60_000, vec![card]), &BTreeMap::from([(uuid(1), occupancy)]), 7);
        assert_eq!((sweep.at, sweep.source), (stamp(60_000), Source { session: 7, every: SECOND }));
        assert_eq!(
            values(&sweep),
            [
                (Quantity::Temperature, 64),
                (Quantity::Power, 101_000),
                (Quantity::Energy, 7_200_000),
                (Quantity::Utilisation, 97),
                (Quantity::MemoryUtilisation, 55),
                (Quantity::MemoryUsed, 5_000),
                (Quantity::GraphicsClock, 2_505),
                (Quantity::MemoryClock, 8_501),
                // The other fan's duty is missing.
                (Quantity::FanReported, 61),
                // 0x4 and bit 40.
                (Quantity::Throttle, 1_099_511_627_780),
                (Quantity::PerformanceState, 2),
                (Quantity::LinkGeneration, 4),
                (Quantity::LinkWidth, 8),
                (Quantity::PcieReplays, 3),
                (Quantity::PowerLimit, 110_000),
                (Quantity::FanSpeed, 2_400),
                // Only the second fan was set by somebody.
                (Quantity::FanAsked, 55),
                (Quantity::Tenancy, 2),
            ]
        );
    }

    #[test]
    fn a_card_that_does_not_answer_in_this_sweep_has_no_values_but_a_tenant() {
        let rented = Occupancy {
            usage: Usage::Rented { platform: "Vast.ai".into() },
            source: occupancy::Source::Platform,
        };
        let occupancy = BTreeMap::from([(uuid(1), rented)]);
        let tenant = [(Quantity::Tenancy, 2)];
        // A lost card answers with errors alone; the last was read before this sweep began, and recorded in its own.
        for answer in [silent(1_000), failing(60_100, NvmlCode::GPU_IS_LOST), answering(59_999)] {
            // What was read of it a moment ago stands no more.
            let card = Card { details: Some(details(1, stamp(59_000))), ..fixtures::card(1, answer) };
            let sweep = observer().sweep(&snapshot(60_000, vec![card.clone()]), &occupancy, 1);
            assert_eq!(values(&sweep), tenant, "{card:?}");
        }
    }

    #[test]
    fn what_is_read_once_a_minute_stands_until_two_reads_were_missed() {
        let limit = |now| {
            let card =
                Card { details: Some(details(1, stamp(10_000))), ..fixtures::card(1, answering(now + 1)) };
            let sweep = observer().sweep(&snapshot(now, vec![card]), &BTreeMap::new(), 1);
            values(&sweep).into_iter().find(|(quantity, _)| *quantity == Quantity::PowerLimit)
        };
        // Two minutes and a second after it was read.
        assert_eq!(limit(131_000), Some((Quantity::PowerLimit, 110_000)));
        assert_eq!(limit(131_001), None);
    }

    #[test]
    fn who_has_a_card_is_one_of_four_bits_or_not_known() {
        for (usage, bits) in [
            (Usage::Unknown, None),
            (Usage::Idle, Some(1)),
            (Usage::Rented { platform: "Vast.ai".into() }, Some(2)),
            (Usage::OwnJob, Some(4)),
            (Usage::Busy, Some(8)),
        ] {
            assert_eq!(tenancy(&usage), bits, "{usage:?}");
        }
    }

    #[test]
    fn fans_that_tell_nothing_have_no_duty_and_a_card_without_fans_has_none() {
        let error = Reason::Error { code: NvmlCode(999) };
        let duty =
            |fans: Vec<Reading<Duty>>| greatest(Some(&fans), |fan| read(fan, |Duty(duty)| i64::from(*duty)));
        assert_eq!(duty(vec![Reading::missing(error), Reading::Measured(Duty(0))]), Some(0));
        assert_eq!(duty(vec![Reading::missing(error)]), None);
        assert_eq!(duty(vec![]), None);
    }

    #[test]
    fn an_xid_is_a_mark_of_its_card_or_of_nobody_and_other_events_are_none() {
        let event = |uuid, kind| CardEvent { at: stamp(59_500), uuid, kind };
        let mut snapshot = snapshot(60_000, vec![]);
        snapshot.events = vec![
            event(Some(uuid(1)), EventKind::Xid(79)),
            event(Some(uuid(1)), EventKind::Other(0x10)),
            event(None, EventKind::Xid(43)),
        ];
        let marks = observer().sweep(&snapshot, &BTreeMap::new(), 1).marks;
        let mark = |subject, code| Mark { at: stamp(59_500), subject, kind: MarkKind::Xid, code };
        assert_eq!(marks, [mark(Some(uuid(1).as_str().into()), 79), mark(None, 43)]);
    }
}
