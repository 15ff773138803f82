//! Marks: what happened at a moment and has no course, such as an error that the driver reported.
//!
//! A mark rides on a sweep and shares its fate: it is written in the same transaction, and is dropped with a sweep that is late, so no
//! restart loses or doubles it. It is kept as long as hours are, and its segment is not: so the file has its moment by the wall, by the
//! lead that its segment had, and it stands in a chart where the samples beside it stand.
//!
//! A sweep takes 64 marks, the file keeps the newest 100,000 (some 6 MB), an answer tells the newest 2,000.

use std::sync::Arc;

use fanfare_units::Stamp;
use jiff::Timestamp;
use rusqlite::{Connection, Row, Transaction, params};

use crate::{quantity::LARGEST_EXACT, segment::Segment, store::HistoryError, time::micros};

/// The most marks that the file keeps; then the oldest that were recorded go.
pub(crate) const MOST_KEPT: i64 = 100_000;

/// The most marks of a sweep.
pub(crate) const MOST_A_SWEEP: usize = 64;

/// The most marks in an answer.
pub const MOST_MARKS: usize = 2_000;

/// What happened at a mark. Its numbers stand in the file: a number is never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MarkKind {
    /// An error that NVIDIA's driver reports by a number of its own, an Xid; the number is the mark's code.
    Xid = 1,
}

impl MarkKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 1] = [Self::Xid];

    /// Its number in the file.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The kind of a number in the file.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

/// A mark, as it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// When it happened.
    pub at: Stamp,
    /// Whose it is, such as a card by its UUID; none if nobody was named.
    pub subject: Option<Arc<str>>,
    /// What it was.
    pub kind: MarkKind,
    /// More of it, up to 2^53 − 1; one with a larger code is dropped, and counted as refused.
    pub code: u64,
}

/// A mark, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastMark {
    /// When it happened, by the wall, in microseconds since 1970.
    pub wall_us: i64,
    /// Whose it is; none if nobody was named.
    pub subject: Option<Arc<str>>,
    /// What it was.
    pub kind: MarkKind,
    /// More of it.
    pub code: u64,
}

impl PastMark {
    /// A mark that comes with a sweep of a segment; `None` if its code cannot be kept.
    pub(crate) fn of(mark: &Mark, segment: &Segment) -> Option<Self> {
        // One of another boot than its sweep has no lead to go by.
        let wall_us = if mark.at.boot == segment.boot {
            segment.wall_us(micros(mark.at.boottime))
        } else {
            mark.at.wall.as_microsecond()
        };
        let is_exact = i64::try_from(mark.code).is_ok_and(|code| code <= LARGEST_EXACT);
        is_exact.then(|| Self { wall_us, subject: mark.subject.clone(), kind: mark.kind, code: mark.code })
    }

    fn read(row: &Row<'_>) -> Result<Self, HistoryError> {
        let (kind, code): (u8, i64) = (row.get(1)?, row.get(2)?);
        let nonsense = |what, value: i64| HistoryError::Nonsense { what, value: value.to_string() };
        let subject: Option<String> = row.get(3)?;
        Ok(Self {
            wall_us: row.get(0)?,
            subject: subject.map(Arc::from),
            kind: MarkKind::of_number(kind).ok_or_else(|| nonsense("kind of a mark", kind.into()))?,
            code: u64::try_from(code).map_err(|_| nonsense("code of a mark", code))?,
        })
    }
}

/// Which marks are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Of one subject; none for all, those of nobody among them.
    pub(crate) subject: Option<&'a str>,
    pub(crate) from_us: i64,
    pub(crate) to_us: i64,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(subject: Option<&'a str>, from: Timestamp, to: Timestamp) -> Self {
        Self { subject, from_us: from.as_microsecond(), to_us: to.as_microsecond() }
    }

    fn wants(&self, mark: &PastMark) -> bool {
        let is_of_subject = self.subject.is_none_or(|subject| mark.subject.as_deref() == Some(subject));
        is_of_subject && (self.from_us..self.to_us).contains(&mark.wall_us)
    }
}

/// The marks of a stretch of time, by the wall.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The newest [`MOST_MARKS`] of them, in the order of time.
    pub marks: Vec<PastMark>,
    /// How many older ones are left out.
    pub left_out: u64,
}

/// Those in the file and, of what waits in memory, `held`.
pub(crate) fn find<'m>(
    connection: &Connection,
    held: impl Iterator<Item = &'m PastMark>,
    wanted: Wanted<'_>,
) -> Result<Marks, HistoryError> {
    let mut marks: Vec<PastMark> = held.filter(|mark| wanted.wants(mark)).cloned().collect();
    let mut statement = connection.prepare_cached(
        "SELECT wall_us, kind, code, subject FROM mark
         WHERE wall_us >= ?1 AND wall_us < ?2 AND (?3 IS NULL OR subject = ?3) ORDER BY wall_us DESC LIMIT ?4",
    )?;
    let most = i64::try_from(MOST_MARKS).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![wanted.from_us, wanted.to_us, wanted.subject, most])?;
    let mut read = 0;
    while let Some(row) = rows.next()? {
        marks.push(PastMark::read(row)?);
        read += 1;
    }
    let stored = if read < MOST_MARKS { read } else { count(connection, wanted)? };
    marks.sort_by_key(|mark| mark.wall_us);
    let told = marks.split_off(marks.len().saturating_sub(MOST_MARKS));
    let left_out = marks.len() + stored.saturating_sub(read);
    Ok(Marks { marks: told, left_out: u64::try_from(left_out).unwrap_or(u64::MAX) })
}

fn count(connection: &Connection, wanted: Wanted<'_>) -> Result<usize, HistoryError> {
    let count: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM mark WHERE wall_us >= ?1 AND wall_us < ?2 AND (?3 IS NULL OR subject = ?3)",
        )?
        .query_row(params![wanted.from_us, wanted.to_us, wanted.subject], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// Writes marks, and lets the oldest go that are too many.
pub(crate) fn write(transaction: &Transaction<'_>, marks: &[PastMark]) -> Result<(), HistoryError> {
    if marks.is_empty() {
        return Ok(());
    }
    let mut insert = transaction
        .prepare_cached("INSERT INTO mark (wall_us, kind, code, subject) VALUES (?1, ?2, ?3, ?4)")?;
    for mark in marks {
        let code = i64::try_from(mark.code).unwrap_or(i64::MAX);
        insert.execute(params![mark.wall_us, mark.kind.number(), code, mark.subject.as_deref()])?;
    }
    // Numbers rise by one, and none but the oldest ever go.
    transaction
        .prepare_cached("DELETE FROM mark WHERE id <= (SELECT max(id) FROM mark) - ?1")?
        .execute(params![MOST_KEPT])?;
    Ok(())
}

/// How many there are in all, each readable.
pub(crate) fn check(connection: &Connection, mut finds: impl FnMut(String)) -> Result<u64, HistoryError> {
    let mut statement = connection.prepare("SELECT wall_us, kind, code, subject, id FROM mark")?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        if let Err(error) = PastMark::read(row) {
            finds(format!("mark {}: {error}", row.get::<_, i64>(4)?));
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests;
