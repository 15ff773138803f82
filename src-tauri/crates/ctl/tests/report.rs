//! The hardware report: what an answerer needs is in it, and what identifies an owner is not.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{path::Path, process::Command};

use fanfare_testkit::{SimRig, library, program, skip};

/// A host name that could come from nowhere else.
const HOST: &str = "planted-host-name";

/// The program in a host of its own, named [`HOST`]; only root can make one.
fn in_planted_host() -> Option<Command> {
    if !rustix::process::geteuid().is_root() {
        skip("only root can name a host");
        return None;
    }
    let mut command = Command::new("unshare");
    let script = format!("echo {HOST} > /proc/sys/kernel/hostname && exec \"$@\"");
    command.args(["--uts", "--", "sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_fanfarectl")]);
    Some(command)
}

fn report(mut command: Command, rig: &SimRig, data: &Path) -> String {
    program("fanfare-probe");
    let output = command
        .env("FANFARE_SIM_STATE", rig.state())
        .args(["--profile", "real", "--data-dir"])
        .arg(data)
        .arg("--nvml-lib")
        .arg(library())
        .args(["report", "--seconds", "2"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_tells_capabilities_limits_ranges_errors_and_costs_of_each_card() {
    let (rig, data) = (SimRig::still_with(3), tempfile::tempdir().unwrap());
    rig.world.no_power(0, true).unwrap();
    rig.world.error(999, Some(1), "nvmlDeviceGetTemperature".parse().ok()).unwrap();
    let report = report(Command::new(env!("CARGO_BIN_EXE_fanfarectl")), &rig, data.path());
    let sections: Vec<&str> = report.split("\n## ").collect();
    assert_eq!(sections.len(), 4, "the rig and three cards:\n{report}");
    let (first, second, third) = (sections[1], sections[2], sections[3]);
    assert!(first.contains("| power | no | not supported |"), "{first}");
    assert!(first.contains("- power limit range: 90 W to 115 W"), "{first}");
    assert!(first.contains("- fan duty range: 30 % to 100 %"), "{first}");
    assert!(second.contains("| temperature | failing: error 999 UNKNOWN | error 999 UNKNOWN |"), "{second}");
    assert!(second.contains("- failed temperature: error 999 UNKNOWN, "), "{second}");
    let truth = rig.world.card(2).unwrap().unwrap();
    assert!(third.contains(&format!("| temperature | yes | {} °C |", truth.temperature)), "{third}");
    assert!(third.contains("| nvmlDeviceGetTemperature |"), "{third}");
    assert!(sections[0].contains("**Simulated driver: every number here is made up.**"));
}

#[test]
fn it_names_neither_owner_nor_machine() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    rig.world.load(0, Some(90)).unwrap();
    let Some(command) = in_planted_host() else { return };
    let report = report(command, &rig, data.path());
    for truth in rig.world.cards().unwrap() {
        assert!(!report.contains(&truth.uuid), "a whole UUID follows a card across reports");
        assert!(report.contains(&truth.uuid[..12]), "its first digits tell the cards apart");
        for process in truth.processes {
            assert!(!report.contains(&process.pid.to_string()), "a process is nobody's business");
        }
    }
    assert!(!report.contains(&*data.path().to_string_lossy()), "the report names a path");
    for word in [HOST, "serial", "Serial", "127.0.0.1", "/home/", "/root"] {
        assert!(!report.contains(word), "{word} is in the report");
    }
}
