//! What the rows refer to by number: series and segments, as the file and the one that writes it know them.

use std::collections::{BTreeMap, HashMap};

use fanfare_dbfile::DbError;
use fanfare_units::BootId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    quantity::{Folding, Quantity, Series},
    segment::Segment,
    store::HistoryError,
};

/// The most series that are told apart: 64 cards with 64 quantities each.
pub(crate) const MOST_SERIES: usize = 4_096;

/// All series, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    numbers: HashMap<Series, u32>,
    by_number: BTreeMap<u32, Series>,
    /// Series up to this number are in the file.
    saved: u32,
}

impl Roster {
    /// Those in the file.
    pub(crate) fn read(connection: &Connection) -> Result<Self, HistoryError> {
        let mut statement = connection.prepare("SELECT id, quantity, subject FROM series")?;
        let mut rows = statement.query([])?;
        let mut roster = Self::default();
        while let Some(row) = rows.next()? {
            let (number, quantity): (u32, u8) = (row.get(0)?, row.get(1)?);
            let quantity = Quantity::of_number(quantity)
                .ok_or_else(|| HistoryError::Nonsense { what: "quantity", value: quantity.to_string() })?;
            roster.add(number, Series::new(row.get::<_, String>(2)?, quantity));
            roster.saved = roster.saved.max(number);
        }
        Ok(roster)
    }

    fn add(&mut self, number: u32, series: Series) {
        self.numbers.insert(series.clone(), number);
        self.by_number.insert(number, series);
    }

    /// The number of a series, if it has one.
    pub(crate) fn number(&self, series: &Series) -> Option<u32> {
        self.numbers.get(series).copied()
    }

    /// The number of a series, a new one if it has none; `None` if there are too many.
    pub(crate) fn enrol(&mut self, series: &Series) -> Option<u32> {
        if let Some(number) = self.number(series) {
            return Some(number);
        }
        if self.by_number.len() >= MOST_SERIES {
            return None;
        }
        let number = self.by_number.last_key_value().map_or(Some(1), |(last, _)| last.checked_add(1))?;
        self.add(number, series.clone());
        Some(number)
    }

    /// How the values of a series are folded.
    ///
    /// # Errors
    /// There is no series of that number.
    pub(crate) fn folding(&self, number: u32) -> Result<Folding, HistoryError> {
        let series = self.by_number.get(&number);
        let unknown = || HistoryError::Nonsense { what: "series", value: number.to_string() };
        series.map(|series| series.quantity.folding()).ok_or_else(unknown)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &Series)> {
        self.by_number.iter().map(|(number, series)| (*number, series))
    }

    /// Writes those that the file does not have.
    pub(crate) fn write_new(&self, connection: &Connection) -> Result<(), HistoryError> {
        let mut statement =
            connection.prepare_cached("INSERT INTO series (id, quantity, subject) VALUES (?1, ?2, ?3)")?;
        for (number, series) in self.by_number.range(self.saved.saturating_add(1)..) {
            statement.execute(params![number, series.quantity.number(), &*series.subject])?;
        }
        Ok(())
    }

    /// What was written is committed.
    pub(crate) fn all_saved(&mut self) {
        self.saved = self.by_number.last_key_value().map_or(0, |(last, _)| *last);
    }
}

const SEGMENT: &str = "SELECT id, session, every_us, lead_us, boot FROM segment";

/// All segments in the file, by number.
pub(crate) fn segments(connection: &Connection) -> Result<BTreeMap<u32, Segment>, HistoryError> {
    let mut statement = connection.prepare_cached(SEGMENT)?;
    let mut rows = statement.query([])?;
    let mut segments = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let segment = segment(row)?;
        segments.insert(segment.id, segment);
    }
    Ok(segments)
}

/// The newest segment in the file, and the time since boot of its last sweep (before all time, if it has none).
pub(crate) fn newest_segment(connection: &Connection) -> Result<Option<(Segment, i64)>, HistoryError> {
    let newest = connection
        .query_row_and_then(&format!("{SEGMENT} ORDER BY id DESC LIMIT 1"), [], segment)
        .map(Some)
        .or_else(none_for_no_row)?;
    let Some(newest) = newest else { return Ok(None) };
    let last: Option<i64> = connection
        .query_row(
            "SELECT max(last_us) FROM (SELECT segment, last_us FROM tail UNION ALL SELECT segment, last_us FROM sheet)
             WHERE segment = ?1",
            [newest.id],
            |row| row.get(0),
        )
        .optional()?
        .flatten();
    Ok(Some((newest, last.unwrap_or(i64::MIN))))
}

fn none_for_no_row<T>(error: HistoryError) -> Result<Option<T>, HistoryError> {
    match error {
        HistoryError::File(DbError::Sqlite { source: rusqlite::Error::QueryReturnedNoRows, .. }) => Ok(None),
        other => Err(other),
    }
}

fn segment(row: &Row<'_>) -> Result<Segment, HistoryError> {
    let boot: String = row.get(4)?;
    let boot: BootId = boot.parse().map_err(|_| HistoryError::Nonsense { what: "boot", value: boot })?;
    let (id, session) = (row.get(0)?, row.get(1)?);
    Ok(Segment { id, boot, session, every_us: row.get(2)?, lead_us: row.get(3)? })
}

/// Writes a segment.
pub(crate) fn write_segment(connection: &Connection, segment: &Segment) -> Result<(), HistoryError> {
    connection
        .prepare_cached(
            "INSERT INTO segment (id, session, every_us, lead_us, boot) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            segment.id,
            segment.session,
            segment.every_us,
            segment.lead_us,
            segment.boot.to_string()
        ])?;
    Ok(())
}
