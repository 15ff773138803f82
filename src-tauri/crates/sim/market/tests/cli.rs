//! The command line over a real state file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

struct Rig {
    dir: tempfile::TempDir,
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fanfare-sim"));
    command.env_remove("FANFARE_SIM_STATE");
    command
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

impl Rig {
    /// A rig on a manual clock, set up with further words.
    fn new(more: &str) -> Self {
        let rig = Self { dir: tempfile::tempdir().unwrap() };
        let mut command = program();
        command.arg("init").arg(rig.state()).args(["--clock", "manual"]).args(words(more));
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        rig
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    fn run(&self, line: &str) -> Output {
        program().arg("--state").arg(self.state()).args(words(line)).output().unwrap()
    }

    /// Runs a verb that must succeed, and gives what it printed.
    fn do_it(&self, line: &str) -> String {
        let done = self.run(line);
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.do_it(line)).unwrap()
    }

    fn card(&self, slot: u64) -> Value {
        let rig = self.json("show --json");
        let cards = rig["cards"].as_array().unwrap();
        cards.iter().find(|card| card["slot"] == slot).cloned().unwrap_or(Value::Null)
    }
}

#[test]
fn show_has_the_documented_shape() {
    let rig = Rig::new("--cards 2 --no-rentals --no-power 1 --seed 7");
    rig.do_it("clock advance 90s");
    let view = rig.json("show --json");
    let keys: Vec<&String> = view.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "ambient_c",
            "call_cost_us",
            "cards",
            "clock",
            "driver",
            "mismatch",
            "now_ns",
            "profile",
            "speed",
            "writes_anyone"
        ]
    );
    assert_eq!((&view["profile"], &view["driver"]), (&json!("rtx4060x8"), &json!("595.71.05")));
    assert_eq!(view["now_ns"], 90_000_000_000_u64);
    assert_eq!((&view["clock"], &view["speed"]), (&json!("manual"), &Value::Null));
    let card = &view["cards"][1];
    assert_eq!(card["bus_id"], "00000000:02:00.0");
    assert_eq!((&card["power_mw"], &card["energy_mj"]), (&Value::Null, &Value::Null));
    assert_eq!(card["fans"][1], json!({"percent": 0, "rpm": 0, "manual": false}));
    let memory = &card["memory"];
    let part = |name: &str| memory[name].as_u64().unwrap();
    assert_eq!(part("total"), part("reserved") + part("used") + part("free"));
    for number in ["temperature", "utilization", "pstate", "graphics_mhz", "reasons", "pcie_gen", "recovery"]
    {
        assert!(card[number].is_number(), "{number}");
    }
}

#[test]
fn each_verb_changes_what_it_says() {
    let rig = Rig::new("--no-rentals");
    let first = rig.card(2);
    let steps: [(&str, &str, u64, Value); 14] = [
        ("temp 2 91", "temperature", 2, json!(91)),
        ("lose 3", "lost", 3, json!(true)),
        ("find 3", "lost", 3, json!(false)),
        ("xid 4 79", "recovery", 4, json!(2)),
        ("no-power 5 on", "power_mw", 5, Value::Null),
        ("order 2,0", "index", 2, json!(0)),
        ("order 7,6", "index", 7, json!(0)),
        ("load 1 100", "utilization", 1, json!(0)),
        ("clock advance 1s", "utilization", 1, json!(100)),
        ("link 1 3 4", "pcie_width", 1, json!(4)),
        ("link 1 free", "pcie_width", 1, json!(8)),
        ("load 1 schedule", "utilization", 1, json!(100)),
        ("clock advance 2s", "utilization", 1, json!(0)),
        ("reload", "energy_mj", 1, json!(0)),
    ];
    for (line, key, slot, expected) in steps {
        rig.do_it(line);
        assert_eq!(rig.card(slot)[key], expected, "after {line}");
    }
    rig.do_it("swap 2");
    assert_ne!(rig.card(2)["uuid"], first["uuid"]);
    rig.do_it("remove 6");
    assert_eq!(rig.card(6), Value::Null);
    rig.do_it("add");
    assert_ne!(rig.card(6), Value::Null);
    for (line, key, expected) in [
        ("ambient 31", "ambient_c", json!(31.0)),
        ("mismatch on", "mismatch", json!(true)),
        ("mismatch off", "mismatch", json!(false)),
        ("call-cost 25", "call_cost_us", json!(25)),
        ("writes anyone", "writes_anyone", json!(true)),
        ("writes privileged", "writes_anyone", json!(false)),
        ("clock speed 60", "clock", json!("real")),
        ("clock manual", "clock", json!("manual")),
        ("clock real", "speed", json!(1.0)),
    ] {
        rig.do_it(line);
        assert_eq!(rig.json("show --json")[key], expected, "after {line}");
    }
    // These change what calls do, which the library's own tests show; here they must be taken.
    for line in [
        "hang 1 --symbol nvmlDeviceGetTemperature --for 10s",
        "hang all",
        "release 1",
        "release all",
        "error 15 --card 2 --symbol field:185",
        "error none --card 2",
        "block-fan 1 on",
        "block-fan 1 off",
        "temp 2 free",
    ] {
        rig.do_it(line);
    }
}

#[test]
fn calls_and_sets_are_lists() {
    let rig = Rig::new("");
    assert_eq!(rig.json("calls --json --reset"), json!([]));
    assert_eq!(rig.json("sets --json"), json!([]));
    assert_eq!(rig.do_it("calls"), "");
}

#[test]
fn what_is_wrong_is_refused_in_one_line() {
    let rig = Rig::new("--cards 4");
    for (line, code, message) in [
        ("lose 4", 1, "no card in slot 4"),
        ("load 0 101", 1, "load must lie in 0..=100, not 101"),
        ("order 1,1", 1, "an order names each slot at most once"),
        ("clock speed 1001", 1, "speed must lie in"),
        ("scenario no-such-file", 1, "no-such-file: "),
        ("hang 0 --symbol nvmlMagic", 2, "no symbol `nvmlMagic`"),
        ("hang 0 --for soon", 2, "a span of time such as"),
        ("load 0 full", 2, "a whole number or `schedule`"),
        ("dance", 2, "unrecognized subcommand"),
    ] {
        let done = rig.run(line);
        let told = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(code), "{line}: {told}");
        assert!(told.contains(message), "{line}: {told}");
        assert!(done.stdout.is_empty());
    }
    let nameless = program().arg("show").output().unwrap();
    assert_eq!(nameless.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nameless.stderr).contains("give --state or set FANFARE_SIM_STATE"));
    let by_variable = program().arg("show").env("FANFARE_SIM_STATE", rig.state()).output().unwrap();
    assert!(by_variable.status.success());
}

#[test]
fn a_live_scenario_counts_from_now_and_a_wrong_one_changes_nothing() {
    let rig = Rig::new("--cards 4 --no-rentals");
    let file = rig.dir.path().join("part.toml");
    let scenario = format!("scenario {}", file.display());
    rig.do_it("clock advance 100s");
    std::fs::write(
        &file,
        "[[at]]\ntime = \"5s\"\ndo = \"lose\"\ncard = 1\n[[at]]\ntime = \"6s\"\ndo = \"loose\"\n",
    )
    .unwrap();
    let done = rig.run(&scenario);
    assert!(String::from_utf8_lossy(&done.stderr).contains("part.toml:7: unknown verb `loose`"));
    rig.do_it("clock advance 10s");
    assert_eq!(rig.card(1)["lost"], json!(false));
    std::fs::write(&file, "[[at]]\ntime = \"5s\"\ndo = \"lose\"\ncard = 1\n").unwrap();
    rig.do_it(&scenario);
    rig.do_it("clock advance 4s");
    assert_eq!(rig.card(1)["lost"], json!(false));
    rig.do_it("clock advance 1s");
    assert_eq!(rig.card(1)["lost"], json!(true));
}

#[test]
fn the_table_has_a_row_for_each_card_and_a_reader_that_leaves_is_no_error() {
    let rig = Rig::new("--cards 3 --no-power 0");
    rig.do_it("lose 2");
    let table = rig.do_it("show");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2 + 3, "{table}");
    assert!(lines[2].contains('–'), "no power telemetry: {}", lines[2]);
    assert!(lines[4].ends_with("lost"), "{}", lines[4]);
    let mut child = program();
    child.arg("--state").arg(rig.state()).arg("show").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_rig_takes_no_other_files_place() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious.txt");
    std::fs::write(&precious, "not a rig").unwrap();
    let refused = program().arg("init").arg(&precious).output().unwrap();
    assert!(!refused.status.success());
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "not a rig");
    // An older rig is another matter: it holds nothing worth keeping.
    let rig = folder.path().join("rig.sim");
    for _ in 0..2 {
        assert!(program().arg("init").arg(&rig).output().unwrap().status.success());
    }
}
