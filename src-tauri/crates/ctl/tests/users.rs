//! One engine among users: nobody but the holder's user looks on, and a directory that cannot be written costs no reading. As root
//! these would prove nothing, so the subject runs as the user that owns nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{
    fs::{self, Permissions},
    io::{BufRead, BufReader, Read},
    os::unix::{
        fs::{PermissionsExt, chown},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use fanfare_engine::hold::{HoldLock, Holding, look};
use fanfare_testkit::{NOBODY, PATIENCE, SimRig, as_nobody, install, library, program, skip};
use serde_json::Value;

/// The owner's rig in `data`, read through the simulated driver, by a program that is run by root or as nobody.
struct Programs {
    rig: SimRig,
    data: tempfile::TempDir,
}

impl Programs {
    /// `None` after saying that this takes root.
    fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            skip("only root can become another user");
            return None;
        }
        let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
        fs::set_permissions(data.path(), Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(data.path().join("real")).unwrap();
        Some(Self { rig, data })
    }

    /// The profile's own directory.
    fn real(&self) -> PathBuf {
        self.data.path().join("real")
    }

    fn as_nobody(&self, arguments: &[&str]) -> Command {
        let command = as_nobody(Path::new(env!("CARGO_BIN_EXE_fanfarectl")), self.rig.folder());
        // It is looked for beside the program.
        let probe = self.rig.folder().join("fanfare-probe");
        install(&program("fanfare-probe"), &probe);
        self.over_the_rig(command, arguments)
    }

    fn as_root(&self, arguments: &[&str]) -> Command {
        program("fanfare-probe");
        self.over_the_rig(Command::new(env!("CARGO_BIN_EXE_fanfarectl")), arguments)
    }

    fn over_the_rig(&self, mut command: Command, arguments: &[&str]) -> Command {
        let driver = self.rig.folder().join("libnvidia-ml.so.1");
        fs::copy(library(), &driver).unwrap();
        command
            .env("LC_ALL", "en_US.UTF-8")
            .env("FANFARE_SIM_STATE", self.rig.state())
            .env_remove("XDG_RUNTIME_DIR")
            .args(["--profile", "real", "--data-dir"])
            .arg(self.data.path())
            .arg("--nvml-lib")
            .arg(driver)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A running program. It is killed when it goes.
struct Running(Child);

impl Running {
    fn of(mut command: Command) -> Self {
        Self(command.spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn assert_is_nobody(child: &Child) {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
    assert!(
        uids.split_whitespace().all(|uid| uid == NOBODY.to_string()),
        "the test would prove nothing: {uids}"
    );
}

#[test]
fn a_directory_that_this_user_cannot_write_costs_no_reading() {
    let Some(programs) = Programs::new() else { return };
    let mut child =
        programs.as_nobody(&["watch", "--json", "--interval-ms", "50", "--count", "40"]).spawn().unwrap();
    let mut looks = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = looks.next().unwrap().unwrap();
    assert_is_nobody(&child);
    let last = looks.last().unwrap().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    for line in [first, last.clone()] {
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["profile"], "real");
    }
    let last: Value = serde_json::from_str(&last).unwrap();
    let answers = |seat: &&Value| !seat["occupant"]["card"]["answer"]["sample"].is_null();
    assert_eq!(last["seats"].as_array().unwrap().iter().filter(answers).count(), 8);
    let history = &last["disk"]["history"]["unstored"];
    assert_eq!(history["kind"], "refused", "that nothing is recorded is said: {}", last["disk"]);
    assert_eq!(fs::read_dir(programs.real()).unwrap().count(), 0, "nothing was written");
    let child = programs.as_nobody(&["serve"]).output().unwrap();
    let words = String::from_utf8(child.stderr).unwrap();
    assert_eq!(child.status.code(), Some(1), "what cannot hold cannot serve: {words}");
    assert!(words.starts_with("The data directory cannot be used."), "{words}");
}

#[test]
fn data_of_another_user_are_said_to_be_and_nothing_is_read_beside_whoever_may_read_them() {
    let Some(programs) = Programs::new() else { return };
    // Root has read here, and its lock is its own, as is what it wrote there.
    drop(HoldLock::take(&programs.real()).unwrap());
    let lock = programs.real().join(HoldLock::FILE);
    assert_eq!(fs::metadata(&lock).unwrap().permissions().mode() & 0o777, 0o600);
    for (locale, what, next) in [
        (
            "en_US.UTF-8",
            "These data are another user's.",
            "Run this as that user, or name a data directory of your own with --data-dir.",
        ),
        ("zh_CN.UTF-8", "这些数据属于其他用户。", "请以该用户身份运行，或用 --data-dir 指定自己的数据目录。"),
    ] {
        for verb in ["cards", "watch", "report", "serve", "status"] {
            let refused = programs.as_nobody(&[verb]).env("LC_ALL", locale).output().unwrap();
            let words = String::from_utf8(refused.stderr).unwrap();
            assert_eq!(refused.status.code(), Some(4), "{verb}: {words}");
            assert!(words.starts_with(what) && words.trim_end().ends_with(next), "{verb}: {words}");
            // To root, nothing would be denied.
            let denied = format!("{} cannot be opened: Permission denied", lock.display());
            assert!(words.contains(&denied), "{verb}: {words}");
            assert_eq!(String::from_utf8(refused.stdout).unwrap(), "", "{verb}: no card is read");
        }
    }
    assert_eq!(fs::read_dir(programs.real()).unwrap().count(), 1, "nothing was made beside the lock");
    // As they are made, data cannot even be entered by another: neither the profile's directory nor the one that holds it.
    for (closed, denied) in [
        (programs.real(), format!("{} cannot be opened: Permission denied", lock.display())),
        (
            programs.data.path().into(),
            format!("{} cannot be entered: Permission denied", programs.real().display()),
        ),
    ] {
        fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
        let refused = programs.as_nobody(&["cards"]).output().unwrap();
        let words = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(4), "{words}");
        assert!(words.starts_with("These data are another user's.") && words.contains(&denied), "{words}");
        fs::set_permissions(&closed, Permissions::from_mode(0o755)).unwrap();
    }
    // A lock that may be read and is free is no obstacle: the data may lie on a medium that cannot be written.
    fs::set_permissions(&lock, Permissions::from_mode(0o644)).unwrap();
    let shown = programs.as_nobody(&["cards"]).output().unwrap();
    assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stderr));
    assert!(String::from_utf8(shown.stdout).unwrap().contains("8 of 8 cards answer"));
}

#[test]
fn neither_side_speaks_with_another_users_program() {
    let Some(programs) = Programs::new() else { return };
    chown(programs.real(), Some(NOBODY), Some(NOBODY)).unwrap();
    let mut serve = Running::of(programs.as_nobody(&["serve"]));
    let mut words = BufReader::new(serve.0.stderr.take().unwrap());
    let mut said = String::new();
    words.read_line(&mut said).unwrap();
    assert!(said.starts_with("fanfarectl serve: reading the rig"), "{said}");
    assert_is_nobody(&serve.0);

    // Root may open everything, and is told nothing all the same: this is the client's refusal ...
    let refused = programs.as_root(&["cards"]).output().unwrap();
    let words = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(4), "{words}");
    assert!(words.starts_with("A program of another user reads this rig."), "{words}");
    assert!(words.contains(&format!("process {} of user {NOBODY}", serve.0.id())), "{words}");
    // ... and this the holder's.
    let Holding::Held(Some(by)) = look(&programs.real()).unwrap() else { panic!("nobody holds") };
    let mut socket = UnixStream::connect(by.socket.unwrap()).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut heard = Vec::new();
    socket.read_to_end(&mut heard).unwrap();
    assert_eq!(heard, b"", "not even a greeting");
}
