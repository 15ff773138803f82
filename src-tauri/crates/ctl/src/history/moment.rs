//! A moment as an owner writes it: by the calendar, or back from now.

use std::str::FromStr;

use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};

/// A moment, which may hang on when it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// This one.
    At(Timestamp),
    /// So long before now; a day is 24 hours.
    Ago(SignedDuration),
}

/// The text is no moment.
#[derive(Debug, thiserror::Error)]
#[error("wanted: a time as 2026-11-30T18:00:00Z, a while back from now as 24h or 7d, or now")]
pub(crate) struct MomentError;

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "now" {
            return Ok(Self::Ago(SignedDuration::ZERO));
        }
        if let Ok(at) = text.parse() {
            return Ok(Self::At(at));
        }
        let span: Span = text.parse().map_err(|_| MomentError)?;
        let ago = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| MomentError)?;
        if ago.is_negative() { Err(MomentError) } else { Ok(Self::Ago(ago)) }
    }
}

impl Moment {
    /// The moment, `now` being now; `None` before the year -9999.
    pub(crate) fn at(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::At(at) => Some(at),
            Self::Ago(ago) => now.checked_sub(ago).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_named_or_counted_back_from_now() {
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        for (text, at) in [
            ("now", "2026-11-30T12:00:00Z"),
            ("24h", "2026-11-29T12:00:00Z"),
            ("7d", "2026-11-23T12:00:00Z"),
            ("90m", "2026-11-30T10:30:00Z"),
            ("1d 6h", "2026-11-29T06:00:00Z"),
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05+08:00", "2026-01-01T19:04:05Z"),
        ] {
            let moment: Moment = text.parse().unwrap();
            assert_eq!(moment.at(now), Some(at.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        // A time without a zone is none; nor is the future, or a month, whose length nobody knows.
        for text in ["", "yesterday", "2026-01-02T03:04:05", "-7d", "1mo", "7", "2026-13-01T00:00:00Z"] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
        let long: Moment = "7000000d".parse().unwrap();
        assert_eq!(long.at(Timestamp::UNIX_EPOCH), None, "before all years");
    }
}
