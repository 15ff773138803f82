//! Where and at what price to rent: the decision tree, card weights, the forecast, the market position, the price plan.
//!
//! Pure functions over the ledger and the platforms; each answer carries the values that decided it.
