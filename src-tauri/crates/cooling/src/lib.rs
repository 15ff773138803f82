//! Fan curves, hysteresis and the control loop, as a pure machine: temperatures and time in, duties out.
//!
//! It sets nothing itself. `fanfare-controld` feeds it and carries its decisions to the driver, so that every decision can be
//! tested by a table, and a missing temperature is decided here once (it counts as 100 °C).
