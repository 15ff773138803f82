//! A card's account as it is being kept: it follows the history sweep by sweep, from where the ledger stopped.
//!
//! Books are memory that can be had again. One that met trouble is thrown away, and the next begins at the ledger's last row.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

use fanfare_history::Position;
use fanfare_ledger::{Account, At, Cursor, Hour, LedgerError, LedgerReader, Reading};
use fanfare_units::Stamp;

use super::{AccountError, readings};
use crate::recording::Witness;

/// The books of all cards, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Books {
    books: BTreeMap<Arc<str>, Book>,
}

#[derive(Debug)]
struct Book {
    account: Account,
    /// The last sweep that was taken in.
    read_until: Option<Position>,
}

impl Books {
    /// Brings the book of a card up to what the history has, and gives the hours that this closes.
    ///
    /// # Errors
    /// The history or the ledger cannot be read; the book is then begun anew the next time.
    pub(super) fn catch_up(
        &mut self,
        card: &Arc<str>,
        history: Witness<'_>,
        ledger: Option<&LedgerReader>,
    ) -> Result<Vec<Hour>, AccountError> {
        let mut book = match self.books.remove(card) {
            Some(book) => book,
            None => Book::begin(card, history, ledger)?,
        };
        let closed = book.read(card, history, ledger)?;
        self.books.insert(Arc::clone(card), book);
        Ok(closed)
    }

    /// Tells the book of a card what time it is, and in which boot: what waited for another reading of a boot that is over waits in
    /// vain.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub(super) fn hear(
        &mut self,
        card: &str,
        now: &Stamp,
        ledger: Option<&LedgerReader>,
    ) -> Result<Vec<Hour>, AccountError> {
        match self.books.get_mut(card) {
            Some(book) if book.read_until.is_some_and(|until| until.boot != now.boot) => {
                let silence = Reading::silent(at(now), 0, std::time::Duration::ZERO);
                Ok(book.account.take(&silence, is_posted(card, ledger))?)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Every card that there is a book of.
    pub(super) fn cards(&self) -> impl Iterator<Item = &str> {
        self.books.keys().map(|card| &**card)
    }

    /// The hour of a card that is not closed yet.
    pub(super) fn open(&self, card: &str) -> Option<Hour> {
        self.books.get(card)?.account.open()
    }

    /// Whether no card's open hour is before this one.
    pub(super) fn are_all_in(&self, hour: i64) -> bool {
        self.books.values().filter_map(|book| book.account.open()).all(|open| open.hour >= hour)
    }

    /// Forgets all: the next time they begin where the ledger stops.
    pub(super) fn forget(&mut self) {
        self.books.clear();
    }
}

impl Book {
    fn begin(
        card: &Arc<str>,
        history: Witness<'_>,
        ledger: Option<&LedgerReader>,
    ) -> Result<Self, AccountError> {
        let cursor = ledger.map(|ledger| ledger.cursor(card)).transpose()?.flatten();
        let read_until = match (cursor, ledger) {
            (Some(cursor), Some(ledger)) => begin_after(card, cursor, history, ledger)?,
            _ => None,
        };
        Ok(Self { account: Account::new(cursor), read_until })
    }

    /// Takes in what the history has beyond what was read.
    fn read(
        &mut self,
        card: &Arc<str>,
        history: Witness<'_>,
        ledger: Option<&LedgerReader>,
    ) -> Result<Vec<Hour>, AccountError> {
        let (mut closed, mut failure) = (Vec::new(), Ok(()));
        let (account, read_until) = (&mut self.account, &mut self.read_until);
        history.walk(*read_until, &readings::series(card), |past| {
            match account.take(&readings::reading(past), is_posted(card, ledger)) {
                Ok(hours) => closed.extend(hours),
                Err(error) => {
                    failure = Err(error);
                    return ControlFlow::Break(());
                }
            }
            *read_until = Some(past.position());
            ControlFlow::Continue(())
        })?;
        failure?;
        Ok(closed)
    }
}

/// The position after which a card's account goes on from a cursor: just before the reading there, which is wanted once more.
///
/// If there is nothing of the cursor's boot, all that is there might come after it, and be in the account already: hours that were
/// too old by a wrong clock may be gone while older boots are there. What comes up to the last boot in which a row of the card ends
/// is in the account.
fn begin_after(
    card: &str,
    cursor: Cursor,
    history: Witness<'_>,
    ledger: &LedgerReader,
) -> Result<Option<Position>, AccountError> {
    let before = Position { boot: cursor.at.boot, boottime_us: cursor.at.boottime_us.saturating_sub(1) };
    let (mut first_boot, mut last_known, mut failure) = (None, None, Ok(()));
    history.walk(Some(before), &[], |past| {
        first_boot = Some(past.boot);
        ControlFlow::Break(())
    })?;
    if first_boot.is_none_or(|boot| boot == before.boot) {
        return Ok(Some(before));
    }
    let mut looked_at = None;
    history.walk(None, &[], |past| {
        let is_known = match looked_at {
            Some((boot, is_known)) if boot == past.boot => is_known,
            _ => match ledger.ends_in(card, past.boot) {
                Ok(is_known) => is_known,
                Err(error) => {
                    failure = Err(error);
                    return ControlFlow::Break(());
                }
            },
        };
        looked_at = Some((past.boot, is_known));
        if is_known {
            last_known = Some(past.position());
        }
        ControlFlow::Continue(())
    })?;
    failure?;
    Ok(last_known)
}

fn is_posted<'l>(
    card: &'l str,
    ledger: Option<&'l LedgerReader>,
) -> impl FnMut(i64) -> Result<bool, LedgerError> + 'l {
    move |hour| ledger.map_or(Ok(false), |ledger| ledger.has(card, hour))
}

fn at(stamp: &Stamp) -> At {
    let boottime_us = i64::try_from(stamp.boottime.as_duration().as_micros()).unwrap_or(i64::MAX);
    At { boot: stamp.boot, boottime_us, wall_us: stamp.wall.as_microsecond() }
}
