//! From an entry to the effect that it plans.

use crate::effects::Effect;
use crate::scenario::entry::Entry;
use crate::scenario::{Located, Planned, Problem};

/// Every verb and the keys it takes besides `time` and `do`.
pub(crate) const KEYS: &[(&str, &[&str])] = &[
    ("load", &["card", "percent", "for"]),
    ("temp", &["card", "celsius", "for"]),
    ("ambient", &["celsius", "for"]),
    ("lose", &["card", "for"]),
    ("find", &["card"]),
    ("remove", &["card"]),
    ("add", &[]),
    ("swap", &["card"]),
    ("order", &["slots", "for"]),
    ("xid", &["card", "code"]),
    ("hang", &["card", "symbol", "for"]),
    ("release", &["card"]),
    ("error", &["code", "card", "symbol", "for"]),
    ("mismatch", &["on", "for"]),
    ("reload", &[]),
    ("block-fan", &["card", "on", "for"]),
    ("no-power", &["card", "on", "for"]),
    ("link", &["card", "generation", "width", "for"]),
    ("call-cost", &["us", "for"]),
    ("writes", &["who", "for"]),
];

/// What `entry` plans, on a rig that has or will have `cards` slots.
pub(crate) fn planned(entry: &Entry<'_>, cards: usize) -> Result<Planned, Located> {
    let verb = entry.text("do")?;
    check_keys(entry, verb)?;
    let at = entry.duration("time")?.ok_or_else(|| entry.missing("time"))?;
    let span = entry.duration("for")?;
    let effect = if KEYS.iter().any(|(name, keys)| *name == verb && keys.contains(&"card")) {
        card_effect(entry, verb, cards)?
    } else {
        rig_effect(entry, verb, cards)?
    };
    // A trial, so that a value out of range is told with its line.
    effect.edit(0, None, 0, Some(0)).map_err(|error| {
        let key =
            ["percent", "celsius", "code", "us", "slots", "width"].into_iter().find(|key| entry.has(key));
        (entry.place(key.unwrap_or("do")), Problem::Value(error.to_string()))
    })?;
    Ok(Planned { at, effect, span })
}

fn check_keys(entry: &Entry<'_>, verb: &str) -> Result<(), Located> {
    let Some((_, keys)) = KEYS.iter().find(|(name, _)| *name == verb) else {
        let known = KEYS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        return Err((entry.place("do"), Problem::UnknownVerb { verb: verb.to_owned(), known }));
    };
    match entry.keys().find(|(key, _)| !["time", "do"].contains(key) && !keys.contains(key)) {
        Some((key, span)) => {
            Err((span, Problem::UnknownKey { key: key.to_owned(), verb: Some(verb.to_owned()) }))
        }
        None => Ok(()),
    }
}

/// A number below 0 becomes one that the effect refuses with its range.
fn natural(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn card_effect(entry: &Entry<'_>, verb: &str, cards: usize) -> Result<Effect, Located> {
    let card = || entry.card(cards);
    Ok(match verb {
        "load" => {
            Effect::Load { card: card()?, percent: entry.number_or("percent", "schedule")?.map(natural) }
        }
        "temp" => Effect::Temperature { card: card()?, celsius: entry.number_or("celsius", "free")? },
        "lose" => Effect::Lose { card: card()? },
        "find" => Effect::Find { card: card()? },
        "remove" => Effect::Remove { card: card()? },
        "swap" => Effect::Swap { card: card()? },
        "xid" => Effect::Xid { card: card()?, code: natural(entry.number("code")?) },
        "hang" => Effect::Hang { target: entry.target(cards)?, symbol: entry.symbol()? },
        "release" => Effect::Release { target: entry.target(cards)? },
        "block-fan" => Effect::BlockFan { card: card()?, on: entry.switch("on")? },
        "link" => {
            let most = (natural(entry.number("generation")?), natural(entry.number("width")?));
            Effect::Link { card: card()?, most: Some(most) }
        }
        "no-power" => Effect::NoPower { card: card()?, on: entry.switch("on")? },
        _ => error_effect(entry, cards)?,
    })
}

fn error_effect(entry: &Entry<'_>, cards: usize) -> Result<Effect, Located> {
    let (card, symbol) = (entry.card_if_any(cards)?, entry.symbol()?);
    Ok(match entry.number_or("code", "none")? {
        Some(code) => Effect::Error { code: natural(code), card, symbol },
        None => Effect::ClearErrors { card, symbol },
    })
}

fn rig_effect(entry: &Entry<'_>, verb: &str, cards: usize) -> Result<Effect, Located> {
    Ok(match verb {
        "ambient" => Effect::Ambient { celsius: entry.number("celsius")? },
        "add" => Effect::Add,
        "order" => Effect::Order { slots: entry.slots(cards)? },
        "mismatch" => Effect::Mismatch { on: entry.switch("on")? },
        "call-cost" => Effect::CallCost { micros: natural(entry.number("us")?) },
        "writes" => match entry.text("who")? {
            "anyone" => Effect::Writes { anyone: true },
            "privileged" => Effect::Writes { anyone: false },
            other => {
                let (key, wanted) = ("who".to_owned(), "`anyone` or `privileged`");
                return Err((entry.place("who"), Problem::Wrong { key, wanted, found: other.to_owned() }));
            }
        },
        _ => Effect::Reload,
    })
}
