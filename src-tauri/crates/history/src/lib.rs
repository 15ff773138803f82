//! The time series on disk: one series a (card UUID, quantity), raw samples, minutes and hours, and the energy of each card-hour.
//!
//! It takes plain observations (subject, quantity, value, stamp) and knows neither cards nor platforms. `history.db` may be lost:
//! whatever must survive it (closed card-hours) is posted to the ledger.
