//! The table of cards: a status line, a row a seat, and under it why values are missing.
//!
//! One drawing serves the live screen and the plain text: the live screen writes only the cells that changed, and the plain text
//! is the same cells read off line by line.

use std::collections::BTreeMap;

use fanfare_rig::{Answer, Driver, Occupant, Reason, Roster, Seat};
use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Paragraph, Row, Table, Widget},
};

use crate::{
    shown,
    status::{self, Gravity, Status},
    view::RigView,
    words::{self, Language},
};

/// Narrowest columns in which every value fits.
const WIDTHS: [u16; 10] = [4, 13, 6, 6, 6, 6, 15, 9, 5, 14];
/// Columns that go, in this order, where the screen is too narrow: a value cut in half would be another value.
const DISPENSABLE: [usize; 8] = [8, 7, 6, 1, 3, 5, 4, 2];
/// Wide enough for the columns and the gaps between them.
pub(crate) const WIDTH: u16 = 100;

/// The columns that fit into `width`; the card's number and its state always stay.
fn columns_in(width: u16) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..WIDTHS.len()).collect();
    let needed = |columns: &[usize]| columns.iter().map(|column| WIDTHS[*column] + 1).sum::<u16>() - 1;
    for dispensable in DISPENSABLE {
        if needed(&columns) <= width {
            break;
        }
        columns.retain(|column| *column != dispensable);
    }
    columns
}

/// A drawing of one look at the rig.
#[derive(Debug)]
pub(crate) struct RigTable<'a> {
    pub(crate) view: &'a RigView,
    /// Whether what is shown is simulated.
    pub(crate) simulated: bool,
    pub(crate) language: Language,
    /// A line that overrides the status, when nothing answers any more.
    pub(crate) silence: Option<String>,
    /// The last line, if any.
    pub(crate) foot: Option<&'static str>,
}

impl RigTable<'_> {
    /// The drawing as lines of text, without trailing blanks.
    pub(crate) fn to_text(&self) -> String {
        let area = Rect::new(0, 0, WIDTH, self.height(WIDTH));
        let mut buffer = Buffer::empty(area);
        self.render(area, &mut buffer);
        let lines = (area.top()..area.bottom()).map(|y| line(&buffer, area, y));
        let mut text = lines.collect::<Vec<_>>().join("\n").trim_end().to_owned();
        text.push('\n');
        text
    }

    fn height(&self, width: u16) -> u16 {
        let rows = self.head(width).len() + self.view.seats.len() + self.notes(width).len() + 3;
        let rows = rows + usize::from(self.foot.is_some());
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    fn status_text(&self) -> Status {
        match &self.silence {
            Some(text) => Status { gravity: Gravity::Wrong, text: text.clone() },
            None => status::of(self.view, self.language),
        }
    }

    fn head(&self, width: u16) -> Vec<Line<'static>> {
        let Status { gravity, text } = self.status_text();
        let (mark, colour) = match gravity {
            Gravity::Well => ("● ", Color::Green),
            Gravity::Waiting => ("○ ", Color::Yellow),
            Gravity::Wrong => ("◆ ", Color::Red),
        };
        let mut lines = Vec::new();
        if self.simulated {
            let banner = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
            lines.extend(wrapped(words::simulated(self.language), banner, width));
        }
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut status = wrapped(&format!("{mark}{text}"), bold, width);
        if let Some(first) = status.first_mut() {
            let rest = first.to_string().split_off(mark.len());
            *first = Line::from(vec![Span::styled(mark, Style::new().fg(colour)), Span::styled(rest, bold)]);
        }
        lines.extend(status);
        lines.extend(wrapped(&self.summary(), Style::new().add_modifier(Modifier::DIM), width));
        lines
    }

    /// Answering cards, driver and sweep, in one dim line.
    fn summary(&self) -> String {
        let snapshot = &self.view.snapshot;
        let mut parts = Vec::new();
        if !matches!(snapshot.roster, Roster::Starting) && status::cards(self.view) > 0 {
            parts.push(words::answering(
                status::answering(self.view),
                status::cards(self.view),
                self.language,
            ));
        }
        parts.extend(snapshot.driver.as_ref().and_then(driver));
        parts.extend(common_name(self.view));
        parts.join(" · ")
    }

    /// As many rows as fit, in seat order, and how many cards are not shown. Where not all fit, cards with a fault come before the
    /// others, and a line is left for saying so.
    fn rows_in(&self, lines: u16, columns: &[usize]) -> (Vec<Row<'static>>, usize) {
        let mut seats: Vec<(usize, &Seat)> = (1..).zip(&self.view.seats).collect();
        let lines = usize::from(lines);
        let shown = if seats.len() <= lines {
            seats.len()
        } else {
            seats.sort_by_key(|(_, seat)| !status::is_fault(&seat.occupant));
            lines.saturating_sub(1)
        };
        let rows = seats[..shown].iter().map(|(number, seat)| self.row(*number, seat, columns)).collect();
        (rows, seats.len() - shown)
    }

    fn row(&self, number: usize, seat: &Seat, columns: &[usize]) -> Row<'static> {
        let slot = seat.member.slot.map_or_else(|| "—".into(), |slot| slot.short());
        let mut cells = vec![number.to_string(), slot];
        match &seat.occupant {
            Occupant::Card(card) => cells.extend(shown::cells(card)),
            Occupant::Awaited | Occupant::Unreached | Occupant::Missing => {
                cells.extend(std::iter::repeat_n("—".to_owned(), 7));
            }
        }
        cells.push(shown::state(&seat.occupant, self.view, self.language));
        let cells: Vec<String> = columns.iter().map(|column| std::mem::take(&mut cells[*column])).collect();
        let colour =
            if status::is_fault(&seat.occupant) { Style::new().fg(Color::Red) } else { Style::new() };
        Row::new(cells).style(colour)
    }

    /// Why values are missing: a line for each column and reason, with the cards it holds for; and when missing cards were last
    /// seen.
    fn notes(&self, width: u16) -> Vec<Line<'static>> {
        let mut cards_of: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        for (number, seat) in (1..).zip(&self.view.seats) {
            let Occupant::Card(card) = &seat.occupant else { continue };
            // What is wrong with a card as a whole is in its row already.
            let Answer::Sample(sample) = &card.answer else { continue };
            for (column, reason) in shown::missing_in_columns(sample) {
                if !matches!(reason, Reason::Lost | Reason::Stuck { .. }) {
                    let cards = cards_of.entry((column, words::reason(reason, self.language))).or_default();
                    if cards.last() != Some(&number.to_string()) {
                        cards.push(number.to_string());
                    }
                }
            }
        }
        let heads = words::heads(self.language);
        let mut lines: Vec<Line<'static>> = Vec::new();
        for words in words::disk(&self.view.disk, self.language) {
            lines.extend(wrapped(&words, Style::new().fg(Color::Yellow), width));
        }
        let line = |what: &str, cards: &[String]| {
            let note = format!("— {what} ({} {})", heads[0], cards.join(", "));
            wrapped(&note, Style::new().add_modifier(Modifier::DIM), width)
        };
        for ((column, words), cards) in &cards_of {
            lines.extend(line(&format!("{}: {words}", heads[*column]), cards));
        }
        for (date, cards) in &self.last_seen() {
            lines.extend(line(&words::last_seen(date, self.language), cards));
        }
        lines
    }

    /// The missing cards by the minute in which they were last seen, which is as well as it is kept.
    fn last_seen(&self) -> BTreeMap<String, Vec<String>> {
        let mut cards_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (number, seat) in (1..).zip(&self.view.seats) {
            if matches!(seat.occupant, Occupant::Missing) {
                let date = seat.member.last_seen.strftime("%Y-%m-%d %H:%M UTC").to_string();
                cards_of.entry(date).or_default().push(number.to_string());
            }
        }
        cards_of
    }
}

impl Widget for &RigTable<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let head = self.head(area.width);
        let head_height = u16::try_from(head.len()).unwrap_or(u16::MAX);
        let columns = columns_in(area.width);
        let table_height = u16::try_from(self.view.seats.len()).unwrap_or(u16::MAX).saturating_add(1);
        let [head_area, _, table_area, _, notes_area, foot_area] = Layout::vertical([
            Constraint::Length(head_height),
            Constraint::Length(1),
            Constraint::Length(table_height),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(u16::from(self.foot.is_some())),
        ])
        .areas(area);
        Paragraph::new(head).render(head_area, buffer);
        let (rows, hidden) = self.rows_in(table_area.height.saturating_sub(1), &columns);
        let dim = Style::new().add_modifier(Modifier::DIM);
        if hidden > 0 && table_area.height > 0 {
            let last = Rect { y: table_area.bottom() - 1, height: 1, ..table_area };
            Line::styled(words::more(hidden, self.language), dim).render(last, buffer);
        }
        if !rows.is_empty() {
            let heads = words::heads(self.language);
            let heads = Row::new(columns.iter().map(|column| heads[*column]));
            let widths = columns.iter().map(|column| Constraint::Length(WIDTHS[*column]));
            Table::new(rows, widths).header(heads.style(dim)).column_spacing(1).render(table_area, buffer);
        }
        Paragraph::new(self.notes(area.width)).render(notes_area, buffer);
        if let Some(foot) = self.foot {
            Line::styled(foot, dim).render(foot_area, buffer);
        }
    }
}

fn driver(driver: &Driver) -> Option<String> {
    driver.version.value().map(|version| format!("NVIDIA {version}"))
}

/// The cards' name, if they all have the same.
fn common_name(view: &RigView) -> Option<String> {
    let mut names = view.seats.iter().map(|seat| seat.member.name.as_deref());
    let first = names.next()??;
    names.all(|name| name == Some(first)).then(|| first.to_owned())
}

/// Text in lines of at most `width` columns, broken where its script may be broken: Chinese has no blanks to break at.
fn wrapped(text: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    let lines = textwrap::wrap(text, usize::from(width.max(2)));
    lines.into_iter().map(|line| Line::styled(line.into_owned(), style)).collect()
}

/// One line of a drawing. A wide character takes two cells, the second of which is blank and is left out.
fn line(buffer: &Buffer, area: Rect, y: u16) -> String {
    let mut text = String::new();
    let mut x = area.left();
    while x < area.right() {
        let symbol = buffer[(x, y)].symbol();
        text.push_str(symbol);
        x += u16::try_from(Span::raw(symbol).width()).unwrap_or(1).max(1);
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_screen_in_a_script_of_wide_letters() {
        let text = "6 号卡：无响应 · 7 号卡：无响应 · 8 号卡：无响应";
        for width in 2..60 {
            let lines = wrapped(text, Style::new(), width);
            assert!(lines.iter().all(|line| line.width() <= usize::from(width)), "{width}: {lines:?}");
            let all: String = lines.iter().map(ToString::to_string).collect();
            assert_eq!(all.replace(' ', ""), text.replace(' ', ""), "nothing is lost at {width}");
        }
    }

    #[test]
    fn a_narrow_screen_has_fewer_columns_and_no_value_is_cut() {
        // The widths above with a gap between two: 93 for all; less 6 for PCIe, 10 for the clock, 16 for the memory, 14 for the slot.
        let table: [(u16, &[usize]); 9] = [
            (200, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (93, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (92, &[0, 1, 2, 3, 4, 5, 6, 7, 9]),
            (87, &[0, 1, 2, 3, 4, 5, 6, 7, 9]),
            (86, &[0, 1, 2, 3, 4, 5, 6, 9]),
            (77, &[0, 1, 2, 3, 4, 5, 6, 9]),
            (61, &[0, 1, 2, 3, 4, 5, 9]),
            (60, &[0, 2, 3, 4, 5, 9]),
            (10, &[0, 9]),
        ];
        for (width, columns) in table {
            assert_eq!(columns_in(width), columns, "{width} columns of text");
        }
    }
}
