//! `scripts/setup.sh` on machines that are not this one: the system's programs are stand-ins that write down how they were
//! called, so nothing is installed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output},
};

use fanfare_house::repository;
use tempfile::TempDir;

/// A machine: a PATH of stand-ins beside the few real programs that the script itself is written with.
struct Machine {
    folder: TempDir,
}

impl Machine {
    /// A machine with these programs and no others; `apt-get` exists if `dpkg-query` does.
    fn new(stand_ins: &[(&str, &str)]) -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        for real in ["bash", "sh", "dirname", "sed", "tr", "cat"] {
            let place = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(real));
            let place = place.iter().find(|path| path.exists()).unwrap();
            symlink(place, machine.folder.path().join(real)).unwrap();
        }
        for (name, script) in stand_ins {
            fanfare_testkit::script(script, &machine.folder.path().join(name));
        }
        fs::write(machine.folder.path().join("os-release"), "ID=debian\n").unwrap();
        machine
    }

    fn set_up(&self, set: &str, environment: &[(&str, &str)]) -> Output {
        Command::new(self.folder.path().join("bash"))
            .arg(repository::root().join("scripts/setup.sh"))
            .arg(set)
            .env_clear()
            .env("PATH", self.folder.path())
            .env("OS_RELEASE", self.folder.path().join("os-release"))
            .env("CALLS", self.folder.path().join("calls"))
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }

    /// What the stand-ins wrote down.
    fn calls(&self) -> String {
        fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default()
    }
}

const ALL_INSTALLED: &str = "echo installed";
/// Everything but the C compiler.
const NO_COMPILER: &str = "case $3 in gcc) exit 1 ;; *) echo installed ;; esac";
const WRITES_DOWN: &str = "echo \"${0##*/} $*\" >> \"$CALLS\"";

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_machine_that_has_everything_is_left_alone_without_a_word() {
    let machine = Machine::new(&[("dpkg-query", ALL_INSTALLED), ("apt-get", WRITES_DOWN), ("id", "echo 0")]);
    let output = machine.set_up("test", &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(machine.calls(), "");
}

#[test]
fn missing_packages_are_listed_and_then_installed_with_sudo() {
    let machine = Machine::new(&[
        ("dpkg-query", NO_COMPILER),
        ("apt-get", "exit 1"),
        ("id", "echo 1000"),
        // Not run any further: what would be done as root is written down.
        ("sudo", WRITES_DOWN),
    ]);
    let output = machine.set_up("run", &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "setup: missing packages: gcc\n");
    // `libc6-dev`, the set's other package, is there and is not asked for.
    assert!(machine.calls().starts_with("sudo sh -eu -c"), "{}", machine.calls());
    assert!(machine.calls().ends_with(" setup gcc\n"), "{}", machine.calls());
}

#[test]
fn without_root_and_sudo_the_list_is_printed_and_nothing_is_done() {
    let machine = Machine::new(&[("dpkg-query", NO_COMPILER), ("apt-get", WRITES_DOWN), ("id", "echo 1000")]);
    let output = machine.set_up("run", &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("apt-get install gcc"), "{}", stderr(&output));
    assert_eq!(machine.calls(), "");
}

#[test]
fn on_another_system_the_list_is_printed_and_nothing_is_done() {
    let machine = Machine::new(&[("id", "echo 0"), ("sudo", WRITES_DOWN)]);
    let output = machine.set_up("window", &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("gcc libc6-dev libwebkit2gtk-4.1-dev pkg-config"),
        "{}",
        stderr(&output)
    );
    assert_eq!(machine.calls(), "");
    // Whose owner has seen to it goes on.
    assert!(machine.set_up("window", &[("SETUP", "no")]).status.success());
}

#[test]
fn running_needs_no_part_of_the_test_set() {
    let machine = Machine::new(&[("id", "echo 0")]);
    let listed = |set: &str| stderr(&machine.set_up(set, &[])).lines().last().unwrap().trim().to_owned();
    assert_eq!(listed("run"), "setup: gcc libc6-dev");
    for package in ["xvfb", "openbox", "gnome-keyring", "chromium", "fonts-noto-cjk"] {
        assert!(listed("test").contains(package), "{package}");
        assert!(!listed("window").contains(package), "{package}");
    }
}

#[test]
fn an_unknown_set_is_refused() {
    let machine = Machine::new(&[("dpkg-query", ALL_INSTALLED), ("apt-get", WRITES_DOWN), ("id", "echo 0")]);
    let output = machine.set_up("kitchen", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("kitchen"), "{}", stderr(&output));
}
