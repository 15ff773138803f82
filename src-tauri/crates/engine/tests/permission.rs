//! Reading needs no privilege. These tests run the probe as the user that owns nothing; as root they would prove nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    process::{Child, Command, Stdio},
};

use fanfare_rig::{
    Answer, Reading, Roster, TroubleCode,
    wire::{self, Line},
};
use fanfare_testkit::{NOBODY, SimRig, as_nobody, library, program, skip};

/// The probe over `rig` as nobody, or `None` after saying that this takes root.
fn probe(rig: &SimRig) -> Option<Command> {
    if !rustix::process::geteuid().is_root() {
        skip("only root can become another user");
        return None;
    }
    let driver = rig.folder().join("libnvidia-ml.so.1");
    fs::copy(library(), &driver).unwrap();
    let mut command = as_nobody(&program("fanfare-probe"), rig.folder());
    command.args(["--interval-ms", "50", "--nvml-lib"]).arg(driver).env("FANFARE_SIM_STATE", rig.state());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    Some(command)
}

/// The child's user and effective capabilities, from the kernel.
fn privileges(child: &Child) -> (String, String) {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    (field("Uid:"), field("CapEff:"))
}

fn assert_is_nobody(child: &Child) {
    assert_eq!(
        privileges(child),
        (NOBODY.to_string(), "0000000000000000".into()),
        "the test would prove nothing"
    );
}

#[test]
fn an_unprivileged_probe_reads_every_quantity() {
    let rig = SimRig::still();
    let Some(mut command) = probe(&rig) else { return };
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let sweep = loop {
        match wire::read(lines.next().unwrap().unwrap().as_bytes()).unwrap() {
            Line::Sweep(sweep) if sweep.roster == Roster::Read && sweep.cards.len() == 8 => break sweep,
            Line::Sweep(_) => {}
            Line::Trouble(trouble) => panic!("{trouble:?}"),
        }
    };
    assert_is_nobody(&child);
    drop(child.stdin.take());
    child.wait().unwrap();
    for card in &sweep.cards {
        let Answer::Sample(sample) = &card.answer else { continue };
        assert!(sample.reasons().iter().all(|(_, reason)| reason.is_none()), "{sample:?}");
        assert!(matches!(sample.temperature, Reading::Measured(_)));
    }
}

#[test]
fn a_driver_this_user_may_not_open_is_no_permission() {
    let rig = SimRig::still();
    let Some(mut command) = probe(&rig) else { return };
    fs::set_permissions(rig.state(), fs::Permissions::from_mode(0o600)).unwrap();
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said: Vec<Line> = lines.map(|line| wire::read(line.unwrap().as_bytes()).unwrap()).collect();
    child.wait().unwrap();
    let Some(Line::Trouble(trouble)) = said.last() else { panic!("{said:?}") };
    assert_eq!(trouble.code, TroubleCode::NoPermission);
    // The same command over a file it may open is the test above, which asserts that the user is nobody.
}
