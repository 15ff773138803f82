//! What holds at an instant: a pure fold over the table of effects.
//!
//! The result carries the span in which it stays true, so a reader folds only when an effect begins or ends
//! (at most 1024 records, some microseconds) and otherwise compares two numbers.

use crate::effects::Target;
use crate::layout::{Config, EffectRecord, MAX_CARDS, NONE};
use crate::quantise::small;
use crate::records::{Kind, holds};
use crate::symbols::Symbol;

/// Room temperature unless told otherwise, in degrees Celsius.
pub const AMBIENT_C: f64 = 25.0;

/// What holds for one slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CardConditions {
    /// Number of the board in the slot; `None` if it is empty.
    pub board: Option<u32>,
    /// Fallen off the bus.
    pub lost: bool,
    /// Utilisation held at this many percent.
    pub load: Option<u32>,
    /// Core temperature pinned, in degrees Celsius.
    pub pin: Option<i32>,
    /// Blades do not turn.
    pub fan_blocked: bool,
    /// No power telemetry.
    pub no_power: bool,
    /// The link does no more than this generation and width.
    pub link: Option<(u32, u32)>,
    /// NVML recovery action: 0 none, 1 reset, 2 reboot.
    pub recovery: u32,
}

/// Calls that do not return, or return an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Whose calls.
    pub target: Target,
    /// Only this one.
    pub symbol: Option<Symbol>,
    /// Code to return; 0 in the rule of a hang.
    pub code: u32,
}

/// What holds for the rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// First instant at which this holds.
    pub from: u64,
    /// First instant at which it may no longer hold.
    pub until: u64,
    /// Room temperature in degrees Celsius.
    pub ambient_c: f64,
    /// CPU time per call in microseconds.
    pub call_cost_us: u32,
    /// Anyone may write.
    pub writes_anyone: bool,
    /// Library and kernel module differ.
    pub mismatch: bool,
    /// Newest driver reload: instant and sequence number.
    pub reload: (u64, u64),
    /// By slot.
    pub cards: [CardConditions; MAX_CARDS],
    /// Slots with a card, in the order of enumeration.
    pub enumeration: Vec<usize>,
    /// Calls that do not return.
    pub hangs: Vec<Rule>,
    /// Calls that return an error, newest first.
    pub errors: Vec<Rule>,
}

/// NVML's recovery action after an Xid: 2 (reboot) when the card is off the bus, 1 (reset) when its controller
/// or firmware has stopped, 0 for the rest.
#[must_use]
pub fn recovery_of(xid: i64) -> u32 {
    match xid {
        79 => 2,
        62 | 119 | 120 => 1,
        _ => 0,
    }
}

impl Rule {
    fn of(record: &EffectRecord) -> Self {
        let target = match record.card {
            NONE => Target::All,
            card => Target::Card(card as usize),
        };
        Self {
            target,
            symbol: Symbol::from_number(record.symbol),
            code: u32::try_from(record.value).unwrap_or(999),
        }
    }

    /// Whether a call of `symbol` about `card` falls under the rule. A rule that names no symbol leaves alone
    /// what only opens or closes the library; a hang that names none also leaves alone what is about no card.
    #[must_use]
    pub fn covers(&self, symbol: Symbol, card: Option<usize>) -> bool {
        let card_fits = match self.target {
            Target::All => true,
            Target::Card(wanted) => card == Some(wanted),
        };
        card_fits
            && match self.symbol {
                Some(wanted) => wanted == symbol,
                None if self.code == 0 => card.is_some() && symbol.field_id().is_none(),
                None => !symbol.is_lifecycle() && symbol.field_id().is_none(),
            }
    }
}

impl Conditions {
    /// What holds at `at`.
    #[must_use]
    pub fn at(effects: &[EffectRecord], config: &Config, at: u64) -> Self {
        let mut now = Self::initial(config, effects, at);
        let mut reached: Vec<&EffectRecord> = effects.iter().filter(|effect| effect.from <= at).collect();
        // Later ones overrule earlier ones.
        reached.sort_by_key(|effect| (effect.from, effect.seq));
        let mut order = None;
        for effect in reached {
            now.put(effect, at, &mut order);
        }
        now.errors.reverse();
        now.enumeration = enumeration(&now.cards, order);
        now
    }

    fn initial(config: &Config, effects: &[EffectRecord], at: u64) -> Self {
        let mut cards = [CardConditions {
            board: None,
            lost: false,
            load: None,
            pin: None,
            fan_blocked: false,
            no_power: false,
            link: None,
            recovery: 0,
        }; MAX_CARDS];
        for (slot, card) in cards.iter_mut().enumerate() {
            card.board = Some(small(slot)).filter(|board| *board < config.cards);
            card.no_power = config.no_power >> slot & 1 == 1;
        }
        let (mut from, mut until) = (0, u64::MAX);
        for border in effects.iter().flat_map(|effect| [effect.from, effect.until]) {
            if border <= at {
                from = from.max(border);
            } else {
                until = until.min(border);
            }
        }
        Self {
            from,
            until,
            ambient_c: AMBIENT_C,
            call_cost_us: config.call_cost_us,
            writes_anyone: config.writes_anyone == 1,
            mismatch: false,
            reload: (0, 0),
            cards,
            enumeration: Vec::new(),
            hangs: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn put<'a>(&mut self, effect: &'a EffectRecord, at: u64, order: &mut Option<&'a EffectRecord>) {
        let Some(kind) = Kind::of(effect) else { return };
        match kind {
            Kind::Reload => {
                // A reload also brings a card back into a known state: nothing is left to recover.
                self.reload = (effect.from, effect.seq);
                self.cards.iter_mut().for_each(|card| card.recovery = 0);
            }
            Kind::Xid => self.put_card(kind, effect),
            _ if !holds(effect, at) => {}
            Kind::Ambient => self.ambient_c = float(effect.value),
            Kind::CallCost => self.call_cost_us = u32::try_from(effect.value).unwrap_or(0),
            Kind::Writes => self.writes_anyone = effect.value == 1,
            Kind::Mismatch => self.mismatch = true,
            Kind::Hang => self.hangs.push(Rule { code: 0, ..Rule::of(effect) }),
            Kind::Error => self.errors.push(Rule::of(effect)),
            Kind::Order => *order = Some(effect),
            _ => self.put_card(kind, effect),
        }
    }

    fn put_card(&mut self, kind: Kind, effect: &EffectRecord) {
        let Some(card) = self.cards.get_mut(effect.card as usize) else { return };
        match kind {
            Kind::Load => card.load = u32::try_from(effect.value).ok(),
            Kind::Pin => card.pin = i32::try_from(effect.value).ok(),
            Kind::Lost => (card.lost, card.recovery) = (true, card.recovery.max(2)),
            Kind::FanBlocked => card.fan_blocked = true,
            Kind::NoPower => card.no_power = effect.value == 1,
            Kind::Link => {
                let link = u32::try_from(effect.value).unwrap_or(u32::MAX);
                card.link = Some((link % 256, link / 256));
            }
            Kind::Xid => card.recovery = card.recovery.max(recovery_of(effect.value)),
            Kind::Seat => {
                // Another board in the slot is well, whatever befell the one before.
                *card = CardConditions {
                    board: u32::try_from(effect.value).ok(),
                    lost: false,
                    recovery: 0,
                    ..*card
                };
            }
            _ => {}
        }
    }

    /// What holds for `slot`, if it is one.
    #[must_use]
    pub fn card(&self, slot: usize) -> Option<&CardConditions> {
        self.cards.get(slot)
    }

    /// The lowest slot without a card.
    #[must_use]
    pub fn empty_slot(&self) -> Option<usize> {
        self.cards.iter().position(|card| card.board.is_none())
    }

    /// Whether a call hangs.
    #[must_use]
    pub fn hangs(&self, symbol: Symbol, card: Option<usize>) -> bool {
        self.hangs.iter().any(|rule| rule.covers(symbol, card))
    }

    /// The error that was injected for a call, if any.
    #[must_use]
    pub fn error(&self, symbol: Symbol, card: Option<usize>) -> Option<u32> {
        self.errors.iter().find(|rule| rule.covers(symbol, card)).map(|rule| rule.code)
    }

    /// Whether this still holds at `at`.
    #[must_use]
    pub fn holds_at(&self, at: u64) -> bool {
        self.from <= at && at < self.until
    }
}

fn float(value: i64) -> f64 {
    i32::try_from(value).map_or(AMBIENT_C, f64::from)
}

/// Slots with a card: those that the order names first, the others after them.
fn enumeration(cards: &[CardConditions; MAX_CARDS], order: Option<&EffectRecord>) -> Vec<usize> {
    let named = order.map(|order| order.list.as_slice()).unwrap_or_default();
    let named: Vec<usize> = named.iter().map(|slot| usize::from(*slot)).filter(|s| *s < MAX_CARDS).collect();
    let rest = (0..MAX_CARDS).filter(|slot| !named.contains(slot));
    let seated = |slot: &usize| cards.get(*slot).is_some_and(|card| card.board.is_some());
    named.iter().copied().chain(rest).filter(seated).collect()
}
