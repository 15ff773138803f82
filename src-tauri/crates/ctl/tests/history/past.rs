//! A rig's data directory with a past of known values, and what is done to `fanfarectl history` over it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output},
    thread,
    time::{Duration, Instant},
};

use fanfare_engine::state_db::StateDb;
use fanfare_history::{FILE, Quantity, Recorder, Retention, Series, Source, Sweep};
use fanfare_rig::{Inventory, Seen};
use fanfare_testkit::{PATIENCE, SimRig};
use fanfare_units::{Boottime, Stamp};
use jiff::Timestamp;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::common::ctl;

/// 2026-11-30T00:00:00Z.
const MIDNIGHT: i64 = 1_795_996_800;
pub(crate) const FROM: [&str; 4] = ["--from", "2026-11-30T00:00:00Z", "--to", "2026-12-01T00:00:00Z"];
/// Card 1 sits in the first slot, card 2 in the second.
pub(crate) const CARDS: [(&str, &str); 2] = [
    ("GPU-bbbbbbbb-0000-0000-0000-000000000000", "00000000:01:00.0"),
    ("GPU-aaaaaaaa-0000-0000-0000-000000000000", "00000000:02:00.0"),
];

/// A demo rig's data directory, where some was recorded.
pub(crate) struct Past {
    pub(crate) rig: SimRig,
    pub(crate) data: TempDir,
}

impl Past {
    /// Nothing was recorded.
    pub(crate) fn empty() -> Self {
        Self { rig: SimRig::still(), data: tempfile::tempdir().unwrap() }
    }

    /// Two cards from midnight on, for so many seconds: card 1 has a power of the second's number in W, and 60 °C but for the minute from
    /// second 60 on, of which its sensor tells nothing; card 2 has 50 W alone, and is not read for the minute from second 120 on.
    pub(crate) fn of(seconds: u64) -> Self {
        let past = Self::empty();
        let folder = past.folder();
        fs::create_dir_all(&folder).unwrap();
        let mut inventory = Inventory::default();
        let seen = CARDS.map(|(uuid, slot)| Seen {
            uuid: uuid.parse().unwrap(),
            slot: Some(slot.parse().unwrap()),
            name: None,
            heard: true,
        });
        inventory.observe(&seen, Timestamp::UNIX_EPOCH);
        StateDb::open(&folder).unwrap().store_inventory(&inventory).unwrap();
        let mut recorder =
            Recorder::open(&folder, Retention::default(), Timestamp::UNIX_EPOCH).unwrap().recorder;
        for second in 0..seconds {
            recorder.record(&sweep(second)).unwrap();
        }
        recorder.flush().unwrap();
        past
    }

    /// An hour of which there are so many copies that any work on it takes long.
    pub(crate) fn long() -> Self {
        let past = Self::of(3_700);
        past.sql(
            "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 20000)
             INSERT INTO sheet (segment, hour, sweeps, first_us, last_us, block)
             SELECT segment, hour - n, sweeps, first_us, last_us, block FROM sheet, copy;
             INSERT INTO chunk (sheet, series, block)
             SELECT sheet.id, series, chunk.block FROM sheet, chunk WHERE chunk.sheet = 1 AND sheet.id > 1;
             -- Room that is free.
             CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(1000000)); DROP TABLE ballast;",
        );
        past
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.data.path().join("demo")
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder().join(FILE)
    }

    pub(crate) fn sql(&self, statements: &str) {
        Connection::open(self.file()).unwrap().execute_batch(statements).unwrap();
    }

    pub(crate) fn number(&self, pragma: &str) -> i64 {
        let connection = Connection::open(self.file()).unwrap();
        connection.pragma_query_value(None, pragma, |row| row.get(0)).unwrap()
    }

    pub(crate) fn history(&self, arguments: &[&str]) -> Command {
        let mut command = ctl(&self.rig, self.data.path());
        command.arg("history").args(arguments);
        command
    }

    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let output = self.history(arguments).output().unwrap();
        assert!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
        text(&output.stdout)
    }

    pub(crate) fn refused(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.history(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stderr)
    }
}

fn sweep(second: u64) -> Sweep {
    let at = Stamp {
        wall: Timestamp::from_second(MIDNIGHT + i64::try_from(second).unwrap()).unwrap(),
        boottime: Boottime::since_boot(Duration::from_secs(second)),
        boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
    };
    let series = |card: usize, quantity| Series::new(CARDS[card].0, quantity);
    let values = vec![
        (series(0, Quantity::Power), Some(i64::try_from(second).unwrap() * 1_000)),
        (series(0, Quantity::Temperature), (!(60..120).contains(&second)).then_some(60)),
        (series(1, Quantity::Power), (!(120..180).contains(&second)).then_some(50_000)),
    ];
    let source = Source { session: 1, every: Duration::from_secs(1) };
    Sweep { at, source, values, marks: Vec::new() }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// The end of a child; it has a limit.
pub(crate) fn ended(mut child: Child) -> Output {
    let limit = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > limit {
            child.kill().unwrap();
            panic!("it did not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
