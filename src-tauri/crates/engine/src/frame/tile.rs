//! One card's tile.
