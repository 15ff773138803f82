//! A recorder that is killed at random instants: what it said was on the disk is there, once, and the file is whole.
//!
//! Ten kills in CI; `FANFARE_KILLS=200` for more. A run records as fast as the disk lets it, so kills fall into commits, seals,
//! packings and checkpoints. The instants come from the clock; what a failure needs is in its message.

use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, SystemTime},
};

use fanfare_testkit::PATIENCE;

use super::course;

/// The folder of the one that is killed.
const FOLDER: &str = "FANFARE_KILL_FOLDER";

#[test]
#[ignore = "the one that is killed; the other test starts it"]
fn records_until_it_is_killed() {
    let folder = env::var_os(FOLDER).expect("started by the other test");
    let mut recorder = course::open(folder.as_ref());
    let mut out = io::stdout();
    // No run comes near the end: that would be two months.
    for second in course::next_second(&recorder)..5_000_000 {
        if let Some(next) = course::record(&mut recorder, second) {
            writeln!(out, "stored until {next}").unwrap();
            out.flush().unwrap();
        }
    }
}

/// Starts the one above, kills it after so long from its first word, and tells the last second that it said was on the disk.
fn killed_after(folder: &Path, time: Duration) -> u64 {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "deaths::kill::records_until_it_is_killed"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let (say, said) = mpsc::channel();
    let listener = thread::spawn(move || {
        for line in lines {
            // The last line may be cut; a number that lost its end is smaller, and asks for less.
            let second = line.strip_prefix("stored until ").and_then(|second| second.parse::<u64>().ok());
            if let Some(second) = second {
                say.send(second).unwrap();
            }
        }
    });
    let first = said.recv_timeout(PATIENCE).expect("it writes before it is killed");
    thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    listener.join().unwrap();
    said.try_iter().last().unwrap_or(first)
}

#[test]
fn what_was_said_to_be_on_the_disk_is_there_after_a_kill() {
    let kills: u32 = env::var("FANFARE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().unwrap();
    let mut on_disk = 0;
    for kill in 0..kills {
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
        let time = Duration::from_micros(u64::from(nanos / 1_000 % 400_000));
        let said = killed_after(folder.path(), time);
        let recorder = course::open(folder.path());
        let next = course::next_second(&recorder);
        assert!(next >= said, "kill {kill} after {time:?}: {said} were said to be there, {next} are");
        assert!(said > on_disk, "kill {kill}: it went on from what was there");
        course::assert_whole(&recorder);
        on_disk = next;
    }
    // All of it, not its end alone.
    let recorder = course::open(folder.path());
    course::assert_values(&recorder, 0, on_disk);
    assert!(course::assert_whole(&recorder).compared > 0, "some hours were sealed on the way");
}
