//! Rules over plain observations, the incidents they open and close, and the delivery of each.
//!
//! "Cannot evaluate" is a state of a rule, never silence.
