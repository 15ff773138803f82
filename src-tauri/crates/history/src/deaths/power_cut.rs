//! Power cuts, by images of the file and its log at each commit, and of what was on its way from one to the next any part. It needs
//! nothing of the system, and relies on when SQLite flushes; `flushed` relies on nothing, and needs `strace`.
//!
//! SQLite flushes the log when it commits (synchronous FULL), and the file when it has taken over the log; only then does it begin the
//! log anew. So when a recorder returns, all is flushed; and of what its next write changes, a power cut leaves of each sector the old,
//! the new or neither. From two states that follow each other these images are made:
//!
//! - the log of the later, cut off anywhere in what changed, over the file of the earlier;
//! - of each changed sector of the log the old, the new or garbage;
//! - where the file changed, it was taken over from a log that was whole: of each changed sector the old, the new or garbage, with the
//!   later log. Where the log was begun anew after that, the file is the later one.

use std::{fs, path::Path};

use tempfile::tempdir;

use super::{
    course,
    sectors::{Dice, torn},
};
use crate::{FILE, Recorder};

/// The salt of a log lies here in its head: another one means that the log was begun anew (SQLite's file format, 4.1).
const SALT: std::ops::Range<usize> = 16..24;

/// An hour, midnight and a little more, in seconds of the course.
const SECONDS: u64 = 6_500;

/// All that a disk holds at an instant.
#[derive(Clone)]
struct Disk {
    file: Vec<u8>,
    log: Vec<u8>,
}

/// The disk after a write, and the first second that is not on it.
struct State {
    disk: Disk,
    next: u64,
}

fn log_of(folder: &Path) -> std::path::PathBuf {
    folder.join(format!("{FILE}-wal"))
}

fn states() -> Vec<State> {
    let folder = tempdir().unwrap();
    let mut recorder = course::open(folder.path());
    // Taken over often, so that many cuts fall into it.
    recorder.take_over_after(25);
    let read = |next| State {
        disk: Disk {
            file: fs::read(folder.path().join(FILE)).unwrap(),
            log: fs::read(log_of(folder.path())).unwrap(),
        },
        next,
    };
    let mut states = vec![read(0)];
    for second in 0..SECONDS {
        if let Some(next) = course::record(&mut recorder, second) {
            states.push(read(next));
        }
    }
    states
}

/// The later log as far as some place in what changed, then the earlier one's rest.
fn cut(old: &[u8], new: &[u8], dice: &mut Dice) -> Vec<u8> {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let place = same + dice.roll((new.len() - same).max(1));
    let mut cut = new[..place].to_vec();
    cut.extend(old.get(place..).unwrap_or_default());
    cut
}

/// What a power cut may leave between two states.
fn images(before: &Disk, after: &Disk, dice: &mut Dice) -> Vec<Disk> {
    let begun_anew = before.log.get(SALT) != after.log.get(SALT) && !before.log.is_empty();
    let file = if begun_anew { &after.file } else { &before.file };
    let mut images = vec![
        Disk { file: file.clone(), log: cut(&before.log, &after.log, dice) },
        Disk { file: file.clone(), log: torn(&before.log, &after.log, dice) },
    ];
    if !begun_anew && before.file != after.file {
        images.push(Disk { file: torn(&before.file, &after.file, dice), log: after.log.clone() });
    }
    images
}

fn opened(folder: &Path, image: &Disk) -> Recorder {
    fs::write(folder.join(FILE), &image.file).unwrap();
    fs::write(log_of(folder), &image.log).unwrap();
    course::open(folder)
}

#[test]
fn after_a_power_cut_the_file_is_whole_and_lacks_a_minute_at_most() {
    let states = states();
    let mut dice = Dice(1);
    let (mut torn_files, mut logs_begun_anew, mut all) = (0, 0, 0);
    for pair in states.windows(2) {
        let [before, after] = pair else { unreachable!("windows of two") };
        torn_files += usize::from(before.disk.file != after.disk.file);
        logs_begun_anew += usize::from(before.disk.log.get(SALT) != after.disk.log.get(SALT));
        for image in images(&before.disk, &after.disk, &mut dice) {
            let folder = tempdir().unwrap();
            let recorder = opened(folder.path(), &image);
            let next = course::next_second(&recorder);
            assert!((before.next..=after.next).contains(&next), "{} to {}: {next}", before.next, after.next);
            assert!(after.next - next <= 60, "{} were recorded, {next} are there", after.next);
            course::assert_whole(&recorder);
            if all % 20 == 0 {
                course::assert_values(&recorder, 0, next);
            }
            all += 1;
        }
    }
    // What is meant to be cut was there to be cut.
    assert!(all > 250 && torn_files > 5 && logs_begun_anew > 5, "{all} {torn_files} {logs_begun_anew}");
}

#[test]
fn after_a_power_cut_it_goes_on() {
    let states = states();
    let mut dice = Dice(2);
    for pair in states.windows(2).step_by(20) {
        let [before, after] = pair else { unreachable!("windows of two") };
        for image in images(&before.disk, &after.disk, &mut dice) {
            let folder = tempdir().unwrap();
            let mut recorder = opened(folder.path(), &image);
            for second in course::next_second(&recorder)..SECONDS + 4_000 {
                course::record(&mut recorder, second);
            }
            recorder.flush().unwrap();
            assert_eq!(course::assert_whole(&recorder).sweeps, SECONDS + 4_000);
        }
    }
}
