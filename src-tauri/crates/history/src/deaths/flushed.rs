//! Power cuts of a run whose writes were followed: from what it asked the system to write and to flush, images of the file and its log
//! are made that hold what was flushed for certain, and of the rest what a disk may make of it:
//!
//! - nothing;
//! - as much as was written before some byte;
//! - all of it, but of each sector the old, the new or garbage;
//! - some of it without what was written before that.
//!
//! Each image opens, is whole, has all that was said to be on the disk, and lacks a minute at most. 60 images in CI;
//! `FANFARE_POWER_CUTS=1000` for more. The dice are the same each time.

use std::{env, fs, io, io::Write, path::Path, process};

use fanfare_testkit::skip;
use tempfile::tempdir;

use super::{
    course,
    sectors::{Dice, torn},
    trace::{self, Event, Part},
};
use crate::FILE;

/// The folder of the run that is followed.
const FOLDER: &str = "FANFARE_TRACED_FOLDER";

/// An hour, midnight and a little more, in seconds of the course.
const SECONDS: u64 = 6_500;

#[test]
#[ignore = "the one whose writes are followed; the other test starts it"]
fn records_and_says_how_far_it_is() {
    let folder = env::var_os(FOLDER).expect("started by the other test");
    let mut recorder = course::open(folder.as_ref());
    // Taken over often, so that many cuts fall into it.
    recorder.take_over_after(25);
    let mut out = io::stdout();
    for second in 0..SECONDS {
        let stored = course::record(&mut recorder, second);
        // A word a second, since what was recorded and not stored counts too.
        writeln!(out, "recorded {}", second + 1).unwrap();
        if let Some(next) = stored {
            writeln!(out, "stored {next}").unwrap();
        }
    }
    // The end of a program would take the log over.
    process::exit(0);
}

/// A file on a disk: what is on it for certain, and what was written since.
#[derive(Debug, Clone, Default)]
struct OnDisk {
    flushed: Vec<u8>,
    pending: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

fn applied<'c>(to: &[u8], changes: impl IntoIterator<Item = &'c Change>) -> Vec<u8> {
    let mut file = to.to_vec();
    for change in changes {
        match change {
            Change::Write { at, bytes } => {
                file.resize(file.len().max(at + bytes.len()), 0);
                file[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Change::Truncate(length) => file.resize(*length, 0),
        }
    }
    file
}

/// What a power cut makes of what was not flushed.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Nothing,
    CutOff,
    Garbled,
    Reordered,
}

const FATES: [Fate; 4] = [Fate::Nothing, Fate::CutOff, Fate::Garbled, Fate::Reordered];

impl OnDisk {
    fn after(&self, fate: Fate, dice: &mut Dice) -> Vec<u8> {
        match fate {
            Fate::Nothing => self.flushed.clone(),
            Fate::CutOff => self.cut_off(dice),
            Fate::Garbled => torn(&self.flushed, &applied(&self.flushed, &self.pending), dice),
            Fate::Reordered => {
                // The last is there, the one before it is not, and of the others some are.
                let last = self.pending.len().saturating_sub(1);
                let stays = |place: usize| place == last || (place + 1 != last && dice.roll(2) == 0);
                let mut places = (0..self.pending.len()).map(stays).collect::<Vec<_>>().into_iter();
                applied(&self.flushed, self.pending.iter().filter(|_| places.next() == Some(true)))
            }
        }
    }

    fn cut_off(&self, dice: &mut Dice) -> Vec<u8> {
        let Some(last) = self.pending.get(dice.roll(self.pending.len().max(1))) else {
            return self.flushed.clone();
        };
        let whole = self.pending.iter().take_while(|change| !std::ptr::eq(*change, last));
        let file = applied(&self.flushed, whole);
        match last {
            Change::Write { at, bytes } => {
                let bytes = bytes[..dice.roll(bytes.len() + 1)].to_vec();
                applied(&file, [&Change::Write { at: *at, bytes }])
            }
            Change::Truncate(_) => file,
        }
    }
}

/// All that there is at an instant: the disk, and what the program had said.
#[derive(Debug, Clone, Default)]
struct Instant {
    file: OnDisk,
    log: OnDisk,
    /// The first second that was not recorded yet.
    recorded: u64,
    /// The first second that was not said to be on the disk.
    stored: u64,
}

impl Instant {
    fn after(events: &[Event]) -> Self {
        let mut instant = Self::default();
        events.iter().for_each(|event| instant.happens(event));
        instant
    }

    fn part(&mut self, part: Part) -> &mut OnDisk {
        match part {
            Part::File => &mut self.file,
            Part::Log => &mut self.log,
        }
    }

    fn happens(&mut self, event: &Event) {
        match event {
            Event::Write { part, at, bytes } => {
                self.part(*part).pending.push(Change::Write { at: *at, bytes: bytes.clone() });
            }
            Event::Truncate { part, length } => self.part(*part).pending.push(Change::Truncate(*length)),
            Event::Flush { part } => {
                let on_disk = self.part(*part);
                on_disk.flushed = applied(&on_disk.flushed, &on_disk.pending);
                on_disk.pending.clear();
            }
            Event::Said(line) => {
                let second = |line: &str| line.parse().unwrap();
                if let Some(rest) = line.strip_prefix("recorded ") {
                    self.recorded = second(rest);
                } else if let Some(rest) = line.strip_prefix("stored ") {
                    self.stored = second(rest);
                }
            }
        }
    }
}

/// After how many events the power is cut: anywhere by turns, and where the file itself or the beginning of the log is written.
fn cuts(events: &[Event], how_many: usize, dice: &mut Dice) -> Vec<usize> {
    let said = |event: &Event| matches!(event, Event::Said(line) if line.starts_with("stored"));
    let first = events.iter().position(said).unwrap();
    let delicate = |event: &Event| match event {
        Event::Write { part, at, .. } => *part == Part::File || *at == 0,
        Event::Truncate { .. } => true,
        Event::Flush { .. } | Event::Said(_) => false,
    };
    let delicate: Vec<usize> = (first..events.len()).filter(|at| delicate(&events[*at])).collect();
    let writes: Vec<usize> =
        (first..events.len()).filter(|at| matches!(events[*at], Event::Write { .. })).collect();
    assert!(delicate.len() > 50 && writes.len() > 500, "{} {}", delicate.len(), writes.len());
    let mut cut = |of: &[usize]| of[dice.roll(of.len())] + 1;
    // Each kind of place with each of four fates.
    (0..how_many).map(|number| if number / 4 % 2 == 0 { cut(&writes) } else { cut(&delicate) }).collect()
}

fn write(folder: &Path, image: (&[u8], &[u8])) {
    fs::write(folder.join(FILE), image.0).unwrap();
    fs::write(folder.join(format!("{FILE}-wal")), image.1).unwrap();
}

#[test]
fn what_was_flushed_is_there_whatever_became_of_the_rest() {
    if !trace::is_possible() {
        skip("strace is not installed, or may follow no process here");
        return;
    }
    let images: usize =
        env::var("FANFARE_POWER_CUTS").ok().and_then(|images| images.parse().ok()).unwrap_or(60);
    let traced = tempdir().unwrap();
    let name = "deaths::flushed::records_and_says_how_far_it_is";
    let events = trace::of_test(name, (FOLDER, traced.path()));
    let whole = Instant::after(&events);
    assert_eq!(whole.recorded, SECONDS, "the run was followed to its end");
    let mut dice = Dice(3);
    let mut had_pending = 0;
    for (number, cut) in cuts(&events, images, &mut dice).into_iter().enumerate() {
        let fate = FATES[number % FATES.len()];
        let instant = Instant::after(&events[..cut]);
        had_pending += usize::from(!instant.file.pending.is_empty() || !instant.log.pending.is_empty());
        let folder = tempdir().unwrap();
        write(folder.path(), (&instant.file.after(fate, &mut dice), &instant.log.after(fate, &mut dice)));
        let mut recorder = course::open(folder.path());
        let next = course::next_second(&recorder);
        let place = format!("image {number}, {fate:?} after {cut} events");
        assert!(next >= instant.stored, "{place}: {} were said to be there, {next} are", instant.stored);
        assert!(
            next <= instant.recorded + 1,
            "{place}: {next} are there, {} were recorded",
            instant.recorded
        );
        assert!(
            instant.recorded <= next + 60,
            "{place}: {} were recorded, {next} are there",
            instant.recorded
        );
        course::assert_whole(&recorder);
        for second in next..next + 200 {
            course::record(&mut recorder, second);
        }
        recorder.flush().unwrap();
        assert_eq!(course::assert_whole(&recorder).sweeps, next + 200, "{place}: it goes on");
    }
    // What is meant to be cut was there to be cut.
    assert_eq!(had_pending, images);
}
