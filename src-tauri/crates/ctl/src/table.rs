//! The table of cards: a status line, a row a seat, and under it why values are missing.
//!
//! One drawing serves the live screen and the plain text: the live screen writes only the cells that changed, and the plain text
//! is the same cells read off line by line.

use std::collections::BTreeMap;

use fanfare_engine::RigView;
use fanfare_rig::{Answer, Driver, Occupant, Reason, Roster};
use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Paragraph, Row, Table, Widget, Wrap},
};

use crate::{
    shown,
    status::{self, Gravity, Status},
    words::{self, Language},
};

/// Narrowest columns in which every value fits.
const WIDTHS: [u16; 10] = [4, 12, 6, 6, 6, 6, 14, 9, 5, 14];
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
        let notes = Paragraph::new(self.notes()).wrap(Wrap { trim: true }).line_count(width);
        let status = Paragraph::new(self.status_text().text).wrap(Wrap { trim: true }).line_count(width);
        let rows = self.view.seats.len() + notes + status + 6;
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    fn status_text(&self) -> Status {
        match &self.silence {
            Some(text) => Status { gravity: Gravity::Wrong, text: text.clone() },
            None => status::of(self.view, self.language),
        }
    }

    fn head(&self) -> Vec<Line<'static>> {
        let Status { gravity, text } = self.status_text();
        let (mark, colour) = match gravity {
            Gravity::Well => ("● ", Color::Green),
            Gravity::Waiting => ("○ ", Color::Yellow),
            Gravity::Wrong => ("◆ ", Color::Red),
        };
        let mut lines = Vec::new();
        if self.simulated {
            let banner = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
            lines.push(Line::styled(words::simulated(self.language), banner));
        }
        let status = Style::new().add_modifier(Modifier::BOLD);
        lines.push(Line::from(vec![Span::styled(mark, Style::new().fg(colour)), Span::styled(text, status)]));
        lines.push(Line::styled(self.summary(), Style::new().add_modifier(Modifier::DIM)));
        lines
    }

    /// Answering cards, driver and sweep, in one dim line.
    fn summary(&self) -> String {
        let snapshot = &self.view.snapshot;
        let mut parts = Vec::new();
        if !matches!(snapshot.roster, Roster::Starting) {
            parts.push(words::answering(status::answering(self.view), self.view.seats.len(), self.language));
        }
        parts.extend(snapshot.driver.as_ref().and_then(driver));
        parts.extend(common_name(self.view));
        parts.join(" · ")
    }

    fn rows(&self, columns: &[usize]) -> Vec<Row<'static>> {
        (1..).zip(&self.view.seats).map(|(number, seat)| self.row(number, seat, columns)).collect()
    }

    fn row(&self, number: usize, seat: &fanfare_rig::Seat, columns: &[usize]) -> Row<'static> {
        let slot = seat.member.slot.map_or_else(|| "—".into(), |slot| slot.short());
        let mut cells = vec![number.to_string(), slot];
        match &seat.occupant {
            Occupant::Card(card) => cells.extend(shown::cells(card)),
            Occupant::Awaited | Occupant::Missing => cells.extend(std::iter::repeat_n("—".to_owned(), 7)),
        }
        cells.push(shown::state(&seat.occupant, self.view, self.language));
        let wrong = match &seat.occupant {
            Occupant::Card(card) => card.condition() != fanfare_rig::Condition::Answering,
            Occupant::Missing => true,
            Occupant::Awaited => false,
        };
        let cells = columns.iter().map(|column| std::mem::take(&mut cells[*column])).collect::<Vec<_>>();
        Row::new(cells).style(if wrong { Style::new().fg(Color::Red) } else { Style::new() })
    }

    /// Why values are missing: a line for each column and reason, with the cards it holds for.
    fn notes(&self) -> Vec<Line<'static>> {
        let mut cards_of: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        for (number, seat) in (1..).zip(&self.view.seats) {
            let Occupant::Card(card) = &seat.occupant else { continue };
            // What is wrong with a card as a whole is in its row already.
            let Answer::Sample(sample) = &card.answer else { continue };
            for (column, reason) in shown::missing_in_columns(sample) {
                let words = match reason {
                    None | Some(Reason::Lost | Reason::Stuck { .. }) => continue,
                    Some(Reason::NotSupported) => words::not_supported(self.language).to_owned(),
                    Some(Reason::NoPermission) => words::no_permission(self.language).to_owned(),
                    Some(Reason::Error { code }) => words::driver_error(code, self.language),
                };
                cards_of.entry((column, words)).or_default().push(number_text(number));
            }
        }
        let heads = words::heads(self.language);
        let line = |((column, words), cards): ((usize, String), Vec<String>)| {
            Line::styled(
                format!("— {}: {words} ({} {})", heads[column], heads[0], cards.join(", ")),
                Style::new().add_modifier(Modifier::DIM),
            )
        };
        cards_of.into_iter().map(line).collect()
    }
}

fn number_text(number: usize) -> String {
    number.to_string()
}

impl Widget for &RigTable<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let head = Paragraph::new(self.head()).wrap(Wrap { trim: true });
        let head_height = u16::try_from(head.line_count(area.width)).unwrap_or(u16::MAX);
        let columns = columns_in(area.width);
        let rows = self.rows(&columns);
        let table_height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(1);
        let [head_area, _, table_area, _, notes_area, foot_area] = Layout::vertical([
            Constraint::Length(head_height),
            Constraint::Length(1),
            Constraint::Length(table_height),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(u16::from(self.foot.is_some())),
        ])
        .areas(area);
        head.render(head_area, buffer);
        if !rows.is_empty() {
            let heads = Row::new(words::heads(self.language)).style(Style::new().add_modifier(Modifier::DIM));
            Table::new(rows, WIDTHS.map(Constraint::Length))
                .header(heads)
                .column_spacing(1)
                .render(table_area, buffer);
        }
        Paragraph::new(self.notes()).wrap(Wrap { trim: true }).render(notes_area, buffer);
        if let Some(foot) = self.foot {
            Line::styled(foot, Style::new().add_modifier(Modifier::DIM)).render(foot_area, buffer);
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
    fn a_narrow_screen_has_fewer_columns_and_no_value_is_cut() {
        // The widths above with a gap between two: 91 for all; less 6 for PCIe, 10 for the clock, 15 for the memory.
        let table: [(u16, &[usize]); 7] = [
            (200, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (91, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (90, &[0, 1, 2, 3, 4, 5, 6, 7, 9]),
            (84, &[0, 1, 2, 3, 4, 5, 6, 9]),
            (60, &[0, 1, 2, 3, 4, 5, 9]),
            (59, &[0, 2, 3, 4, 5, 9]),
            (10, &[0, 9]),
        ];
        for (width, columns) in table {
            assert_eq!(columns_in(width), columns, "{width} columns of text");
        }
    }
}
