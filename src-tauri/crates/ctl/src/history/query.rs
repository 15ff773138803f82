//! `fanfarectl history query`: the course of some quantities of some cards, as a table for people or as one JSON object.
//!
//! It is read card by card, so no question is larger than the history takes: one card with all its quantities.

use std::io::{Write, stdout};

use fanfare_engine::{Opening, api::Kind, hold::Holding, profile::Profile, visit};
use fanfare_history::{Answer, Curve, Fold, Folding, Level, Question};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{
    Range,
    args::QueryArgs,
    chosen::{self, Card},
    is_simulated, open,
    scale::{self, Scale},
};
use crate::{
    failure::{Failure, complain},
    words::{self, Language, history},
};

/// What a program that records has in memory before it writes it, with some to spare.
const UNWRITTEN: SignedDuration = SignedDuration::from_mins(1);

pub(super) async fn run(opening: &Opening, args: &QueryArgs, language: Language) -> Result<(), Failure> {
    let now = Timestamp::now();
    let range = Range::of(&args.range, now)?;
    let reader = open(&opening.directory)?;
    let mut answers = Vec::new();
    for card in chosen::cards(&reader, &opening.directory, &args.cards.card)? {
        let series = card.series(&args.quantity);
        let question = Question { series, from: range.from, to: range.to, points: args.points, level: None };
        answers.push((card, reader.query(&question)?));
    }
    let is_recent = now.duration_since(range.to) < UNWRITTEN;
    // Who records is only a remark here: one that does not answer is none of this verb's business.
    let is_recorded = !matches!(visit(&opening.directory, Kind::Command).await, Ok(Holding::Free));
    let lacks_newest = is_recent && is_recorded;
    if args.json {
        return json(opening, range, &answers, lacks_newest);
    }
    if lacks_newest {
        complain(history::lacks_newest(language));
    }
    let text = text(is_simulated(opening), range, &answers, language);
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

/// All tables: one a card and quantity.
fn text(simulated: bool, range: Range, answers: &[(Card, Answer)], language: Language) -> String {
    let mut text = String::new();
    if simulated {
        text.push_str(words::simulated(language));
        text.push('\n');
    }
    text.push_str(&history::between(&moment(range.from), &moment(range.to), language));
    text.push('\n');
    for (card, answer) in answers {
        for curve in &answer.curves {
            text.push('\n');
            table(card, answer, curve, language).iter().for_each(|line| {
                text.push_str(line);
                text.push('\n');
            });
        }
    }
    text
}

/// The lines of a curve's table.
fn table(card: &Card, answer: &Answer, curve: &Curve, language: Language) -> Vec<String> {
    let scale = Scale::of(curve.series.quantity);
    let name = match card.number {
        Some(number) => format!("{} ({})", words::card(number, language), card.uuid),
        None => card.uuid.to_string(),
    };
    let unit = if scale.unit.is_empty() { String::new() } else { format!(", {}", scale.unit) };
    let quantity = history::quantity(curve.series.quantity, language);
    let mut lines = vec![format!("{name}: {quantity}{unit}")];
    let gaps = gaps(&curve.points);
    if curve.points.iter().all(Option::is_none) {
        lines.push(history::nothing_recorded(language).to_owned());
        return lines;
    }
    let step = answer.step.map(|step| shown(SignedDuration::try_from(step).unwrap_or(SignedDuration::MAX)));
    lines.push(history::how_it_was_read(answer.level, step.as_deref(), gaps, language));
    let [time, least, mean, greatest] = history::heads(curve.series.quantity.folding(), language);
    lines.push(format!("{}  {}  {}  {}", left(time, 19), right(least), right(mean), right(greatest)));
    for (time_us, point) in answer.times_us.iter().zip(&curve.points) {
        let time = Timestamp::from_microsecond(*time_us).map(moment).unwrap_or_default();
        lines.push(match point {
            Some(fold) => format!("{time}  {}", row(&scale, fold)),
            None => format!("{time}  {}", history::gap(language)),
        });
    }
    lines
}

fn row(scale: &Scale, fold: &Fold) -> String {
    let (least, mean, greatest) = (scale.value(fold.min), scale.mean(fold.mean()), scale.value(fold.max));
    format!("{}  {}  {}", right(&least), right(&mean), right(&greatest))
}

/// A column of numbers; a letter of 简体中文 takes two places of it.
fn right(text: &str) -> String {
    format!("{}{text}", " ".repeat(12_usize.saturating_sub(textwrap::core::display_width(text))))
}

fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(textwrap::core::display_width(text))))
}

/// How often values cease and come again, or cease.
fn gaps(points: &[Option<Fold>]) -> usize {
    points.chunk_by(|a, b| a.is_some() == b.is_some()).filter(|run| run.iter().all(Option::is_none)).count()
}

fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// A step as people write it: 30m, 1h, 43.2s.
fn shown(step: SignedDuration) -> String {
    let micros = step.as_micros();
    if micros % 3_600_000_000 == 0 {
        format!("{} h", micros / 3_600_000_000)
    } else if micros % 60_000_000 == 0 {
        format!("{} min", micros / 60_000_000)
    } else {
        format!("{:.1} s", step.as_secs_f64())
    }
}

#[derive(Serialize)]
struct Document<'a> {
    v: u32,
    profile: Profile,
    simulated: bool,
    from: Timestamp,
    to: Timestamp,
    /// A program records and holds up to a minute in memory, which is not in this.
    lacks_newest: bool,
    series: Vec<Course<'a>>,
}

#[derive(Serialize)]
struct Course<'a> {
    card: Option<usize>,
    uuid: &'a str,
    quantity: &'static str,
    unit: &'static str,
    level: &'static str,
    /// How long a point stands for; none where each is a moment.
    step_s: Option<f64>,
    points: Vec<Point>,
}

/// A point, or a gap that begins there.
#[derive(Serialize)]
#[serde(untagged)]
enum Point {
    Value { at: Timestamp, min: i64, mean: Option<f64>, max: i64, count: u32 },
    Gap { at: Timestamp, gap: bool },
}

fn json(
    opening: &Opening,
    range: Range,
    answers: &[(Card, Answer)],
    lacks_newest: bool,
) -> Result<(), Failure> {
    let curves = answers.iter().flat_map(|(card, answer)| {
        answer.curves.iter().map(move |curve| Course {
            card: card.number,
            uuid: &card.uuid,
            quantity: scale::name(curve.series.quantity),
            unit: curve.series.quantity.unit(),
            level: match answer.level {
                Level::Raw => "raw",
                Level::Minute => "minute",
                Level::Hour => "hour",
            },
            step_s: answer.step.map(|step| step.as_secs_f64()),
            points: points(answer, curve),
        })
    });
    let document = Document {
        v: 1,
        profile: opening.profile,
        simulated: is_simulated(opening),
        from: range.from,
        to: range.to,
        lacks_newest,
        series: curves.collect(),
    };
    let mut line = serde_json::to_vec(&document)?;
    line.push(b'\n');
    Ok(stdout().lock().write_all(&line)?)
}

fn points(answer: &Answer, curve: &Curve) -> Vec<Point> {
    let point = |(time_us, point): (&i64, &Option<Fold>)| {
        let at = Timestamp::from_microsecond(*time_us).ok()?;
        Some(point.as_ref().map_or(Point::Gap { at, gap: true }, |fold| Point::Value {
            at,
            min: fold.min,
            mean: (curve.series.quantity.folding() == Folding::Extremes).then(|| fold.mean()),
            max: fold.max,
            count: fold.count,
        }))
    };
    answer.times_us.iter().zip(&curve.points).filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fanfare_history::{Quantity, Series};

    use super::*;

    fn fold(min: i64, max: i64, sum: i128, count: u32) -> Option<Fold> {
        Some(Fold { min, max, sum, count })
    }

    fn card() -> Card {
        Card { number: Some(3), uuid: "GPU-1".into() }
    }

    fn answer(quantity: Quantity, points: Vec<Option<Fold>>) -> Answer {
        Answer {
            level: Level::Minute,
            step: Some(Duration::from_mins(30)),
            // 2026-11-30T00:00:00Z and each half hour after.
            times_us: (0..).map(|n| (1_795_996_800 + n * 1_800) * 1_000_000).take(points.len()).collect(),
            curves: vec![Curve { series: Series::new("GPU-1", quantity), points }],
        }
    }

    #[test]
    fn a_table_says_what_it_is_of_and_shows_gaps_as_gaps() {
        let points = vec![fold(9_000, 115_000, 3_600_000, 60), None, fold(9_100, 9_100, 9_100, 1)];
        let answer = answer(Quantity::Power, points);
        assert_eq!(
            table(&card(), &answer, &answer.curves[0], Language::English),
            [
                "Card 3 (GPU-1): power, W",
                "a row each 30 min, from minutes; 1 gap",
                "time (UTC)                  least          mean      greatest",
                "2026-11-30 00:00:00           9.0          60.0         115.0",
                "2026-11-30 00:30:00  (gap)",
                "2026-11-30 01:00:00           9.1           9.1           9.1",
            ]
        );
    }

    #[test]
    fn columns_stand_below_their_heads_in_a_script_of_wide_letters_too() {
        let answer = answer(Quantity::Temperature, vec![fold(40, 41, 81, 2)]);
        let lines = table(&card(), &answer, &answer.curves[0], Language::Chinese);
        let widths: Vec<usize> = lines[2..].iter().map(|line| textwrap::core::display_width(line)).collect();
        assert_eq!(widths, [61, 61], "{lines:?}");
    }

    #[test]
    fn where_nothing_was_recorded_it_says_so_and_shows_no_number() {
        let answer = answer(Quantity::Power, vec![None, None]);
        let lines = table(&card(), &answer, &answer.curves[0], Language::English);
        assert_eq!(lines, ["Card 3 (GPU-1): power, W", "nothing was recorded then"]);
    }

    #[test]
    fn bits_have_no_mean() {
        let answer = answer(Quantity::Throttle, vec![fold(4, 0x2c, 0, 60)]);
        let lines = table(&card(), &answer, &answer.curves[0], Language::English);
        assert_eq!(lines[2], "time (UTC)                 always          mean      sometime");
        assert_eq!(lines[3], "2026-11-30 00:00:00           0x4             —          0x2c");
        let json = serde_json::to_value(points(&answer, &answer.curves[0])).unwrap();
        assert_eq!(json[0]["mean"], serde_json::Value::Null);
    }

    #[test]
    fn everything_simulated_says_so() {
        let range = Range { from: Timestamp::UNIX_EPOCH, to: Timestamp::UNIX_EPOCH };
        let shown = text(true, range, &[], Language::English);
        assert!(shown.starts_with("SIMULATED RIG"), "{shown}");
        assert!(!text(false, range, &[], Language::English).contains("SIMULATED"));
    }

    #[test]
    fn a_step_is_written_in_the_largest_unit_that_is_whole() {
        for (micros, text) in [
            (3_600_000_000, "1 h"),
            (1_800_000_000, "30 min"),
            (43_200_000, "43.2 s"),
            (90_000_000, "90.0 s"),
        ] {
            assert_eq!(shown(SignedDuration::from_micros(micros)), text);
        }
    }
}
