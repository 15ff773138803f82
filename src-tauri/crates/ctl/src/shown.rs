//! A reading as the table shows it: its value with its unit, or a dash whose reason stands under the table.

use std::time::Duration;

use fanfare_rig::{Card, Condition, Memory, Occupant, Quantity, Reading, Reason, Sample};

use crate::{
    view::RigView,
    words::{self, Language},
};

/// A missing value.
const DASH: &str = "—";

/// One row's cells after the card's number and slot: temperature to PCIe.
pub(crate) fn cells(card: &Card) -> [String; 7] {
    let cell = |text: Reading<String>| text.value().cloned().unwrap_or_else(|| DASH.into());
    [
        cell(card.read(|sample| &sample.temperature).map(|temperature| temperature.to_string())),
        cell(card.read(|sample| &sample.fans).map(|fans| fan(&fans))),
        cell(card.read(|sample| &sample.power).map(|power| power.to_string())),
        cell(card.read(|sample| &sample.utilisation).map(|utilisation| utilisation.gpu.to_string())),
        cell(card.read(|sample| &sample.memory).map(|memory| vram(&memory))),
        cell(card.read(|sample| &sample.clock_graphics).map(|clock| clock.to_string())),
        link(card),
    ]
}

/// The fastest fan: it is the one that tells how hard the card is cooled.
fn fan(fans: &[Reading<fanfare_units::Duty>]) -> String {
    fans.iter().filter_map(Reading::value).max().map_or_else(|| DASH.into(), ToString::to_string)
}

fn vram(memory: &Memory) -> String {
    format!("{:.1} / {}", memory.used.gibibytes(), memory.usable())
}

fn link(card: &Card) -> String {
    let generation = card.read(|sample| &sample.link.generation);
    let width = card.read(|sample| &sample.link.width);
    match (generation.value(), width.value()) {
        (Some(generation), Some(width)) => format!("{generation} x{width}"),
        (Some(generation), None) => generation.to_string(),
        (None, Some(width)) => format!("x{width}"),
        (None, None) => DASH.into(),
    }
}

/// The state of the card in a seat.
pub(crate) fn state(occupant: &Occupant, view: &RigView, language: Language) -> String {
    match occupant {
        Occupant::Missing => words::missing(language).into(),
        Occupant::Unreached => words::unreached(language).into(),
        Occupant::Awaited => words::awaited(language).into(),
        Occupant::Card(card) => match card.condition() {
            Condition::Answering => words::usage(view.occupancy.get(&card.uuid), language),
            Condition::Stuck { since } => {
                let span = view.snapshot.at.since(&since).unwrap_or_default();
                format!("{} {}", words::stuck(language), age(span))
            }
            Condition::Lost => words::lost(language).into(),
            Condition::NeedsReset => words::needs_reset(language).into(),
            Condition::Failing { code } => format!("{} ({})", words::failing(language), code.0),
        },
    }
}

/// A span in its largest whole unit.
pub(crate) fn age(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5_999 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3_600),
    }
}

/// What a sample says of one quantity, by the column it stands in.
pub(crate) fn missing_in_columns(sample: &Sample) -> Vec<(usize, Reason)> {
    sample.reasons().into_iter().filter_map(|(quantity, reason)| Some((column(quantity)?, reason?))).collect()
}

/// The column a quantity stands in, if it is in the table.
const fn column(quantity: Quantity) -> Option<usize> {
    Some(match quantity {
        Quantity::Temperature => 2,
        Quantity::Fans => 3,
        Quantity::Power => 4,
        Quantity::Utilisation => 5,
        Quantity::Memory => 6,
        Quantity::ClockGraphics => 7,
        Quantity::LinkGeneration | Quantity::LinkWidth => 8,
        Quantity::Processes => 9,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_shown_in_its_largest_whole_unit() {
        let table =
            [(0, "0 s"), (99, "99 s"), (100, "1 min"), (5_999, "99 min"), (6_000, "1 h"), (90_000, "25 h")];
        for (seconds, shown) in table {
            assert_eq!(age(Duration::from_secs(seconds)), shown);
        }
    }
}
