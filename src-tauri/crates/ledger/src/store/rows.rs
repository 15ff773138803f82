//! Card-hours as rows of the table: how they are written, and read back.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

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
    :cards, :base_mw, :efficiency_ppm, :guessed, :boot, :boottime_us, :wall_us, :done_us, :limit_mw)
ON CONFLICT (card, hour) DO NOTHING";

/// Adds a row; false if there is one of its card and hour already, which then stays as it is.
pub(super) fn insert(connection: &Connection, row: &CardHour) -> Result<bool, LedgerError> {
    let CardHour { sums, terms, cursor, .. } = row;
    let added = connection.prepare_cached(INSERT)?.execute(named_params! {
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
    Ok(added == 1)
}

/// The rows of a card from one hour to before another, in order.
pub(super) fn between(
    connection: &Connection,
    card: &str,
    hours: std::ops::Range<i64>,
) -> Result<Vec<CardHour>, LedgerError> {
    let mut statement = connection
        .prepare_cached("SELECT * FROM card_hour WHERE card = ? AND hour >= ? AND hour < ? ORDER BY hour")?;
    let mut rows = statement.query((card, hours.start, hours.end))?;
    let mut read = Vec::new();
    while let Some(row) = rows.next()? {
        read.push(card_hour(row)?);
    }
    Ok(read)
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

/// Every card of which there is a row.
pub(super) fn cards(connection: &Connection) -> Result<Vec<String>, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT DISTINCT card FROM card_hour ORDER BY card")?;
    let cards = statement.query_map([], |row| row.get(0))?;
    Ok(cards.collect::<Result<_, _>>()?)
}

fn card_hour(row: &Row<'_>) -> Result<CardHour, LedgerError> {
    let boot: String = row.get("boot")?;
    let at = At {
        boot: boot.parse().map_err(|_| LedgerError::Nonsense { what: "boot", value: boot })?,
        boottime_us: row.get("boottime_us")?,
        wall_us: row.get("wall_us")?,
    };
    Ok(CardHour {
        card: row.get("card")?,
        hour: row.get("hour")?,
        sums: sums(row)?,
        terms: WallTerms {
            cards: row.get("cards")?,
            base_mw: row.get("base_mw")?,
            efficiency_ppm: row.get("efficiency_ppm")?,
            guessed: row.get("guessed")?,
        },
        cursor: Cursor { at, done_us: row.get("done_us")?, limit_mw: row.get("limit_mw")? },
    })
}

fn sums(row: &Row<'_>) -> Result<Sums, LedgerError> {
    let share = |ms, mj| Ok::<_, LedgerError>(Share { ms: number(row, ms)?, mj: number(row, mj)? });
    Ok(Sums {
        counted: share("counted_ms", "counted_mj")?,
        measured: share("measured_ms", "measured_mj")?,
        estimated: share("estimated_ms", "estimated_mj")?,
        unknown_ms: number(row, "unknown_ms")?,
        idle: share("idle_ms", "idle_mj")?,
        load: share("load_ms", "load_mj")?,
        rented: share("rented_ms", "rented_mj")?,
        free: share("free_ms", "free_mj")?,
        vacant: share("vacant_ms", "vacant_mj")?,
    })
}

fn whole(what: &'static str, value: u64) -> Result<i64, LedgerError> {
    i64::try_from(value).map_err(|_| LedgerError::TooLarge { what, value })
}

fn number(row: &Row<'_>, what: &'static str) -> Result<u64, LedgerError> {
    let value: i64 = row.get(what)?;
    u64::try_from(value).map_err(|_| LedgerError::Nonsense { what, value: value.to_string() })
}
