//! A holder that is killed at random instants while it posts: what it said was posted is there, once, in whole transactions.
//!
//! Ten kills in CI; `FANFARE_KILLS=200` for more. The instants come from the clock; what a failure needs is in its message.

use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    process::{Command, Stdio},
    sync::mpsc,
    time::SystemTime,
};

use fanfare_testkit::PATIENCE;

use super::*;

/// The folder of the one that is killed.
const FOLDER: &str = "FANFARE_KILL_FOLDER";
const CARDS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

fn hour_of_all(hour: i64) -> Vec<CardHour> {
    CARDS.iter().map(|card| counted(card, hour, hour.unsigned_abs())).collect()
}

/// The first hour that is not posted.
fn next_hour(ledger: &Ledger) -> i64 {
    (0..).find(|hour| !ledger.reader.has(CARDS[0], *hour).unwrap()).unwrap()
}

#[test]
#[ignore = "the one that is killed; the other test starts it"]
fn posts_until_it_is_killed() {
    let folder = env::var_os(FOLDER).expect("started by the other test");
    let mut ledger = open(folder.as_ref());
    let mut out = io::stdout();
    let begin = next_hour(&ledger);
    // No run comes near the end.
    for hour in begin..begin + 1_000_000 {
        // The one before again: a death between the posting and its being said comes to that.
        let known = if hour > 0 { hour_of_all(hour - 1) } else { Vec::new() };
        ledger.post(&[known, hour_of_all(hour)].concat()).unwrap();
        writeln!(out, "posted {hour}").unwrap();
        out.flush().unwrap();
    }
}

/// Starts the one above, kills it after so long from its first word, and tells the last hour that it said was posted.
fn killed_after(folder: &Path, time: Duration) -> i64 {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "store::tests::kill::posts_until_it_is_killed"])
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
            if let Some(hour) = line.strip_prefix("posted ").and_then(|hour| hour.parse::<i64>().ok()) {
                say.send(hour).unwrap();
            }
        }
    });
    let first = said.recv_timeout(PATIENCE).expect("it posts before it is killed");
    thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    listener.join().unwrap();
    said.try_iter().last().unwrap_or(first)
}

#[test]
fn what_was_said_to_be_posted_is_there_once_after_a_kill() {
    let kills: u32 = env::var("FANFARE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(10);
    let folder = tempdir().unwrap();
    for kill in 0..kills {
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
        let time = Duration::from_micros(u64::from(nanos / 1_000 % 300_000));
        let said = killed_after(folder.path(), time);
        let ledger = open(folder.path());
        let posted = next_hour(&ledger);
        assert!(posted > said, "kill {kill} after {time:?}: hour {said} was said to be posted");
        let rows: i64 = ledger
            .reader
            .connection
            .query_row("SELECT count(*) FROM card_hour", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, posted * 8, "kill {kill} after {time:?}: all cards of each hour, once");
    }
    let ledger = open(folder.path());
    let posted = next_hour(&ledger);
    let expected: Vec<CardHour> = (0..posted).map(|hour| counted("h", hour, hour.unsigned_abs())).collect();
    assert_eq!(ledger.reader.hours("h", 0..posted).unwrap(), expected);
}
