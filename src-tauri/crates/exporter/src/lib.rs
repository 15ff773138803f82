//! Prometheus endpoints out, signed webhooks in.
//!
//! A value that is missing is a series that is absent, never 0.
