//! A serving `fanfarectl` that is killed: what was on the disk is there, once, and the next one goes on.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use fanfare_history::{Quantity, Reader};
use fanfare_testkit::{PATIENCE, SimRig, library, program};
use rustix::process::{Pid, Signal, kill_process};

use crate::kit::{Step, stored, uuid};

/// `fanfarectl serve` over a rig, as its demo. It is killed when it goes.
struct Serve(Child);

impl Serve {
    fn start(rig: &SimRig, data: &Path) -> Self {
        // They lie beside it, and are looked for there.
        program("fanfare-probe");
        program("fanfare-sim");
        library();
        fs::create_dir_all(data.join("demo")).unwrap();
        let _ = symlink(rig.state(), data.join("demo/rig.sim"));
        let mut command = Command::new(program("fanfarectl"));
        command
            .env_remove("XDG_RUNTIME_DIR")
            .args(["--profile", "demo", "--data-dir"])
            .arg(data)
            .arg("serve");
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Its probe, once there is one other than `before`.
    fn probe(&self, before: Option<i32>) -> i32 {
        let own = format!("PPid:\t{}", self.0.id());
        let is_own = |pid: &i32| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            status.starts_with("Name:\tfanfare-probe\n") && status.lines().any(|line| line == own)
        };
        let mut found = None;
        wait_for("a probe", || {
            let processes = fs::read_dir("/proc").unwrap();
            let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
            found = pids.filter(is_own).find(|pid| Some(*pid) != before);
            found.is_some()
        });
        found.unwrap()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < limit, "never: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn kill(pid: i32) {
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}

/// Starts a service, ends its probe once something was read, and kills it when sweeps of a session after `before` are on the disk. All
/// steps that a service has recorded, without the demo's past, which is told every ten seconds.
fn serve_and_be_killed(rig: &SimRig, data: &Path, before: u32) -> Vec<Step> {
    let card = uuid(rig, 0);
    let steps = || {
        let mut steps = stored(&data.join("demo"), card.as_str(), Quantity::Temperature);
        steps.retain(|step| step.every == Duration::from_secs(1));
        steps.iter().any(|step| step.session > before).then_some(steps)
    };
    let serve = Serve::start(rig, data);
    let mut probe = serve.probe(None);
    wait_for("a session on the disk", || {
        // The next probe is another session, for which all that is held is written.
        thread::sleep(Duration::from_secs(2));
        kill(probe);
        probe = serve.probe(Some(probe));
        steps().is_some()
    });
    drop(serve);
    steps().unwrap()
}

#[test]
fn after_a_kill_of_the_service_what_was_on_the_disk_is_there_once_and_the_next_goes_on() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let first = serve_and_be_killed(&rig, data.path(), 0);
    let reader = Reader::open(&data.path().join("demo")).unwrap().unwrap();
    assert_eq!(reader.verify().unwrap().findings, Vec::<String>::new());
    drop(reader);
    let newest = first.iter().map(|step| step.session).max().unwrap();
    let second = serve_and_be_killed(&rig, data.path(), newest);
    assert_eq!(second[..first.len()], first, "nothing is lost");
    assert!(second.windows(2).all(|pair| pair[1].boottime_us > pair[0].boottime_us), "nothing is doubled");
    assert!(second[first.len()..].iter().all(|step| step.session > newest), "a number is given once");
    let reader = Reader::open(&data.path().join("demo")).unwrap().unwrap();
    assert_eq!(reader.verify().unwrap().findings, Vec::<String>::new());
}
