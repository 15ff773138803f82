//! Keeping the account of energy: hours that are over are made from the history's sweeps and posted to `ledger.db`, each once.
//!
//! It lives on the thread that records ([`recording`](crate::recording)), and is called there once an hour of the wall is over, again
//! while the sweeps that close the hour are on their way, and at the start before anything new is recorded. What an hour is, is decided by `fanfare_ledger`'s account; where it goes on, by the
//! ledger's last row of the card. So a restart loses nothing that is in the history, and nothing is posted twice.
//!
//! When `ledger.db` takes nothing, recording goes on: what could not be posted waits in memory, is shown as what may still change, and
//! is tried again. That is bounded: beyond some hundred days of eight cards it is thrown away, and read from the history again.
//!
//! Worst cases: an hour of eight cards is read in some 20 ms and posted by one commit; a lock of another process is waited for up to 3 s;
//! the first reading of a card whose cursor lies 8 days back takes half a second. A question about ten years of eight cards reads
//! 700,000 rows, in some seconds; about a month, 6,000.

mod answer;
mod book;
mod readings;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, ops::Range, path::PathBuf, sync::Arc};

use fanfare_dbfile::DbError;
use fanfare_history::HistoryError;
use fanfare_ledger::{CardHour, Hour, Ledger, LedgerError, LedgerReader, WallTerms, Week, hour_of};
use fanfare_rig::CardUuid;
use fanfare_units::Stamp;
use jiff::{Timestamp, tz::TimeZone};

use crate::{
    api::{ApiError, EnergyReport, ErrorCode, Reply, WeekReport},
    recording::Witness,
    rig_state::{FileHealth, Unstored},
    settings::PowerSettings,
};
use answer::{Sum, hours, told_week};
use book::Books;

/// Hours that may wait to be posted: a hundred days of eight cards.
const PENDING_MOST: usize = 20_000;

/// For so long after an hour's end a card that is still in it is looked at again: what closes its hour is on its way. A probe sweeps
/// once a minute at the slowest, and its sweeps come some seconds later.
const ON_ITS_WAY_US: i64 = 150_000_000;

/// A question about the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// What is wanted.
    pub(crate) what: What,
    /// The rig's cards in slot order; others that there is something of come after them.
    pub(crate) cards: Vec<CardUuid>,
    /// What holds for hours that are not posted yet.
    pub(crate) terms: WallTerms,
    /// In milliseconds since 1970: the first hour is the one that this lies in …
    pub(crate) from_ms: i64,
    /// … the last the one before this, or that this lies in.
    pub(crate) to_ms: i64,
}

/// What is wanted of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// Totals of each card.
    Energy,
    /// The hours of the week, in this zone.
    Week {
        /// As the settings have it.
        zone: String,
    },
}

/// Why the account cannot be kept or told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AccountError {
    /// The history cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// What the rig draws besides its cards, by the settings, for so many installed cards.
pub(crate) fn terms(settings: &PowerSettings, cards: usize) -> WallTerms {
    WallTerms {
        cards: u32::try_from(cards).unwrap_or(u32::MAX),
        base_mw: settings.base_mw(),
        efficiency_ppm: u32::from(settings.efficiency_percent()) * 10_000,
        guessed: settings.is_guess(),
    }
}

/// Keeps the account.
#[derive(Debug)]
pub(crate) struct Accountant {
    directory: PathBuf,
    ledger: Option<Ledger>,
    books: Books,
    /// What holds for hours that are posted from now on; nothing is posted before it is known.
    terms: Option<WallTerms>,
    /// Closed hours that are not posted yet.
    pending: Vec<CardHour>,
    /// The hour of the wall in which everything that was over had been posted, or was not waited for any more.
    posted_in: Option<i64>,
    health: FileHealth,
}

impl Accountant {
    /// One that keeps the account in `directory`; the file is opened by [`open`](Self::open).
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            ledger: None,
            books: Books::default(),
            terms: None,
            pending: Vec::new(),
            posted_in: None,
            health: FileHealth::default(),
        }
    }

    /// Opens the file, if it is not open. If somebody took it away, a new one is begun and gets what the history has.
    pub(crate) fn open(&mut self, now: Timestamp) {
        if self.ledger.take_if(|ledger| ledger.is_lost()).is_some() {
            tracing::warn!("ledger.db was taken away or replaced; it is opened anew");
            self.posted_in = None;
        }
        if self.ledger.is_some() {
            return;
        }
        match Ledger::open_or_begin(&self.directory, now) {
            Ok(opened) => {
                if let Some(aside) = opened.set_aside {
                    self.health.set_aside = Some(format!("{} ({})", aside.path.display(), aside.why));
                }
                self.health.unstored = None;
                // What was made without it may be in it.
                self.begin_anew();
                self.ledger = Some(opened.db);
            }
            Err(error) => self.health.unstored = Some(unstored(&error)),
        }
    }

    /// How the file fares.
    pub(crate) const fn health(&self) -> &FileHealth {
        &self.health
    }

    /// What holds for hours that are posted from now on.
    pub(crate) fn set_terms(&mut self, terms: WallTerms) {
        if self.terms.replace(terms).is_none() {
            // What was closed for an answer before has been given the terms of that answer.
            self.begin_anew();
        }
    }

    /// Posts what is over, unless that was done in this hour of the wall.
    pub(crate) fn post_once_an_hour(&mut self, history: Witness<'_>, now: &Stamp) {
        let this_hour = hour_of(now.wall.as_microsecond());
        if self.ledger.is_none() || self.terms.is_none() || self.posted_in == Some(this_hour) {
            return;
        }
        match self.close(history, now) {
            Ok(()) => {
                if self.post() && self.is_done_for(now) {
                    self.posted_in = Some(this_hour);
                    self.back_up(now.wall);
                }
            }
            // The history says so itself; the ledger is read before it is written.
            Err(AccountError::History(error)) => tracing::warn!(%error, "the account waits for the history"),
            Err(AccountError::Ledger(error)) => self.health.unstored = Some(unstored(&error)),
        }
    }

    /// Answers from the ledger, and from what is over or still open in the history.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn answer(&mut self, asked: &Asked, history: Witness<'_>) -> Result<Reply, ApiError> {
        self.answered(asked, history).map_err(|error| not_readable(&error))
    }

    fn answered(&mut self, asked: &Asked, history: Witness<'_>) -> Result<Reply, AccountError> {
        let terms = self.terms.unwrap_or(asked.terms);
        // Where it cannot be written, it can perhaps be read.
        let elsewhere = if self.ledger.is_none() { self.read_alone()? } else { None };
        for card in history.subjects()? {
            let ledger = self.ledger.as_ref().map(Ledger::reader).or(elsewhere.as_ref());
            let closed = self.books.catch_up(&card, history, ledger)?;
            self.await_posting(&card, closed, terms);
        }
        let ledger = self.ledger.as_ref().map(Ledger::reader).or(elsewhere.as_ref());
        let known = Known { ledger, pending: &self.pending, books: &self.books, terms };
        known.told(asked)
    }

    /// The file, for reading alone; none if there is none.
    fn read_alone(&self) -> Result<Option<LedgerReader>, LedgerError> {
        match LedgerReader::open(&self.directory) {
            // One of version 0 is just being made.
            Err(LedgerError::Older { theirs: 0, .. }) => Ok(None),
            opened => opened,
        }
    }

    /// Brings all books up to the history, and takes the hours that this closes among those that wait to be posted.
    fn close(&mut self, history: Witness<'_>, now: &Stamp) -> Result<(), AccountError> {
        let Some(terms) = self.terms else { return Ok(()) };
        for card in history.subjects()? {
            let ledger = self.ledger.as_ref().map(Ledger::reader);
            let mut closed = self.books.catch_up(&card, history, ledger)?;
            closed.extend(self.books.hear(&card, now, ledger)?);
            self.await_posting(&card, closed, terms);
        }
        Ok(())
    }

    fn await_posting(&mut self, card: &Arc<str>, closed: Vec<Hour>, terms: WallTerms) {
        let row = |hour: Hour| card_hour(card, hour, terms);
        self.pending.extend(closed.into_iter().map(row));
        if self.pending.len() > PENDING_MOST {
            tracing::warn!(hours = self.pending.len(), "ledger.db takes nothing: they are read again later");
            self.begin_anew();
        }
    }

    /// Whether no card is in an hour any more that is over, or none of them is waited for: one that is silent may be in it for a day.
    fn is_done_for(&self, now: &Stamp) -> bool {
        let now_us = now.wall.as_microsecond();
        let this_hour = hour_of(now_us);
        hour_of(now_us.saturating_sub(ON_ITS_WAY_US)) == this_hour || self.books.are_all_in(this_hour)
    }

    /// Posts what waits. Tells whether nothing waits any more.
    fn post(&mut self) -> bool {
        let Some(ledger) = &mut self.ledger else { return false };
        match ledger.post(&self.pending) {
            Ok(posted) => {
                if posted.known > 0 {
                    tracing::warn!(posted.known, "hours stood in ledger.db already and stay as they were");
                }
                self.pending.clear();
                self.health.unstored = None;
                true
            }
            Err(error) => {
                self.health.unstored = Some(unstored(&error));
                false
            }
        }
    }

    fn back_up(&mut self, now: Timestamp) {
        let Some(ledger) = &self.ledger else { return };
        if let Err(error) = ledger.back_up_daily(&self.directory, now) {
            self.health.unstored = Some(unstored(&error));
        }
    }

    fn begin_anew(&mut self) {
        self.books.forget();
        self.pending.clear();
    }
}

/// All that is known of energy.
struct Known<'a> {
    ledger: Option<&'a LedgerReader>,
    pending: &'a [CardHour],
    books: &'a Books,
    terms: WallTerms,
}

impl Known<'_> {
    fn told(&self, asked: &Asked) -> Result<Reply, AccountError> {
        let range = hours(asked.from_ms, asked.to_ms);
        let cards = self.cards(&asked.cards)?;
        match &asked.what {
            What::Energy => {
                let mut report = EnergyReport::default();
                for uuid in cards {
                    let mut sum = Sum::default();
                    self.each(&uuid, &range, |hour, is_open| sum.add(hour, is_open))?;
                    report.cards.extend(sum.told(uuid));
                }
                Ok(Reply::Energy(report))
            }
            What::Week { zone } => {
                let in_zone = fanfare_units::zone(zone).unwrap_or(TimeZone::UTC);
                let mut report = WeekReport { zone: zone.clone(), cards: Vec::new() };
                for uuid in cards {
                    let (mut week, mut has_any) = (Week::new(in_zone.clone()), false);
                    self.each(&uuid, &range, |hour, _| {
                        week.add(hour);
                        has_any = true;
                    })?;
                    report.cards.extend(has_any.then(|| told_week(uuid, &week)));
                }
                Ok(Reply::Week(report))
            }
        }
    }

    /// The given cards first, then all others that there is something of.
    fn cards(&self, first: &[CardUuid]) -> Result<Vec<CardUuid>, AccountError> {
        let mut others: BTreeSet<CardUuid> =
            self.books.cards().filter_map(|card| card.parse().ok()).collect();
        if let Some(ledger) = self.ledger {
            // What is no card's name is no card of this rig.
            others.extend(ledger.cards()?.iter().filter_map(|card| card.parse().ok()));
        }
        first.iter().for_each(|card| {
            others.remove(card);
        });
        Ok(first.iter().cloned().chain(others).collect())
    }

    /// Shows each hour of a card in a range, with whether it may still change.
    fn each(
        &self,
        card: &CardUuid,
        range: &Range<i64>,
        mut each: impl FnMut(&CardHour, bool),
    ) -> Result<(), AccountError> {
        let card = card.as_str();
        if let Some(ledger) = self.ledger {
            ledger.each_hour(card, range.clone(), |hour| each(&hour, false))?;
        }
        let open = self.books.open(card).map(|hour| card_hour(card, hour, self.terms));
        let waiting = self.pending.iter().filter(|hour| hour.card == card);
        for hour in waiting.chain(&open).filter(|hour| range.contains(&hour.hour)) {
            each(hour, true);
        }
        Ok(())
    }
}

fn card_hour(card: &str, Hour { hour, sums, cursor }: Hour, terms: WallTerms) -> CardHour {
    CardHour { card: card.into(), hour, sums, terms, cursor }
}

fn unstored(error: &LedgerError) -> Unstored {
    match error {
        LedgerError::File(DbError::Newer { .. }) => Unstored::Newer(error.to_string()),
        _ => Unstored::Refused(error.to_string()),
    }
}

fn not_readable(error: &AccountError) -> ApiError {
    ApiError {
        code: ErrorCode::NotReadable,
        message: "the account of energy cannot be read".into(),
        detail: Some(error.to_string()),
    }
}
