//! The command line as an owner or a script uses it, over the simulated driver.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::FileExt,
    process::{Command, Output, Stdio},
};

use fanfare_engine::state_db::StateDb;
use fanfare_rig::{Inventory, Seen};
use fanfare_testkit::{SimRig, library, program};
use serde_json::Value;
use tempfile::TempDir;

use common::ctl;

fn data() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn cards_shows_each_card_with_its_values() {
    let (rig, data) = (SimRig::still(), data());
    rig.world.temperature(2, Some(77)).unwrap();
    let shown = done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[0], "SIMULATED RIG: every number here is simulated",
        "a simulated driver says so under any profile"
    );
    assert_eq!(lines[1], "● All cards answer");
    assert_eq!(lines[2], "8 of 8 cards answer · NVIDIA 595.71.05 · NVIDIA GeForce RTX 4060");
    for (truth, line) in rig.world.cards().unwrap().iter().zip(&lines[5..13]) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let expected = [
            (truth.slot + 1).to_string(),
            format!("{:02x}:00.0", truth.slot + 1),
            truth.temperature.to_string(),
        ];
        assert_eq!(words[..3], expected, "{line}");
        assert_eq!(words.last(), Some(&"idle"), "{line}");
    }
    assert!(lines[7].contains("77 °C"), "{}", lines[7]);
    // 8188 MiB less the 342 MiB that the driver keeps, as the window shows it: 7846 / 1024 = 7.66.
    assert!(lines[5].contains(" / 7.7 GiB"), "{}", lines[5]);
}

#[test]
fn a_missing_sensor_is_a_dash_with_its_reason_under_the_table() {
    let (rig, data) = (SimRig::still(), data());
    rig.world.no_power(4, true).unwrap();
    rig.world.error(999, Some(1), "nvmlDeviceGetTemperature".parse().ok()).unwrap();
    let shown = done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    assert!(shown.contains("— Temp: driver error 999 UNKNOWN (Card 2)"), "{shown}");
    assert!(shown.contains("— Power: no such sensor (Card 5)"), "{shown}");
    let row = shown.lines().find(|line| line.starts_with("5 ")).unwrap();
    assert!(row.contains('—') && !row.contains(" 0 W"), "{row}");
}

#[test]
fn cards_that_are_not_there_are_in_the_status_line() {
    let (rig, data) = (SimRig::still(), data());
    done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    rig.world.lose(3).unwrap();
    rig.world.remove(6).unwrap();
    let shown = done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    let status = shown.lines().nth(1).unwrap();
    assert_eq!(
        status,
        "◆ Card 4: unreachable · Card 7: unreachable · the driver does not hand out 1 of its cards: lost"
    );
    assert_eq!(shown.lines().filter(|line| line.ends_with("unreachable")).count(), 2);
}

#[test]
fn cards_as_json_is_one_object_with_units_in_its_names() {
    let (rig, data) = (SimRig::still(), data());
    rig.world.no_power(0, true).unwrap();
    let shown = done(&ctl(&rig, data.path()).args(["cards", "--json"]).output().unwrap());
    assert_eq!(shown.lines().count(), 1);
    let json: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&json["v"], &json["profile"], &json["simulated"]), (&1.into(), &"demo".into(), &true.into()));
    let seats = json["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 8);
    let sample = &seats[0]["occupant"]["card"]["answer"]["sample"];
    assert_eq!(sample["power_mw"]["missing"], "not_supported", "missing is not 0");
    let truth = rig.world.card(1).unwrap().unwrap();
    let sample = &seats[1]["occupant"]["card"]["answer"]["sample"];
    assert_eq!(sample["power_mw"], truth.power_mw.unwrap());
    assert_eq!(sample["temperature_c"], truth.temperature);
}

#[test]
fn watch_as_json_writes_as_many_lines_as_asked_for() {
    let (rig, data) = (SimRig::still(), data());
    let shown = done(
        &ctl(&rig, data.path())
            .args(["watch", "--json", "--count", "3", "--interval-ms", "50"])
            .output()
            .unwrap(),
    );
    let sweeps: Vec<u64> = shown
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["sweep"].as_u64().unwrap())
        .collect();
    assert_eq!(sweeps.len(), 3);
    // The newest wins: on a loaded machine one may be passed over, and none comes twice.
    assert!(sweeps.is_sorted_by(|earlier, later| earlier < later), "{sweeps:?}");
}

#[test]
fn watch_into_a_pipe_writes_the_table_as_text_without_escapes() {
    let (rig, data) = (SimRig::still(), data());
    let shown = done(
        &ctl(&rig, data.path()).args(["watch", "--count", "2", "--interval-ms", "50"]).output().unwrap(),
    );
    assert_eq!(shown.matches("Card Slot").count(), 2, "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn a_reader_that_goes_away_ends_a_watch_without_a_word() {
    for format in [&["watch", "--json"][..], &["watch"][..]] {
        let (rig, data) = (SimRig::still(), data());
        let mut child = ctl(&rig, data.path())
            .args(format)
            .args(["--interval-ms", "50"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        reader.read_line(&mut String::new()).unwrap();
        drop(reader);
        let status = child.wait().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{format:?}");
    }
}

#[test]
fn trouble_with_the_driver_says_what_why_and_what_next_in_both_languages() {
    let (rig, data) = (SimRig::still(), data());
    rig.world.mismatch(true).unwrap();
    for (locale, what, next) in [
        ("en_US.UTF-8", "The driver was updated while the old one is still loaded.", "Restart the rig."),
        ("zh_CN.UTF-8", "驱动程序已更新，但旧版本仍在运行。", "请重启主机。"),
    ] {
        for verb in ["cards", "watch", "report"] {
            let output = ctl(&rig, data.path()).arg(verb).env("LC_ALL", locale).output().unwrap();
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{verb}: {said}");
            assert!(said.contains(what) && said.trim_end().ends_with(next), "{verb}: {said}");
            assert!(output.stdout.is_empty(), "{verb}");
        }
    }
}

#[test]
fn a_library_that_is_not_there_is_trouble_and_no_demo() {
    let data = data();
    program("fanfare-probe");
    // What was met once is looked for again, whatever the machine shows now.
    let real = data.path().join("real");
    fs::create_dir(&real).unwrap();
    let seen = Seen {
        uuid: "GPU-0f0e0d0c-0b0a-0908-0706-050403020100".parse().unwrap(),
        slot: None,
        name: None,
        heard: true,
    };
    let mut inventory = Inventory::default();
    inventory.observe(&[seen], "2026-11-28T14:03:07Z".parse().unwrap());
    StateDb::open(&real).unwrap().store_inventory(&inventory).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fanfarectl"));
    // No library of that name is anywhere, whether this machine has a driver or not.
    command
        .env("LC_ALL", "C")
        .arg("--data-dir")
        .arg(data.path())
        .args(["--nvml-lib", "/nonexistent/libnvidia-ml.so.1"]);
    let output = command.arg("cards").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("No NVIDIA driver library is installed."));
    assert!(!data.path().join("demo").exists());
    // What is remembered is missing, and not a rig without cards.
    let shown = text(&output.stdout);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "◆ No NVIDIA driver library is installed.");
    assert!(lines.iter().any(|line| line.starts_with("1 ") && line.ends_with("missing")), "{shown}");
    assert_eq!(lines.last(), Some(&"— last seen 2026-11-28 14:03 UTC (Card 1)"), "{shown}");
    let output = command.arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let json: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!((&json["trouble"]["code"], &json["sweep"]), (&"library_absent".into(), &Value::Null));
    assert_eq!(json["seats"][0]["occupant"], "missing");
    assert_eq!(json["seats"][0]["member"]["last_seen"], "2026-11-28T14:03:07Z");
}

#[test]
fn a_driver_that_lists_no_cards_is_trouble_and_not_a_rig_of_none() {
    let (rig, data) = (SimRig::still(), data());
    rig.world.error(9, None, "nvmlDeviceGetCount_v2".parse().ok()).unwrap();
    let output = ctl(&rig, data.path()).arg("cards").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("driver error 9 DRIVER_NOT_LOADED"), "{}", text(&output.stdout));
    assert!(!text(&output.stdout).contains("0 of 0"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("The driver does not list its cards."));
}

#[test]
fn a_driver_that_is_slow_at_first_is_waited_for() {
    let (rig, data) = (SimRig::still(), data());
    // The first look makes 59 calls of 1.5 ms on each of eight cards: 0.7 s of CPU, two deadlines of 375 ms. Each further one makes
    // 14, which is 168 ms.
    rig.world.call_cost(1_500).unwrap();
    let shown = done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    assert!(shown.contains("8 of 8 cards answer"), "{shown}");
}

#[test]
fn a_card_that_hangs_from_the_first_read_on_has_a_row() {
    let (rig, data) = (SimRig::still_with(3), data());
    rig.world.hang(1, Some("nvmlDeviceGetTemperature".parse().unwrap()), None).unwrap();
    let output = ctl(&rig, data.path()).args(["watch", "--count", "4"]).output().unwrap();
    let shown = done(&output);
    assert!(shown.contains("2 of 3 cards answer"), "{shown}");
    assert!(!shown.contains("All cards answer"), "{shown}");
}

#[test]
fn a_card_whose_look_up_hangs_is_counted_though_it_has_no_row() {
    let (rig, data) = (SimRig::still_with(3), data());
    rig.world.hang(1, Some("nvmlDeviceGetHandleByIndex_v2".parse().unwrap()), None).unwrap();
    let shown = done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    assert!(shown.contains("2 of 3 cards answer"), "{shown}");
    assert!(shown.contains("the driver does not hand out 1 of its cards"), "{shown}");
}

#[test]
fn cards_that_are_refused_for_one_reason_have_it_said_once() {
    let (rig, data) = (SimRig::still_with(5), data());
    for card in [1, 2, 4] {
        rig.world.hang(card, Some("nvmlDeviceGetHandleByIndex_v2".parse().unwrap()), None).unwrap();
    }
    let shown = done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    assert_eq!(shown.lines().nth(1), Some("◆ the driver does not hand out 3 of its cards: stuck"), "{shown}");
}

#[test]
fn a_rig_of_which_no_card_can_be_read_is_no_success() {
    let (rig, data) = (SimRig::still_with(2), data());
    rig.world.error(9, None, Some("nvmlDeviceGetUUID".parse().unwrap())).unwrap();
    let output = ctl(&rig, data.path()).arg("cards").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("No card of this rig can be read."));
}

#[test]
fn a_card_refused_with_a_code_says_which() {
    let (rig, data) = (SimRig::still(), data());
    done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
    for (code, name) in [(16, "16 RESET_REQUIRED"), (8, "8 INSUFFICIENT_POWER"), (27, "27 NOT_READY")] {
        rig.world.clear_errors().unwrap();
        rig.world.error(code, Some(2), None).unwrap();
        let shown = done(&ctl(&rig, data.path()).arg("cards").output().unwrap());
        // The line may be wrapped.
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let status = format!(
            "◆ Card 3: unreachable · the driver does not hand out 1 of its cards: driver error {name}"
        );
        assert!(words.contains(&status), "{shown}");
    }
}

#[test]
fn a_named_library_is_the_owners_wish_and_no_demo_has_one() {
    let (rig, data) = (SimRig::still(), data());
    let output = ctl(&rig, data.path()).args(["cards", "--nvml-lib", "/nonexistent.so"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn a_list_of_cards_that_cannot_be_kept_costs_no_reading() {
    let (rig, data) = (SimRig::still(), data());
    let mut command = ctl(&rig, data.path());
    // A file of a newer program's is left alone. SQLite has its `user_version` in four bytes from byte 60 on.
    let demo = data.path().join("demo");
    drop(StateDb::open(&demo).unwrap());
    let file = fs::OpenOptions::new().write(true).open(demo.join(StateDb::FILE)).unwrap();
    file.write_all_at(&9_999_u32.to_be_bytes(), 60).unwrap();
    let shown = done(&command.arg("cards").output().unwrap());
    assert!(shown.contains("8 of 8 cards answer"), "{shown}");
    // The line may be wrapped.
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("A newer Fanfare has written the settings and the list of cards: "), "{shown}");
    assert!(words.contains("is of version 9999"), "{shown}");
}

#[test]
fn several_may_begin_at_once_on_a_new_data_directory() {
    let (rig, data) = (SimRig::still(), data());
    let mut children: Vec<_> =
        (0..6).map(|_| ctl(&rig, data.path()).arg("cards").stdout(Stdio::null()).spawn().unwrap()).collect();
    for child in &mut children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn wrong_usage_is_2_and_help_is_0() {
    let run =
        |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_fanfarectl")).args(arguments).output().unwrap();
    for wrong in [
        &[][..],
        &["dance"],
        &["watch", "--count", "0"],
        &["watch", "--count", "many"],
        &["cards", "--colour"],
    ] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    for right in [&["--help"][..], &["--version"], &["watch", "--help"]] {
        assert_eq!(run(right).status.code(), Some(0), "{right:?}");
    }
}

#[test]
fn the_demo_lives_in_a_directory_of_its_own() {
    let data = data();
    for name in ["fanfare-probe", "fanfare-sim"] {
        program(name);
    }
    library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fanfarectl"));
    command.env("LC_ALL", "C").arg("--data-dir").arg(data.path()).args(["--profile", "demo", "cards"]);
    let shown = done(&command.output().unwrap());
    assert!(shown.starts_with("SIMULATED RIG: every number here is simulated\n"), "{shown}");
    assert!(shown.contains("8 of 8 cards answer"), "{shown}");
    assert!(data.path().join("demo/state.db").is_file());
    assert!(!data.path().join("real").exists(), "the demo leaves no trace in the owner's own data");
}
