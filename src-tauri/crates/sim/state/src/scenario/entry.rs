//! One `[[at]]` table: its values by key, each with its place in the text.

use std::ops::Range;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use crate::effects::Target;
use crate::scenario::{Located, Problem};
use crate::symbols::Symbol;

/// A span of time: a number and one of us, ms, s, m, h, d, as `500ms` or `1.5h`; not more than 1000 days.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.')?);
    let seconds = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    let span = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
    (span <= Duration::from_secs(1000 * 86_400)).then_some(span)
}

/// One entry of a scenario.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    table: &'a DeTable<'a>,
    span: Range<usize>,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(value: &'a DeValue<'a>, span: Range<usize>) -> Result<Self, Located> {
        match value {
            DeValue::Table(table) => Ok(Self { table, span }),
            other => Err((span, wrong("at", "a table", other))),
        }
    }

    fn find(&self, key: &str) -> Option<(&'a DeValue<'a>, Range<usize>)> {
        let (_, value) = self.table.iter().find(|(name, _)| name.get_ref() == key)?;
        Some((value.get_ref(), value.span()))
    }

    /// The keys of the entry with their places.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'a str, Range<usize>)> {
        self.table.keys().map(|key| (key.get_ref().as_ref(), key.span()))
    }

    /// The verb, if there is one and it is a text.
    pub(crate) fn verb(&self) -> Option<&'a str> {
        self.find("do").and_then(|(value, _)| value.as_str())
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Where a value stands, or else the entry.
    pub(crate) fn place(&self, key: &str) -> Range<usize> {
        self.find(key).map_or_else(|| self.span.clone(), |(_, span)| span)
    }

    pub(crate) fn missing(&self, key: &'static str) -> Located {
        (self.span.clone(), Problem::Missing { key })
    }

    fn required(&self, key: &'static str) -> Result<(&'a DeValue<'a>, Range<usize>), Located> {
        self.find(key).ok_or_else(|| self.missing(key))
    }

    pub(crate) fn text(&self, key: &'static str) -> Result<&'a str, Located> {
        let (value, span) = self.required(key)?;
        value.as_str().ok_or_else(|| (span, wrong(key, "a text", value)))
    }

    pub(crate) fn duration(&self, key: &'static str) -> Result<Option<Duration>, Located> {
        let Some((value, span)) = self.find(key) else { return Ok(None) };
        let parsed = value.as_str().and_then(parse_duration);
        let wanted = "a span of time such as \"500ms\", \"10s\", \"2m\" or \"3h\"";
        parsed.map(Some).ok_or_else(|| (span, wrong(key, wanted, value)))
    }

    pub(crate) fn number(&self, key: &'static str) -> Result<i32, Located> {
        let (value, span) = self.required(key)?;
        integer(value).ok_or_else(|| (span, wrong(key, "a whole number", value)))
    }

    /// A number, or `word` for none.
    pub(crate) fn number_or(&self, key: &'static str, word: &str) -> Result<Option<i32>, Located> {
        match self.required(key)? {
            (DeValue::String(text), _) if text == word => Ok(None),
            (value, span) => match integer(value) {
                Some(number) => Ok(Some(number)),
                None => Err((span, wrong(key, "a whole number, or the word that ends the effect", value))),
            },
        }
    }

    pub(crate) fn switch(&self, key: &'static str) -> Result<bool, Located> {
        let (value, span) = self.required(key)?;
        value.as_bool().ok_or_else(|| (span, wrong(key, "true or false", value)))
    }

    /// A slot below `cards`.
    pub(crate) fn card(&self, cards: usize) -> Result<usize, Located> {
        let (value, span) = self.required("card")?;
        slot("card", value, span, cards)
    }

    pub(crate) fn card_if_any(&self, cards: usize) -> Result<Option<usize>, Located> {
        self.find("card").map(|_| self.card(cards)).transpose()
    }

    pub(crate) fn target(&self, cards: usize) -> Result<Target, Located> {
        match self.required("card")? {
            (DeValue::String(text), _) if text == "all" => Ok(Target::All),
            (value, span) => slot("card", value, span, cards).map(Target::Card),
        }
    }

    pub(crate) fn slots(&self, cards: usize) -> Result<Vec<usize>, Located> {
        let (value, span) = self.required("slots")?;
        let list = value.as_array().ok_or_else(|| (span, wrong("slots", "a list of slots", value)))?;
        list.iter().map(|one| slot("slots", one.get_ref(), one.span(), cards)).collect()
    }

    pub(crate) fn symbol(&self) -> Result<Option<Symbol>, Located> {
        if self.find("symbol").is_none() {
            return Ok(None);
        }
        let name = self.text("symbol")?;
        let unknown = || (self.place("symbol"), Problem::UnknownSymbol { symbol: name.to_owned() });
        name.parse().map(Some).map_err(|_| unknown())
    }
}

fn integer(value: &DeValue<'_>) -> Option<i32> {
    let integer = value.as_integer()?;
    i32::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn slot(key: &str, value: &DeValue<'_>, span: Range<usize>, cards: usize) -> Result<usize, Located> {
    let Some(number) = integer(value) else {
        return Err((span, wrong(key, "a slot, a whole number", value)));
    };
    let last = i64::try_from(cards).unwrap_or(i64::MAX) - 1;
    usize::try_from(number)
        .ok()
        .filter(|slot| *slot < cards)
        .ok_or((span, Problem::NoCard { card: i64::from(number), last }))
}

fn wrong(key: &str, wanted: &'static str, value: &DeValue<'_>) -> Problem {
    let found = match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(value) => value.to_string(),
        other => other.type_str().to_owned(),
    };
    Problem::Wrong { key: key.to_owned(), wanted, found }
}
