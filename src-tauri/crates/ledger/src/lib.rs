//! Money in and out: accruals, payouts, corrections, tariffs, rates and closed energy hours, as rows that are only ever added.
//!
//! Every figure on the screen is derived from rows, and can name them.
