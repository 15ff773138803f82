//! `fanfare-probe`: reads the cards through NVML and prints one line a sweep.
//!
//! It is a process of its own because a driver call can hang for minutes or take its process down, and cannot be cancelled: so
//! the program that must not hang never makes one. Three budgets bound what it does:
//!
//! * a sweep begins each interval (1 s); a card is asked at most once at a time, so a card that hangs costs one thread and no queue;
//! * the sweep's line goes out when every asked card has answered, at the latest at three quarters of the interval; a silent card
//!   is in it with the moment its read began, and is not waited for again until it has answered;
//! * names, limits, ranges and the list of cards are read once in 60 sweeps, each card in a sweep of its own.
//!
//! So the reading of an answering card is at worst 0.75 s old when its line is written, in the one sweep in which another card
//! began to hang. The probe ends at once when its standard input ends, whatever its threads are waiting for.
//!
//! Threads: one that keeps time, reads the cards and writes, one that takes over when it is late, and one more for each card that
//! hangs (`crew.rs`); one for the list of cards, which also starts the driver and has cards looked up by threads that hang in its
//! place (`lookup.rs`); one for events; and the main one, which waits for the end of standard input.

use std::process::ExitCode;

fn main() -> ExitCode {
    fanfare_probe::main()
}
