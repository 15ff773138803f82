//! An hour's sums, and how an interval is added to them.

use super::{means::Means, reading::Tenancy, split::Piece};

/// A card is idle while its core is busy for less than this share of the time, in %.
pub const IDLE_BELOW: u8 = 5;

/// Twice the nanojoules in a millijoule: the unit in which the energy of samples is exact.
const HALF_NANOJOULES: u128 = 2_000_000;

/// Some time, and the energy in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Milliseconds.
    pub ms: u64,
    /// Millijoules.
    pub mj: u64,
}

impl std::ops::AddAssign for Share {
    fn add_assign(&mut self, more: Self) {
        // 2^64 mJ are 5 TWh: only a counter that answers nonsense comes there.
        self.ms = self.ms.saturating_add(more.ms);
        self.mj = self.mj.saturating_add(more.mj);
    }
}

/// What a card consumed, by how that is known and by how the card was used.
///
/// `counted`, `measured` and `estimated` together are what is known. Idle and load are parts of it, rented and free others; what is
/// in neither of two was not told. Vacant is what is idle and free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// By the card's own counter.
    pub counted: Share,
    /// By samples of its power.
    pub measured: Share,
    /// By its load and power limit: a guess.
    pub estimated: Share,
    /// Milliseconds of which nothing is known.
    pub unknown_ms: u64,
    /// While it did nothing.
    pub idle: Share,
    /// While it worked.
    pub load: Share,
    /// While it was rented.
    pub rented: Share,
    /// While it was known not to be rented.
    pub free: Share,
    /// While it did nothing and was known not to be rented.
    pub vacant: Share,
}

impl Sums {
    /// Time of which the energy is known, and that energy.
    pub fn known(&self) -> Share {
        let mut known = self.counted;
        known += self.measured;
        known += self.estimated;
        known
    }

    /// Adds other sums.
    pub fn add(&mut self, more: &Self) {
        self.counted += more.counted;
        self.measured += more.measured;
        self.estimated += more.estimated;
        self.unknown_ms += more.unknown_ms;
        self.idle += more.idle;
        self.load += more.load;
        self.rented += more.rented;
        self.free += more.free;
        self.vacant += more.vacant;
    }
}

/// How a card was used in an interval; none where that is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) idle: Option<bool>,
    pub(super) tenancy: Option<Tenancy>,
}

/// An hour that is being filled.
#[derive(Debug, Clone)]
pub(super) struct Open {
    /// The hour that its row will be of.
    pub(super) hour: i64,
    pub(super) sums: Sums,
    /// What the millijoules of samples and of guesses left over, in half nanojoules.
    measured_rest: u128,
    estimated_rest: u128,
}

impl Open {
    pub(super) fn new(hour: i64) -> Self {
        // Half a millijoule ahead, so that what an hour drops at its end rounds it to the nearest.
        let rest = HALF_NANOJOULES / 2;
        Self { hour, sums: Sums::default(), measured_rest: rest, estimated_rest: rest }
    }

    /// Adds a piece of an interval; of a counted one, `counted_mj` is the piece's part.
    pub(super) fn add(&mut self, piece: Piece, means: Means, counted_mj: u64, usage: Use) {
        let Piece { us, ms, .. } = piece;
        let known = match means {
            Means::Counted { .. } => {
                let share = Share { ms, mj: counted_mj };
                self.sums.counted += share;
                share
            }
            Means::Measured { twice_mw } => {
                let share = Share { ms, mj: whole_mj(&mut self.measured_rest, twice_mw, us) };
                self.sums.measured += share;
                share
            }
            Means::Estimated { twice_mw } => {
                let share = Share { ms, mj: whole_mj(&mut self.estimated_rest, twice_mw, us) };
                self.sums.estimated += share;
                share
            }
            Means::Unknown => {
                self.sums.unknown_ms += ms;
                return;
            }
        };
        self.add_use(known, usage);
    }

    fn add_use(&mut self, known: Share, usage: Use) {
        match usage.idle {
            Some(true) => self.sums.idle += known,
            Some(false) => self.sums.load += known,
            None => {}
        }
        match usage.tenancy {
            Some(Tenancy::Rented) => self.sums.rented += known,
            Some(Tenancy::Free) => self.sums.free += known,
            None => {}
        }
        if usage == (Use { idle: Some(true), tenancy: Some(Tenancy::Free) }) {
            self.sums.vacant += known;
        }
    }
}

/// The whole millijoules of a power over a time, with what the pieces before left over; what is left over now stays in `rest`.
fn whole_mj(rest: &mut u128, twice_mw: u64, us: u64) -> u64 {
    let energy = *rest + u128::from(twice_mw) * u128::from(us);
    *rest = energy % HALF_NANOJOULES;
    u64::try_from(energy / HALF_NANOJOULES).unwrap_or(u64::MAX)
}
