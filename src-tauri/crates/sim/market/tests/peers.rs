//! Programs that we did not write read the simulated driver: nvidia-ml-py and nvitop, by the scripts of `tests/peers`.
//!
//! Each test sets up a rig under a clock that stands still, so that what `fanfare-sim show` says is what a peer must read.
//! `make test-peers` brings the peers and names their Python in `FANFARE_PEERS_PYTHON`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use fanfare_testkit::{is_set, library, skip};
use serde_json::Value;

/// The most seconds for one script: it takes half a second on a machine at rest.
const LIMIT_S: &str = "120";

/// A rig, and beside it the driver under the name by which programs look for NVIDIA's.
struct Rig {
    folder: tempfile::TempDir,
}

impl Rig {
    /// Eight cards after a minute and a half of rentals, set up with further words.
    fn new(more: &[&str]) -> Self {
        let rig = Self { folder: tempfile::tempdir().unwrap() };
        symlink(library(), rig.folder.path().join("libnvidia-ml.so.1")).unwrap();
        let state = rig.state();
        rig.sim(&[&["init", state.to_str().unwrap(), "--clock", "manual"], more].concat());
        rig.sim(&["clock", "advance", "90s"]);
        rig
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// What the driver program prints for these words, which must succeed.
    fn sim(&self, words: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fanfare-sim"));
        let done = command.args(words).env("FANFARE_SIM_STATE", self.state()).output().unwrap();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// Writes down what the peers are to read; gives the cards.
    fn expected(&self) -> Vec<Value> {
        let text = self.sim(&["show", "--json"]);
        fs::write(self.folder.path().join("expected.json"), &text).unwrap();
        let rig: Value = serde_json::from_str(&text).unwrap();
        rig["cards"].as_array().unwrap().clone()
    }

    /// Runs a script of `tests/peers` over what [`Self::expected`] wrote; it must find every value as expected.
    fn agrees(&self, python: &Path, script: &str) {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", LIMIT_S]).arg(python);
        command.arg(repository().join("tests/peers").join(script)).args(["expected.json", "screen.txt"]);
        // The screen's width depends on these; at 79 columns both of its tables are as wide.
        command.current_dir(&self.folder).env("COLUMNS", "79").env("LINES", "60");
        command.env("LD_LIBRARY_PATH", self.folder.path()).env("FANFARE_SIM_STATE", self.state());
        let done = command.output().expect("timeout is a part of every Linux");
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(
            done.status.success() && said.ends_with(": 8 cards as expected\n"),
            "{script}: {}\n{said}{}",
            done.status,
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(4).expect("the crate lies in the repository").into()
}

/// The peers' Python, or `None` after saying that the test is skipped.
fn peers_python() -> Option<PathBuf> {
    if !is_set("FANFARE_PEERS_PYTHON") {
        skip("FANFARE_PEERS_PYTHON names no Python (make test-peers)");
        return None;
    }
    env::var_os("FANFARE_PEERS_PYTHON").map(PathBuf::from)
}

fn eight_cards_are_read(script: &str) {
    let Some(python) = peers_python() else { return };
    let rig = Rig::new(&[]);
    let cards = rig.expected();
    // Rented and idle ones: the readings differ.
    assert_eq!(cards.len(), 8);
    assert_eq!((&cards[0]["pstate"], &cards[1]["pstate"]), (&Value::from(2), &Value::from(8)));
    rig.agrees(&python, script);
}

fn a_card_without_power_telemetry_is_read(script: &str) {
    let Some(python) = peers_python() else { return };
    let rig = Rig::new(&["--no-power", "5"]);
    let without: Vec<bool> = rig.expected().iter().map(|card| card["power_mw"].is_null()).collect();
    assert_eq!(without, [false, false, false, false, false, true, false, false]);
    rig.agrees(&python, script);
}

fn a_lost_card_spoils_no_other(script: &str) {
    let Some(python) = peers_python() else { return };
    let rig = Rig::new(&[]);
    rig.sim(&["lose", "3"]);
    let lost: Vec<bool> = rig.expected().iter().map(|card| card["lost"] == true).collect();
    assert_eq!(lost, [false, false, false, true, false, false, false, false]);
    rig.agrees(&python, script);
}

#[test]
#[ignore = "needs the peers: make test-peers"]
fn nvidia_ml_py_reads_eight_cards() {
    eight_cards_are_read("nvml_py.py");
}

#[test]
#[ignore = "needs the peers: make test-peers"]
fn nvidia_ml_py_reads_a_card_without_power_telemetry() {
    a_card_without_power_telemetry_is_read("nvml_py.py");
}

#[test]
#[ignore = "needs the peers: make test-peers"]
fn nvidia_ml_py_reads_the_seven_beside_a_lost_card() {
    a_lost_card_spoils_no_other("nvml_py.py");
}

#[test]
#[ignore = "needs the peers: make test-peers"]
fn nvitop_reads_eight_cards() {
    eight_cards_are_read("nvitop_reads.py");
}

#[test]
#[ignore = "needs the peers: make test-peers"]
fn nvitop_reads_a_card_without_power_telemetry() {
    a_card_without_power_telemetry_is_read("nvitop_reads.py");
}

#[test]
#[ignore = "needs the peers: make test-peers"]
fn nvitop_reads_the_seven_beside_a_lost_card() {
    a_lost_card_spoils_no_other("nvitop_reads.py");
}

/// What of nvitop's screen is the rig's: without the time, the machine's load and memory, and who looks at it.
fn of_the_rig(screen: &str) -> String {
    let machine = |line: &&str| line.starts_with("[ CPU:") || line.starts_with("[ MEM:") || line.is_empty();
    let lines = screen.lines().skip_while(|line| !line.starts_with("+=")).filter(|line| !machine(line));
    lines
        .map(|line| match line.strip_prefix("| Processes:") {
            Some(rest) => format!("| Processes:{:1$}|\n", "", rest.len().saturating_sub(1)),
            None => format!("{line}\n"),
        })
        .collect()
}

/// The rows of the screen that say which card stands where. They hold no measured value.
fn identity_rows(screen: &str) -> Vec<&str> {
    screen.lines().filter(|line| line.contains(":00.0")).collect()
}

#[test]
#[ignore = "needs the peers: make test-peers"]
fn nvitops_screen_in_the_documentation_is_what_it_shows() {
    let Some(python) = peers_python() else { return };
    let rig = Rig::new(&[]);
    rig.expected();
    rig.agrees(&python, "nvitop_reads.py");
    let screen = of_the_rig(&fs::read_to_string(rig.folder.path().join("screen.txt")).unwrap());
    let documented = repository().join("docs/nvitop-screen.txt");
    if is_set("FANFARE_UPDATE_DOCS") {
        fs::write(&documented, &screen).unwrap();
    }
    let documented = fs::read_to_string(documented).unwrap();
    // The simulated cards stand on the buses 1 to 8. The readings may differ in the last digit from machine to machine.
    let rows: Vec<String> = (0..8)
        .map(|card| {
            let bus = card + 1;
            format!(
                "|   {card}  GeForce RTX 4060     Off | 00000000:0{bus}:00.0 Off |                  N/A |"
            )
        })
        .collect();
    assert_eq!(identity_rows(&screen), rows);
    assert_eq!(identity_rows(&documented), rows, "FANFARE_UPDATE_DOCS=1 make test-peers writes it anew");
    assert_eq!(documented.lines().count(), screen.lines().count());
    assert!(!documented.contains('@'), "it names a user and a machine");
}
