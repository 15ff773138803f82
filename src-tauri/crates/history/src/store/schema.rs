//! The tables of `history.db`.
//!
//! Time is stored once for a sweep and not once for a series. Sweeps lie first as rows of the whole rig in `tail`, one a commit. When
//! an hour of a segment is over, its rows become a `sheet` with the times, a `chunk` a series, and the hour's minutes of the whole
//! rig in `fresh`. When a day of UTC is over, its rows of `fresh` become one `pack` a series of minutes, and are added to one of
//! hours that holds thirty days. Each of these steps is one transaction. Marks lie in `mark` from the commit of their sweep on.
//!
//! Blobs stand last in their rows, so that SQLite reads what is before them without them. Rows of `chunk` lie in the order in
//! which they came, hour by hour: an hour's pages are written once, and are freed as a whole when the hour is.

/// Each version of the schema in turn; never edit one that was released, only add.
pub(super) const VERSIONS: [&str; 1] = [FIRST];

const FIRST: &str = "
-- A subject's quantity; rows refer to it by number.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    quantity INTEGER NOT NULL,
    subject TEXT NOT NULL,
    UNIQUE (subject, quantity)
) STRICT;

-- Boot, driver session, pace and the wall's lead over the time since boot, in microseconds.
CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    every_us INTEGER NOT NULL,
    lead_us INTEGER NOT NULL,
    boot TEXT NOT NULL
) STRICT;

-- Sweeps of one segment and one hour of the wall (counted from 1970) that are not sealed yet; times since boot.
CREATE TABLE tail (
    id INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL REFERENCES segment,
    hour INTEGER NOT NULL,
    sweeps INTEGER NOT NULL,
    first_us INTEGER NOT NULL,
    last_us INTEGER NOT NULL,
    block BLOB NOT NULL
) STRICT;

-- The times of a sealed hour of a segment.
CREATE TABLE sheet (
    id INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL REFERENCES segment,
    hour INTEGER NOT NULL,
    sweeps INTEGER NOT NULL,
    first_us INTEGER NOT NULL,
    last_us INTEGER NOT NULL,
    block BLOB NOT NULL,
    UNIQUE (hour, segment)
) STRICT;

-- The values of one series in a sealed hour.
CREATE TABLE chunk (
    sheet INTEGER NOT NULL REFERENCES sheet,
    series INTEGER NOT NULL REFERENCES series,
    block BLOB NOT NULL,
    PRIMARY KEY (sheet, series)
) STRICT;

-- The minutes of all series in a sealed hour, until its day is over.
CREATE TABLE fresh (
    id INTEGER PRIMARY KEY,
    hour INTEGER NOT NULL,
    block BLOB NOT NULL
) STRICT;

-- The cells of one series over a span: level 1 minutes by the day, level 2 hours by thirty days, spans counted from 1970.
CREATE TABLE pack (
    level INTEGER NOT NULL,
    series INTEGER NOT NULL REFERENCES series,
    span INTEGER NOT NULL,
    block BLOB NOT NULL,
    PRIMARY KEY (level, series, span)
) STRICT;

-- What happened at a moment of the wall, in microseconds since 1970, since no segment is kept so long; kind 1 is an Xid.
CREATE TABLE mark (
    id INTEGER PRIMARY KEY,
    wall_us INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    code INTEGER NOT NULL,
    subject TEXT
) STRICT;
CREATE INDEX mark_by_wall ON mark (wall_us);
";
