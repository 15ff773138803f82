//! What sudden deaths leave of the file: a killed process, a power cut; and a disk that is full.

mod course;
mod flushed;
mod full_disk;
mod kill;
mod power_cut;
mod sectors;
mod trace;
