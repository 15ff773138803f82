//! The tables of `ledger.db`. Rows are only ever added: triggers refuse to change or delete any.

/// Each version of the schema in turn; never edit one that was released, only add.
pub(super) const VERSIONS: [&str; 1] = [FIRST];

/// Times in milliseconds and energies in millijoules, but for the cursor's, which are in microseconds; hours are of UTC, counted from
/// 1970. Numbers rise in the order of posting, so that the last row of a card has its cursor.
const FIRST: &str = "
CREATE TABLE card_hour (
    id INTEGER PRIMARY KEY,
    hour INTEGER NOT NULL,
    card TEXT NOT NULL,
    counted_ms INTEGER NOT NULL CHECK (counted_ms >= 0),
    counted_mj INTEGER NOT NULL CHECK (counted_mj >= 0),
    measured_ms INTEGER NOT NULL CHECK (measured_ms >= 0),
    measured_mj INTEGER NOT NULL CHECK (measured_mj >= 0),
    estimated_ms INTEGER NOT NULL CHECK (estimated_ms >= 0),
    estimated_mj INTEGER NOT NULL CHECK (estimated_mj >= 0),
    unknown_ms INTEGER NOT NULL CHECK (unknown_ms >= 0),
    idle_ms INTEGER NOT NULL CHECK (idle_ms >= 0),
    idle_mj INTEGER NOT NULL CHECK (idle_mj >= 0),
    load_ms INTEGER NOT NULL CHECK (load_ms >= 0),
    load_mj INTEGER NOT NULL CHECK (load_mj >= 0),
    rented_ms INTEGER NOT NULL CHECK (rented_ms >= 0),
    rented_mj INTEGER NOT NULL CHECK (rented_mj >= 0),
    free_ms INTEGER NOT NULL CHECK (free_ms >= 0),
    free_mj INTEGER NOT NULL CHECK (free_mj >= 0),
    vacant_ms INTEGER NOT NULL CHECK (vacant_ms >= 0),
    vacant_mj INTEGER NOT NULL CHECK (vacant_mj >= 0),
    -- What the rig itself drew, and what its supply lost, as they were in force.
    cards INTEGER NOT NULL CHECK (cards >= 0),
    base_mw INTEGER NOT NULL CHECK (base_mw >= 0),
    efficiency_ppm INTEGER NOT NULL CHECK (efficiency_ppm >= 0),
    guessed INTEGER NOT NULL CHECK (guessed IN (0, 1)),
    -- Where the account goes on behind this hour.
    boot TEXT NOT NULL CHECK (length(boot) = 32),
    boottime_us INTEGER NOT NULL,
    wall_us INTEGER NOT NULL,
    done_us INTEGER NOT NULL CHECK (done_us >= 0),
    limit_mw INTEGER CHECK (limit_mw >= 0),
    UNIQUE (card, hour),
    CHECK (idle_ms + load_ms <= counted_ms + measured_ms + estimated_ms),
    CHECK (idle_mj + load_mj <= counted_mj + measured_mj + estimated_mj),
    CHECK (rented_ms + free_ms <= counted_ms + measured_ms + estimated_ms),
    CHECK (rented_mj + free_mj <= counted_mj + measured_mj + estimated_mj),
    CHECK (vacant_ms <= min(idle_ms, free_ms)),
    CHECK (vacant_mj <= min(idle_mj, free_mj))
) STRICT;

-- The last row of a card.
CREATE INDEX card_hour_last ON card_hour (card);

CREATE TRIGGER card_hour_stays BEFORE UPDATE ON card_hour
BEGIN SELECT raise(ABORT, 'a closed hour is never changed'); END;
CREATE TRIGGER card_hour_remains BEFORE DELETE ON card_hour
BEGIN SELECT raise(ABORT, 'a closed hour is never deleted'); END;
-- What an `INSERT OR REPLACE` deletes fires no trigger of deletion in a program that has not asked for that.
CREATE TRIGGER card_hour_stands BEFORE INSERT ON card_hour
WHEN EXISTS (SELECT 1 FROM card_hour WHERE card = NEW.card AND hour = NEW.hour)
    OR EXISTS (SELECT 1 FROM card_hour WHERE id = NEW.id)
BEGIN SELECT raise(ABORT, 'a closed hour is never replaced'); END;
";
