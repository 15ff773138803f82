//! Card-hours as rows of the table: how they are written, and read back.

use std::ops::Range;

use fanfare_units::BootId;
use rusqlite::{Connection, OptionalExtension, Row, named_params, types::FromSql};

use super::LedgerError;
use crate::{At, Cursor, Share, Sums, WallTerms};

/// A closed hour of a card, or one as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardHour {
    /// The card.
    pub card: String,
    /// The hour of UTC, counted from 1970.
    pub hour: i64,
    /// What the card consumed.
    pub sums: Sums,
    /// What the rig drew besides its cards, as it was in force.
    pub terms: WallTerms,
    /// Where the card's account goes on behind it.
    pub cursor: Cursor,
}

const INSERT: &str = "
INSERT INTO card_hour (hour, card,
    counted_ms, counted_mj, measured_ms, measured_mj, estimated_ms, estimated_mj, unknown_ms,
    idle_ms, idle_mj, load_ms, load_mj, rented_ms, rented_mj, free_ms, free_mj, vacant_ms, vacant_mj,
    cards, base_mw, efficiency_ppm, guessed, boot, boottime_us, wall_us, done_us, limit_mw)
VALUES (:hour, :card,
    :counted_ms, :counted_mj, :measured_ms, :measured_mj, :estimated_ms, :estimated_mj, :unknown_ms,
    :idle_ms, :idle_mj, :load_ms, :load_mj, :rented_ms, :rented_mj, :free_ms, :free_mj, :vacant_ms, :vacant_mj,
    :cards, :base_mw, :efficiency_ppm, :guessed, :boot, :boottime_us, :wall_us, :done_us, :limit_mw)";

/// Adds a row; false if there is one of its card and hour already, which then stays as it is.
pub(super) fn insert(connection: &Connection, row: &CardHour) -> Result<bool, LedgerError> {
    let CardHour { sums, terms, cursor, .. } = row;
    if exists(connection, &row.card, row.hour)? {
        return Ok(false);
    }
    connection.prepare_cached(INSERT)?.execute(named_params! {
        ":hour": row.hour,
        ":card": row.card,
        ":counted_ms": whole("counted_ms", sums.counted.ms)?,
        ":counted_mj": whole("counted_mj", sums.counted.mj)?,
        ":measured_ms": whole("measured_ms", sums.measured.ms)?,
        ":measured_mj": whole("measured_mj", sums.measured.mj)?,
        ":estimated_ms": whole("estimated_ms", sums.estimated.ms)?,
        ":estimated_mj": whole("estimated_mj", sums.estimated.mj)?,
        ":unknown_ms": whole("unknown_ms", sums.unknown_ms)?,
        ":idle_ms": whole("idle_ms", sums.idle.ms)?,
        ":idle_mj": whole("idle_mj", sums.idle.mj)?,
        ":load_ms": whole("load_ms", sums.load.ms)?,
        ":load_mj": whole("load_mj", sums.load.mj)?,
        ":rented_ms": whole("rented_ms", sums.rented.ms)?,
        ":rented_mj": whole("rented_mj", sums.rented.mj)?,
        ":free_ms": whole("free_ms", sums.free.ms)?,
        ":free_mj": whole("free_mj", sums.free.mj)?,
        ":vacant_ms": whole("vacant_ms", sums.vacant.ms)?,
        ":vacant_mj": whole("vacant_mj", sums.vacant.mj)?,
        ":cards": terms.cards,
        ":base_mw": terms.base_mw,
        ":efficiency_ppm": terms.efficiency_ppm,
        ":guessed": terms.guessed,
        ":boot": cursor.at.boot.to_string(),
        ":boottime_us": cursor.at.boottime_us,
        ":wall_us": cursor.at.wall_us,
        ":done_us": cursor.done_us,
        ":limit_mw": cursor.limit_mw,
    })?;
    Ok(true)
}

/// Shows the rows of a card from one hour to before another, in order. One is in memory at a time.
pub(super) fn each_between(
    connection: &Connection,
    card: &str,
    hours: Range<i64>,
    mut each: impl FnMut(CardHour),
) -> Result<(), LedgerError> {
    let mut statement = connection
        .prepare_cached("SELECT * FROM card_hour WHERE card = ? AND hour >= ? AND hour < ? ORDER BY hour")?;
    let mut rows = statement.query((card, hours.start, hours.end))?;
    while let Some(row) = rows.next()? {
        each(card_hour(row)?);
    }
    Ok(())
}

/// The row of a card that was added last.
pub(super) fn last(connection: &Connection, card: &str) -> Result<Option<CardHour>, LedgerError> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM card_hour WHERE card = ? ORDER BY id DESC LIMIT 1")?;
    statement.query_row([card], |row| Ok(card_hour(row))).optional()?.transpose()
}

/// Whether there is a row of a card and hour.
pub(super) fn exists(connection: &Connection, card: &str, hour: i64) -> Result<bool, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM card_hour WHERE card = ? AND hour = ?")?;
    Ok(statement.exists((card, hour))?)
}

/// Whether a row of a card ends in a boot.
pub(super) fn ends_in(connection: &Connection, card: &str, boot: BootId) -> Result<bool, LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM card_hour INDEXED BY card_hour_last WHERE card = ? AND boot = ? ORDER BY id DESC LIMIT 1",
    )?;
    Ok(statement.exists((card, boot.to_string()))?)
}

/// Every card of which there is a row.
pub(super) fn cards(connection: &Connection) -> Result<Vec<String>, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT DISTINCT card FROM card_hour ORDER BY card")?;
    let cards = statement.query_map([], |row| row.get(0))?;
    Ok(cards.collect::<Result<_, _>>()?)
}

fn card_hour(row: &Row<'_>) -> Result<CardHour, LedgerError> {
    // In the order of the table's columns, after its own number: by name each would be searched for.
    let mut columns = Columns { row, next: 1 };
    let (hour, card) = (columns.take()?, columns.take()?);
    let sums = Sums {
        counted: columns.share("counted")?,
        measured: columns.share("measured")?,
        estimated: columns.share("estimated")?,
        unknown_ms: columns.number("unknown_ms")?,
        idle: columns.share("idle")?,
        load: columns.share("load")?,
        rented: columns.share("rented")?,
        free: columns.share("free")?,
        vacant: columns.share("vacant")?,
    };
    let terms = WallTerms {
        cards: columns.take()?,
        base_mw: columns.take()?,
        efficiency_ppm: columns.take()?,
        guessed: columns.take()?,
    };
    let at = At { boot: columns.boot()?, boottime_us: columns.take()?, wall_us: columns.take()? };
    let cursor = Cursor { at, done_us: columns.take()?, limit_mw: columns.take()? };
    Ok(CardHour { card, hour, sums, terms, cursor })
}

/// The columns of a row, one after another.
struct Columns<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl Columns<'_, '_> {
    fn take<T: FromSql>(&mut self) -> Result<T, LedgerError> {
        self.next += 1;
        Ok(self.row.get(self.next - 1)?)
    }

    fn number(&mut self, what: &'static str) -> Result<u64, LedgerError> {
        let value: i64 = self.take()?;
        u64::try_from(value).map_err(|_| LedgerError::Nonsense { what, value: value.to_string() })
    }

    fn share(&mut self, what: &'static str) -> Result<Share, LedgerError> {
        Ok(Share { ms: self.number(what)?, mj: self.number(what)? })
    }

    fn boot(&mut self) -> Result<BootId, LedgerError> {
        let boot: String = self.take()?;
        boot.parse().map_err(|_| LedgerError::Nonsense { what: "boot", value: boot })
    }
}

fn whole(what: &'static str, value: u64) -> Result<i64, LedgerError> {
    i64::try_from(value).map_err(|_| LedgerError::TooLarge { what, value })
}
