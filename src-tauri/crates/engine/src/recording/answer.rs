//! Questions about the past, answered from the history: by its recorder, or by whoever may only read the file.

use std::{collections::BTreeSet, ops::ControlFlow, sync::Arc};

use fanfare_history::{
    Curve, HistoryError, Level, MOST_POINTS, Past, Position, Question, Reader, Recorder, Series, Stored,
    Usage,
};
use fanfare_rig::CardUuid;
use jiff::Timestamp;

use crate::account::{self, Accountant};
use crate::api::{ApiError, Block, CourseQuestion, ErrorCode, HistoryUsage, Mark, MarkKind, Marks, Reply};

/// The most points of all curves of an answer together: 200 curves of 2,000 points, more than all that is recorded of eight cards.
/// A point is 25 bytes, so a block is 10 MB at most.
pub(crate) const POINTS_MOST: usize = 400_000;

/// A question about the past. Whoever passes it on has seen that its cards are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The course of quantities.
    Course(CourseQuestion),
    /// What the driver reported.
    Marks {
        /// Of one card, or of all and of nobody.
        uuid: Option<CardUuid>,
        /// From this moment on, in milliseconds since 1970 …
        from_ms: i64,
        /// … and before this.
        to_ms: i64,
    },
    /// What it takes on the disk.
    Usage,
    /// Of the account of energy.
    Account(account::Asked),
}

/// How a writing anew of the file goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Since when it is being done; none while it is not.
    pub(super) since: Option<Timestamp>,
    /// Whether the last one came to nothing.
    pub(super) failed: bool,
}

/// Whoever can be asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Witness<'a> {
    /// The one that records: it knows what is not on the disk yet.
    Recorder(&'a Recorder),
    /// The file alone.
    Reader(&'a Reader),
    /// There is no file yet: nothing was recorded.
    Nobody,
}

impl Asked {
    /// Whether the answer may be made.
    ///
    /// # Errors
    /// It would be too large.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        let Self::Course(question) = self else { return Ok(()) };
        let curves = question.uuids.len().saturating_mul(question.quantities.len());
        let points = curves.saturating_mul(points(question));
        if points <= POINTS_MOST { Ok(()) } else { Err(too_much(points)) }
    }

    /// The answer. `compacting` tells how a writing anew of the file goes.
    ///
    /// # Errors
    /// The history or the ledger cannot be read.
    pub(super) fn answered_by(
        &self,
        witness: Witness<'_>,
        accountant: &mut Accountant,
        compacting: Progress,
    ) -> Result<Reply, ApiError> {
        match self {
            Self::Course(question) => {
                let answer = witness.query(&question_of(question)).map_err(|error| not_readable(&error))?;
                Ok(Reply::Course { block: Block(answer.packed()) })
            }
            Self::Marks { uuid, from_ms, to_ms } => {
                let subject = uuid.as_ref().map(CardUuid::as_str);
                let marks = witness.marks(subject, moment(*from_ms), moment(*to_ms));
                Ok(Reply::Marks(told(&marks.map_err(|error| not_readable(&error))?)))
            }
            Self::Usage => {
                let usage = witness.usage().map_err(|error| not_readable(&error))?;
                Ok(Reply::HistoryUsage(usage_of(usage, compacting)))
            }
            Self::Account(asked) => accountant.answer(asked, witness),
        }
    }
}

impl Witness<'_> {
    /// Everything that there is a series of.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(crate) fn subjects(self) -> Result<BTreeSet<Arc<str>>, HistoryError> {
        let series = match self {
            Self::Recorder(recorder) => recorder.series(),
            Self::Reader(reader) => reader.series()?,
            Self::Nobody => Vec::new(),
        };
        Ok(series.into_iter().map(|series| series.subject).collect())
    }

    /// Shows each sweep after a position.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(crate) fn walk(
        self,
        after: Option<Position>,
        series: &[Series],
        each: impl FnMut(&Past<'_>) -> ControlFlow<()>,
    ) -> Result<(), HistoryError> {
        match self {
            Self::Recorder(recorder) => recorder.walk(after, series, each),
            Self::Reader(reader) => reader.walk(after, series, each),
            Self::Nobody => Ok(()),
        }
    }

    fn query(self, question: &Question) -> Result<fanfare_history::Answer, HistoryError> {
        match self {
            Self::Recorder(recorder) => recorder.query(question),
            Self::Reader(reader) => reader.query(question),
            Self::Nobody => Ok(nothing(question)),
        }
    }

    fn marks(
        self,
        subject: Option<&str>,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<fanfare_history::Marks, HistoryError> {
        match self {
            Self::Recorder(recorder) => recorder.marks(subject, from, to),
            Self::Reader(reader) => reader.marks(subject, from, to),
            Self::Nobody => Ok(fanfare_history::Marks::default()),
        }
    }

    fn usage(self) -> Result<Usage, HistoryError> {
        match self {
            Self::Recorder(recorder) => recorder.usage(),
            Self::Reader(reader) => reader.usage(),
            Self::Nobody => Ok(Usage::default()),
        }
    }
}

fn points(question: &CourseQuestion) -> usize {
    usize::try_from(question.points).map_or(MOST_POINTS, |points| points.clamp(1, MOST_POINTS))
}

fn question_of(asked: &CourseQuestion) -> Question {
    let of_card = |uuid: &CardUuid| {
        let subject: Arc<str> = uuid.as_str().into();
        asked.quantities.iter().map(move |quantity| Series { subject: subject.clone(), quantity: *quantity })
    };
    Question {
        series: asked.uuids.iter().flat_map(of_card).collect(),
        from: moment(asked.from_ms),
        to: moment(asked.to_ms),
        points: points(asked),
        level: None,
    }
}

/// The answer where nothing was recorded: each curve, without a time.
fn nothing(question: &Question) -> fanfare_history::Answer {
    let curve = |series: &Series| Curve { series: series.clone(), points: Vec::new() };
    fanfare_history::Answer {
        level: Level::Raw,
        step: None,
        times_us: Vec::new(),
        curves: question.series.iter().map(curve).collect(),
    }
}

/// A moment beyond the calendar (year 9999) is its end.
fn moment(milliseconds: i64) -> Timestamp {
    let end = if milliseconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(milliseconds).unwrap_or(end)
}

fn told(past: &fanfare_history::Marks) -> Marks {
    let mark = |mark: &fanfare_history::PastMark| Mark {
        at_ms: mark.wall_us.div_euclid(1_000),
        // What is no card's name is no card of this rig.
        uuid: mark.subject.as_deref().and_then(|subject| subject.parse().ok()),
        kind: match mark.kind {
            fanfare_history::MarkKind::Xid => MarkKind::Xid { number: mark.code },
        },
    };
    Marks { marks: past.marks.iter().map(mark).collect(), left_out: past.left_out }
}

fn usage_of(usage: Usage, compacting: Progress) -> HistoryUsage {
    let a_day = |stored: Stored| stored.bytes.saturating_mul(24).checked_div(stored.hours);
    HistoryUsage {
        file_bytes: usage.file_bytes,
        sample_bytes_a_day: a_day(usage.samples),
        minute_bytes_a_day: a_day(usage.minutes),
        hours_bytes: usage.hours_bytes,
        compacting_since_ms: compacting.since.map(Timestamp::as_millisecond),
        compacting_failed: compacting.failed,
    }
}

pub(super) fn not_readable(error: &HistoryError) -> ApiError {
    ApiError {
        code: ErrorCode::NotReadable,
        message: "the history cannot be read".into(),
        detail: Some(error.to_string()),
    }
}

fn too_much(points: usize) -> ApiError {
    ApiError {
        code: ErrorCode::TooMuch,
        message: format!("{points} points were asked for, {POINTS_MOST} are the most"),
        detail: None,
    }
}

#[cfg(test)]
mod tests {
    use fanfare_history::Quantity;

    use super::*;
    use crate::fixtures::uuid;

    fn course(cards: u8, quantities: usize, points: u32) -> CourseQuestion {
        CourseQuestion {
            uuids: (1..=cards).map(uuid).collect(),
            quantities: Quantity::ALL.into_iter().cycle().take(quantities).collect(),
            from_ms: 1_000,
            to_ms: 61_000,
            points,
        }
    }

    #[test]
    fn curves_come_card_by_card_and_within_a_card_in_the_order_of_the_quantities() {
        let asked =
            CourseQuestion { quantities: vec![Quantity::Power, Quantity::Temperature], ..course(2, 0, 500) };
        let question = question_of(&asked);
        let series = [
            Series::new(uuid(1).as_str(), Quantity::Power),
            Series::new(uuid(1).as_str(), Quantity::Temperature),
            Series::new(uuid(2).as_str(), Quantity::Power),
            Series::new(uuid(2).as_str(), Quantity::Temperature),
        ];
        assert_eq!(question.series, series);
        assert_eq!((question.points, question.level), (500, None));
        assert_eq!((question.from.as_second(), question.to.as_second()), (1, 61));
    }

    #[test]
    fn all_of_eight_cards_may_be_asked_for_at_once_and_what_would_be_too_large_is_refused() {
        for (asked, serves) in [
            (course(8, 18, 2_000), true),
            (course(10, 20, 2_000), true),
            (course(10, 20, 4_000_000_000), true),
            (course(67, 3, 2_000), false),
            (course(67, 3, 1), true),
            (course(67, 3, 0), true),
            (course(0, 0, 2_000), true),
        ] {
            let checked = Asked::Course(asked.clone()).check();
            assert_eq!(checked.is_ok(), serves, "{asked:?}");
            assert!(checked.is_ok() || checked.is_err_and(|error| error.code == ErrorCode::TooMuch));
        }
    }

    #[test]
    fn where_nothing_was_recorded_each_curve_is_there_and_empty() {
        let asked = Asked::Course(course(2, 3, 2_000));
        let mut accountant = Accountant::new("/nowhere".into());
        let Ok(Reply::Course { block }) =
            asked.answered_by(Witness::Nobody, &mut accountant, Progress::default())
        else {
            panic!()
        };
        // A head of 24 bytes; no time, six curves.
        assert_eq!((block.0.len(), &block.0[8..16]), (24, &[0, 0, 0, 0, 6, 0, 0, 0][..]));
        let usage = Asked::Usage.answered_by(Witness::Nobody, &mut accountant, Progress::default());
        assert!(matches!(usage, Ok(Reply::HistoryUsage(HistoryUsage { file_bytes: 0, .. }))), "{usage:?}");
    }

    #[test]
    fn a_moment_beyond_the_calendar_is_its_end() {
        assert_eq!(moment(i64::MIN), Timestamp::MIN);
        assert_eq!(moment(i64::MAX), Timestamp::MAX);
        assert_eq!(moment(-1).as_millisecond(), -1);
    }

    #[test]
    fn a_day_costs_what_its_hours_have_cost_and_before_the_first_that_is_not_known() {
        let usage = Usage {
            file_bytes: 900_000,
            samples: Stored { bytes: 500_000, hours: 12 },
            minutes: Stored::default(),
            hours_bytes: 7,
        };
        let told = HistoryUsage {
            file_bytes: 900_000,
            sample_bytes_a_day: Some(1_000_000),
            minute_bytes_a_day: None,
            hours_bytes: 7,
            compacting_since_ms: Some(5_000),
            compacting_failed: true,
        };
        assert_eq!(usage_of(usage, Progress { since: Some(moment(5_000)), failed: true }), told);
    }

    #[test]
    fn a_mark_is_told_with_its_card_and_its_number() {
        let past = |wall_us, subject: Option<&str>, code| fanfare_history::PastMark {
            wall_us,
            subject: subject.map(Into::into),
            kind: fanfare_history::MarkKind::Xid,
            code,
        };
        let marks = vec![past(1_999, Some(uuid(3).as_str()), 79), past(2_000, None, 43)];
        let mark = |at_ms, uuid, number| Mark { at_ms, uuid, kind: MarkKind::Xid { number } };
        assert_eq!(
            told(&fanfare_history::Marks { marks, left_out: 5 }),
            Marks { marks: vec![mark(1, Some(uuid(3)), 79), mark(2, None, 43)], left_out: 5 }
        );
    }
}
