//! What sudden deaths leave of the file: a killed process, and a power cut.

mod course;
mod kill;
mod power_cut;
