//! `fanfarectl history` over real files: what it shows, what it writes, and what a signal leaves of long work.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;
mod past;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::{
        fs::{FileTypeExt, symlink},
        net::UnixListener,
    },
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use fanfare_history::VERSION;
use fanfare_testkit::PATIENCE;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use common::ctl;
use past::{CARDS, FROM, Past, ended, interrupt, names, text};

#[test]
fn a_query_shows_least_mean_and_greatest_of_each_step_card_by_card() {
    let past = Past::of(240);
    let span = ["--from", "2026-11-30T00:00:00Z", "--to", "2026-11-30T00:04:00Z", "--points", "4"];
    let shown = past.done(&[&["query", "--quantity", "power,temperature"], span.as_slice()].concat());
    let expected = format!(
        "SIMULATED RIG: every number here is simulated\n\
         2026-11-30 00:00:00 to 2026-11-30 00:04:00 UTC\n\
         \n\
         Card 1 ({card_1}): power, W\n\
         a row each moment, from minutes; no gap\n\
         time (UTC)                  least          mean      greatest\n\
         2026-11-30 00:00:00           0.0          29.5          59.0\n\
         2026-11-30 00:01:00          60.0          89.5         119.0\n\
         2026-11-30 00:02:00         120.0         149.5         179.0\n\
         2026-11-30 00:03:00         180.0         209.5         239.0\n\
         \n\
         Card 1 ({card_1}): temperature, °C\n\
         a row each moment, from minutes; 1 gap\n\
         time (UTC)                  least          mean      greatest\n\
         2026-11-30 00:00:00            60          60.0            60\n\
         2026-11-30 00:01:00  (gap)\n\
         2026-11-30 00:02:00            60          60.0            60\n\
         2026-11-30 00:03:00            60          60.0            60\n\
         \n",
        card_1 = CARDS[0].0,
    );
    assert!(shown.starts_with(&expected), "{shown}");
    let card_2 = &shown[expected.len()..];
    assert!(card_2.starts_with(&format!("Card 2 ({}): power, W\n", CARDS[1].0)), "{card_2}");
    assert!(card_2.ends_with("temperature, °C\nnothing was recorded then\n"), "{card_2}");
}

#[test]
fn a_query_as_json_has_units_and_gaps_and_no_number_for_what_is_missing() {
    let past = Past::of(240);
    let span = ["--from", "2026-11-30T00:00:00Z", "--to", "2026-11-30T00:04:00Z", "--points", "4"];
    let shown = past.done(
        &[&["query", "--json", "--card", "GPU-bb", "--quantity", "temperature"], span.as_slice()].concat(),
    );
    let json: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&json["profile"], &json["simulated"]), (&"demo".into(), &true.into()));
    assert_eq!(json["lacks_newest"], false);
    let series = json["series"].as_array().unwrap();
    assert_eq!(series.len(), 1);
    assert_eq!((&series[0]["card"], &series[0]["uuid"]), (&1.into(), &CARDS[0].0.into()));
    assert_eq!((&series[0]["unit"], &series[0]["level"]), (&"°C".into(), &"minute".into()));
    let points = serde_json::json!([
        {"at": "2026-11-30T00:00:00Z", "min": 60, "mean": 60.0, "max": 60, "count": 60},
        {"at": "2026-11-30T00:01:00Z", "gap": true},
        {"at": "2026-11-30T00:02:00Z", "min": 60, "mean": 60.0, "max": 60, "count": 60},
        {"at": "2026-11-30T00:03:00Z", "min": 60, "mean": 60.0, "max": 60, "count": 60},
    ]);
    assert_eq!(series[0]["points"], points);
}

#[test]
fn an_export_has_a_row_for_each_moment_and_card_and_empty_fields_for_what_is_missing() {
    let past = Past::of(240);
    let export = |more: &[&str]| {
        let quantities = ["export", "--quantity", "power,temperature"];
        past.done(&[quantities.as_slice(), &FROM, more].concat())
    };
    let raw = export(&["--level", "raw"]);
    let lines: Vec<&str> = raw.lines().collect();
    assert_eq!(lines[0], "time,card,uuid,power_mw,temperature_c,source");
    let [card_1, card_2] = CARDS.map(|(uuid, _)| uuid);
    assert_eq!(lines[1], format!("2026-11-30T00:00:00.000000Z,1,{card_1},0,60,simulated"));
    assert_eq!(lines[2], format!("2026-11-30T00:00:00.000000Z,2,{card_2},50000,,simulated"));
    assert!(raw.contains(&format!("2026-11-30T00:01:00.000000Z,1,{card_1},60000,,simulated\n")));
    // 240 of card 1, and 180 of card 2, which has nothing in the third minute.
    assert_eq!(lines.len(), 1 + 240 + 180);
    assert!(!raw.contains(&format!("2026-11-30T00:02:30.000000Z,2,{card_2}")));
    let minutes = export(&["--level", "minute", "--card", "1"]);
    let lines: Vec<&str> = minutes.lines().collect();
    assert_eq!(lines.len(), 1 + 4);
    assert_eq!(lines[2], format!("2026-11-30T00:01:00Z,1,{card_1},60000,89500.000,119000,60,,,,,simulated"));
    let hours = export(&["--level", "hour", "--card", "2"]);
    assert_eq!(
        hours.lines().nth(1),
        Some(format!("2026-11-30T00:00:00Z,2,{card_2},50000,50000.000,50000,180,,,,,simulated").as_str())
    );
}

#[test]
fn an_export_into_a_file_is_there_when_it_is_whole_and_writes_over_nothing() {
    let past = Past::of(240);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a b.csv");
    let export = |more: &[&str]| {
        let name = file.to_str().unwrap();
        past.history(&[&["export", "--output", name], FROM.as_slice(), more].concat()).output().unwrap()
    };
    let first = export(&[]);
    assert!(first.status.success() && first.stdout.is_empty(), "{}", text(&first.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1 + 4 + 3);
    fs::write(&file, "the owner's").unwrap();
    let again = export(&[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("add --force"), "{}", text(&again.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), "the owner's");
    assert!(export(&["--force"]).status.success());
    assert!(fs::read_to_string(&file).unwrap().starts_with("time,card,uuid,"));
    assert_eq!(names(folder.path()), ["a b.csv"], "nothing else is left there");
}

#[test]
fn an_export_writes_over_a_file_alone_and_of_a_link_over_what_it_leads_to() {
    let past = Past::of(240);
    let folder = tempfile::tempdir().unwrap();
    let export = |name: &str| {
        let path = folder.path().join(name);
        let arguments = ["export", "--force", "--output", path.to_str().unwrap()];
        past.history(&[arguments.as_slice(), &FROM].concat()).output().unwrap()
    };
    // As a device is: what every program knows by that name must stay what it is.
    let _socket = UnixListener::bind(folder.path().join("socket")).unwrap();
    symlink("socket", folder.path().join("to a socket")).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for name in ["socket", "to a socket", "folder"] {
        let refused = export(name);
        assert_eq!(refused.status.code(), Some(1), "{name}");
        assert!(text(&refused.stderr).contains("no file"), "{name}: {}", text(&refused.stderr));
    }
    assert!(fs::symlink_metadata(folder.path().join("socket")).unwrap().file_type().is_socket());
    fs::write(folder.path().join("old.csv"), "the owner's").unwrap();
    symlink("old.csv", folder.path().join("link.csv")).unwrap();
    assert!(export("link.csv").status.success());
    assert!(fs::symlink_metadata(folder.path().join("link.csv")).unwrap().is_symlink());
    assert!(fs::read_to_string(folder.path().join("old.csv")).unwrap().starts_with("time,card,uuid,"));
    assert_eq!(names(folder.path()).len(), 5, "nothing else is left there");
}

#[test]
fn an_export_that_is_interrupted_leaves_nothing_behind() {
    let past = Past::long();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.csv");
    let arguments = ["export", "--level", "raw", "--from", "2000-01-01T00:00:00Z", "--output"];
    let child = past
        .history(&[arguments.as_slice(), &[file.to_str().unwrap()]].concat())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let limit = Instant::now() + PATIENCE;
    while names(folder.path()).is_empty() {
        assert!(Instant::now() < limit, "it never began");
        thread::sleep(Duration::from_millis(1));
    }
    interrupt(&child);
    let output = ended(child);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(130), "Stopped.\n"));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_export_whose_reader_sleeps_ends_by_a_signal_and_one_whose_reader_goes_ends_without_a_word() {
    let past = Past::long();
    let begun = || {
        let arguments = ["export", "--level", "raw", "--from", "2000-01-01T00:00:00Z"];
        let mut child =
            past.history(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Its first word is there; then nobody reads on.
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 1]).unwrap();
        child
    };
    let asleep = begun();
    interrupt(&asleep);
    // It has written more than the pipe holds, or is about to: either way it may not wait for its reader.
    let mut asleep = asleep;
    let kept = asleep.stdout.take();
    assert_eq!(ended(asleep).status.code(), Some(130));
    drop(kept);
    let mut gone = begun();
    drop(gone.stdout.take());
    let output = ended(gone);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn a_check_says_what_it_read_and_a_damaged_file_is_a_failure() {
    let past = Past::of(3_700);
    let shown = past.done(&["verify"]);
    // 3,700 of card 1's power, 60 fewer of its temperature, 60 fewer of card 2's power; minutes of the sealed hour: 60 + 59 + 59.
    assert_eq!(
        shown,
        "Nothing is wrong: read 3700 sweeps with 10980 values, 178 minutes, 0 hours, 0 marks.\n"
    );
    past.sql("UPDATE chunk SET block = x'01' WHERE series = 1");
    let output = past.history(&["verify"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.starts_with("2 things are wrong") && shown.contains("- sheet 1, series 1: "), "{shown}");
    assert!(text(&output.stderr).starts_with("The history is damaged."), "{}", text(&output.stderr));
}

#[test]
fn a_check_that_is_interrupted_says_so_and_no_more() {
    let past = Past::long();
    let child = past.history(&["verify"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Once it catches signals it has begun: the kernel's mask tells.
    let status = format!("/proc/{}/status", child.id());
    let limit = Instant::now() + PATIENCE;
    while !catches_interrupts(&fs::read_to_string(&status).unwrap()) {
        assert!(Instant::now() < limit, "it never began");
        thread::sleep(Duration::from_millis(1));
    }
    interrupt(&child);
    let output = ended(child);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(130), "Stopped.\n"));
    assert_eq!(text(&output.stdout), "");
}

/// Whether a process catches SIGINT, the second bit of its mask (`proc_pid_status(5)`).
fn catches_interrupts(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
}

#[test]
fn a_compaction_gives_free_room_back() {
    let past = Past::of(240);
    past.sql("CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(1000000)); DROP TABLE ballast");
    let before = fs::metadata(past.file()).unwrap().len();
    let shown = past.done(&["compact"]);
    let after = fs::metadata(past.file()).unwrap().len();
    assert!(before > 1_000_000 && after < 100_000, "{before}, then {after}");
    assert_eq!(
        shown,
        format!("history.db: {:.2} MB before, {:.2} MB now.\n", mega(before), mega(after)),
        "it says so"
    );
    assert!(past.done(&["verify"]).starts_with("Nothing is wrong: read 240 sweeps"));
}

#[expect(clippy::cast_precision_loss, reason = "a small file")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[test]
fn a_compaction_that_is_interrupted_leaves_the_file_as_it_was() {
    let past = Past::long();
    let before = (past.number("freelist_count"), past.number("page_count"));
    assert!(before.0 > 900, "{before:?}");
    let mut child = past.history(&["compact"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("Writing history.db anew"), "{line}");
    interrupt(&child);
    let output = ended(child);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(130), ""));
    assert_eq!((past.number("freelist_count"), past.number("page_count")), before);
    // And whoever comes next may have the directory.
    assert!(past.done(&["compact"]).contains("MB now"));
}

/// `fanfarectl serve`; it is killed when it goes.
struct Serving(Child);

impl Serving {
    fn begin(past: &Past) -> Self {
        let mut command = ctl(&past.rig, past.data.path());
        let mut serving =
            Self(command.arg("serve").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
        let mut said = String::new();
        BufReader::new(serving.0.stderr.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.starts_with("fanfarectl serve: reading the rig"), "{said}");
        serving
    }

    fn end(mut self) {
        kill_process(Pid::from_child(&self.0), Signal::TERM).unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn beside_a_program_that_records_the_file_is_read_and_the_compaction_is_its_own() {
    let past = Past::of(240);
    let serving = Serving::begin(&past);
    // The rig's own cards have the numbers by now.
    let recent = past.history(&["query", "--card", "GPU-bb"]).output().unwrap();
    assert!(text(&recent.stderr).starts_with("Up to the last minute is not shown"), "{recent:?}");
    let old = past.history(&[&["query", "--card", "GPU-bb"], FROM.as_slice()].concat()).output().unwrap();
    assert!(text(&old.stdout).contains("239.0") && old.stderr.is_empty(), "{old:?}");
    assert!(past.done(&["verify"]).starts_with("Nothing is wrong"));
    // It opens its file in its own time.
    let limit = Instant::now() + PATIENCE;
    let compacted = loop {
        let output = past.history(&["compact"]).output().unwrap();
        if output.status.success() || Instant::now() > limit {
            break output;
        }
        thread::sleep(Duration::from_millis(200));
    };
    let said = text(&compacted.stderr);
    assert!(said.starts_with("The program that records writes history.db anew"), "{said}");
    assert!(text(&compacted.stdout).contains("MB now"), "{compacted:?}");
    serving.end();
}

#[test]
fn a_history_of_a_newer_version_is_refused_by_name_and_left_alone() {
    let past = Past::of(10);
    past.sql(&format!("PRAGMA user_version = {}", VERSION + 1));
    let before = fs::read(past.file()).unwrap();
    for verb in ["query", "export", "verify", "compact"] {
        let said = past.refused(1, &[verb]);
        assert!(said.starts_with("A newer Fanfare has written the history."), "{verb}: {said}");
        assert!(said.contains(past.file().to_str().unwrap()), "{verb}: {said}");
    }
    let chinese = past.history(&["query"]).env("LC_ALL", "zh_CN.UTF-8").output().unwrap();
    assert!(text(&chinese.stderr).starts_with("历史记录由更新版本的 Fanfare 写入。"), "{chinese:?}");
    assert_eq!(fs::read(past.file()).unwrap(), before);
}

#[test]
fn where_nothing_was_recorded_yet_it_says_how_that_comes_to_be() {
    let past = Past::empty();
    for verb in ["query", "export", "verify", "compact"] {
        let said = past.refused(1, &[verb]);
        assert!(
            said.starts_with("Nothing has been recorded yet.") && said.contains("fanfarectl serve"),
            "{said}"
        );
    }
    assert!(!past.file().exists(), "asking makes none");
}

#[test]
fn what_names_no_card_no_time_or_no_quantity_is_wrong_usage() {
    let past = Past::of(10);
    assert!(past.refused(2, &["query", "--card", "3"]).starts_with("This names no card, or more than one."));
    assert!(past.refused(2, &["export", "--card", "GPU-"]).contains("fanfarectl cards"));
    let backwards = ["query", "--from", "1h", "--to", "2h"];
    assert!(past.refused(2, &backwards).starts_with("The time to show ends before it begins."));
    assert!(past.refused(2, &["query", "--from", "yesterday"]).contains("24h or 7d"));
    assert!(past.refused(2, &["query", "--quantity", "heat"]).contains("`temperature`"));
    assert!(past.refused(2, &["query", "--points", "2001"]).contains("1 to 2000"));
    past.refused(2, &["export", "--force"]);
}
