//! One engine for many programs, as real processes: a service, its clients, and what becomes of them when one is killed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::net::UnixListener,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use fanfare_engine::{
    api::{Holder, Kind},
    hold::{HeldBy, HoldLock},
    state_db::StateDb,
};
use fanfare_sim_state::Target;
use fanfare_testkit::{PATIENCE, SimRig};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use common::ctl;

/// A running program. It is killed when it goes.
struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    /// Starts `command`, and takes all that it writes, a line at a time.
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (send, lines) = channel();
        pass_on(child.stdout.take().unwrap(), send.clone());
        pass_on(child.stderr.take().unwrap(), send);
        Self { child, lines }
    }

    /// `fanfarectl serve`, which reads.
    fn serve(mut command: Command) -> Self {
        command.arg("serve");
        let program = Self::start(command);
        program.until("that it serves", |line| line.starts_with("fanfarectl serve: reading the rig"));
        program
    }

    /// `fanfarectl watch`, which has shown eight cards.
    fn watch(mut command: Command) -> Self {
        command.args(["watch", "--json", "--interval-ms", "50"]);
        let program = Self::start(command);
        program.sweep_after(0);
        program
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let limit = Instant::now() + PATIENCE;
        loop {
            let left = limit.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("never said: {what}"));
            if wanted(&line) {
                return line;
            }
        }
    }

    /// When the first sweep after `moment` in which eight cards answer began, in microseconds since the machine's start.
    fn sweep_after(&self, moment: u64) -> u64 {
        let line = self.until("a later sweep of eight cards", |line| {
            // Words on the standard error are no look.
            let Ok(look) = serde_json::from_str::<Value>(line) else { return false };
            let answers = |seat: &&Value| !seat["occupant"]["card"]["answer"]["sample"].is_null();
            began(&look) > moment && look["seats"].as_array().unwrap().iter().filter(answers).count() == 8
        });
        began(&serde_json::from_str(&line).unwrap())
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait_for("its end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    fn killed(mut self) {
        self.signal(Signal::KILL);
        self.ended();
    }
}

fn pass_on(from: impl Read + Send + 'static, to: Sender<String>) {
    thread::spawn(move || {
        let mut lines = BufReader::new(from).lines();
        while let Some(Ok(line)) = lines.next() {
            if to.send(line).is_err() {
                return;
            }
        }
    });
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// When a look's sweep began, in microseconds since the machine's start.
fn began(look: &Value) -> u64 {
    look["at"]["boottime_us"].as_u64().unwrap()
}

/// Microseconds since the machine's start.
fn boottime_us() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    u64::try_from(now.tv_sec).unwrap() * 1_000_000 + u64::try_from(now.tv_nsec).unwrap() / 1_000
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < limit, "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The probes that read the rig of `data`.
fn probes(data: &Path) -> Vec<u32> {
    let state = format!("FANFARE_SIM_STATE={}", data.join("demo/rig.sim").display());
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let entry = entry.ok()?;
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let name = fs::read_to_string(entry.path().join("comm")).ok()?;
        let variables = fs::read(entry.path().join("environ")).ok()?;
        let reads = variables.split(|byte| *byte == 0).any(|variable| variable == state.as_bytes());
        (name.trim() == "fanfare-probe" && reads).then_some(pid)
    });
    processes.collect()
}

fn only_one_probe(data: &Path) {
    wait_for("one probe alone", || probes(data).len() == 1);
}

fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn status(rig: &SimRig, data: &Path) -> String {
    let (code, said, words) = output(ctl(rig, data).arg("status"));
    assert_eq!((code, words.as_str()), (Some(0), ""));
    said
}

#[test]
fn a_service_and_two_clients_are_one_engine_with_one_row_a_card() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    assert!(status(&rig, data.path()).starts_with("No program reads the rig ("));
    let serve = Program::serve(ctl(&rig, data.path()));
    let (one, other) = (Program::watch(ctl(&rig, data.path())), Program::watch(ctl(&rig, data.path())));
    let (code, shown, _) = output(ctl(&rig, data.path()).arg("cards"));
    assert_eq!(code, Some(0));
    assert!(shown.contains("8 of 8 cards answer"), "{shown}");
    assert_eq!(probes(data.path()).len(), 1, "one probe for all four");
    assert_eq!(reader(data.path()), Some(serve.pid()));
    let said = status(&rig, data.path());
    let version = env!("CARGO_PKG_VERSION");
    let holder = format!("Read by fanfarectl serve, process {}, version {version}, since 20", serve.pid());
    assert!(said.starts_with(&holder), "{said}");
    let rows =
        || StateDb::read(&data.path().join("demo")).unwrap().unwrap().inventory().unwrap().members().count();
    wait_for("eight rows", || rows() == 8);
    let seen = one.sweep_after(0).max(other.sweep_after(0));
    one.sweep_after(seen);
    assert_eq!(rows(), 8);
}

/// `None` if it has ended.
fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Who has the one probe of a directory; `None` while there are several, or none.
fn reader(data: &Path) -> Option<u32> {
    match probes(data)[..] {
        [probe] => parent(probe),
        _ => None,
    }
}

#[test]
fn when_the_holder_is_killed_a_client_takes_over_and_the_sweeps_go_on() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let serve = Program::serve(ctl(&rig, data.path()));
    let watch = Program::watch(ctl(&rig, data.path()));
    let before = watch.sweep_after(0);
    serve.killed();
    let after = watch.sweep_after(before);
    watch.sweep_after(after);
    wait_for("the client holds", || {
        status(&rig, data.path()).starts_with(&format!("Read by fanfarectl, process {},", watch.pid()))
    });
    only_one_probe(data.path());
}

#[test]
fn of_two_clients_of_a_killed_holder_one_takes_over_ten_times_in_a_row() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let watch = || Program::watch(ctl(&rig, data.path()));
    let (mut holder, mut clients) = (watch(), [watch(), watch()]);
    for round in 0..10 {
        let before = clients.each_ref().map(|client| client.sweep_after(0));
        holder.killed();
        for (client, before) in clients.iter().zip(before) {
            client.sweep_after(before);
        }
        // The killed one's probe outlives it by a moment, as nobody's.
        let is_one = |reader| clients.iter().any(|client| client.pid() == reader);
        wait_for(&format!("round {round}: one of the two reads"), || reader(data.path()).is_some_and(is_one));
        let reader = reader(data.path());
        let [one, other] = clients;
        (holder, clients) =
            if Some(one.pid()) == reader { (one, [other, watch()]) } else { (other, [one, watch()]) };
        assert_eq!(Some(holder.pid()), reader, "round {round}: it went at once");
    }
}

#[test]
fn what_a_killed_holder_left_is_no_obstacle() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let serve = Program::serve(ctl(&rig, data.path()));
    let pid = serve.pid();
    serve.killed();
    let left = fs::read_to_string(data.path().join("demo/engine.lock")).unwrap();
    assert!(left.contains(&pid.to_string()), "the lock file of a dead process: {left}");
    assert!(data.path().join("demo/run/engine.sock").exists(), "its socket file");
    assert!(status(&rig, data.path()).starts_with("No program reads the rig ("));
    let (code, shown, words) = output(ctl(&rig, data.path()).arg("cards"));
    assert_eq!((code, words.as_str()), (Some(0), ""));
    assert!(shown.contains("8 of 8 cards answer"), "{shown}");
    assert!(!data.path().join("demo/run/engine.sock").exists(), "taken away in the end");
    Program::serve(ctl(&rig, data.path()));
}

#[test]
fn a_second_service_says_who_reads_and_ends_with_code_4() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let serve = Program::serve(ctl(&rig, data.path()));
    for (locale, what) in [
        ("en_US.UTF-8", "Another program reads this rig already."),
        ("zh_CN.UTF-8", "另一个程序已在读取这台主机。"),
    ] {
        let (code, _, words) = output(ctl(&rig, data.path()).env("LC_ALL", locale).arg("serve"));
        assert_eq!(code, Some(4), "{words}");
        assert!(words.starts_with(what), "{words}");
        assert!(words.contains(&format!("process {}", serve.pid())), "{words}");
    }
}

#[test]
fn each_signal_ends_a_service_in_order_though_the_driver_hangs() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
        let mut serve = Program::serve(ctl(&rig, data.path()));
        Program::watch(ctl(&rig, data.path()));
        rig.world.hang(Target::All, None, None).unwrap();
        serve.signal(signal);
        assert_eq!(serve.ended().code(), Some(0), "{signal:?}");
        assert!(status(&rig, data.path()).starts_with("No program reads the rig ("), "{signal:?}");
        assert!(!data.path().join("demo/run/engine.sock").exists(), "{signal:?}");
        wait_for("the end of the probe", || probes(data.path()).is_empty());
    }
}

#[test]
fn a_client_finds_the_socket_whatever_its_own_runtime_directory() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let runtime = tempfile::tempdir().unwrap();
    let mut command = ctl(&rig, data.path());
    command.env("XDG_RUNTIME_DIR", runtime.path());
    let serve = Program::serve(command);
    assert!(!data.path().join("demo/run").exists(), "the system's place for sockets is taken");
    Program::watch(ctl(&rig, data.path()));
    assert_eq!(reader(data.path()), Some(serve.pid()));
    assert_eq!(probes(data.path()).len(), 1);
}

#[test]
fn a_holder_that_is_stopped_is_named_with_what_to_do_and_is_gone_on_with_after() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let holder = Program::watch(ctl(&rig, data.path()));
    let client = Program::watch(ctl(&rig, data.path()));
    holder.signal(Signal::STOP);
    let pid = holder.pid();
    let words = client.until("whose silence it is", |line| {
        line.starts_with(&format!(
            "The program that reads the rig does not answer (fanfarectl, process {pid}); values are "
        ))
    });
    let step = format!(
        " s old. Let it go on with kill -CONT {pid}, or end it with kill -KILL {pid}: then this one takes over."
    );
    assert!(words.ends_with(&step), "{words}");
    let stopped = boottime_us();
    holder.signal(Signal::CONT);
    client.sweep_after(stopped);
    // Ended in place of let go on, as it was said.
    holder.signal(Signal::STOP);
    client.until("its silence again", |line| {
        line.starts_with("The program that reads the rig does not answer")
    });
    let stopped = boottime_us();
    holder.killed();
    client.sweep_after(stopped);
    assert_eq!(reader(data.path()), Some(client.pid()));
}

#[test]
fn to_whoever_comes_to_a_holder_that_is_stopped_it_is_named_with_what_to_do_in_both_languages() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let serve = Program::serve(ctl(&rig, data.path()));
    only_one_probe(data.path());
    let probe = probes(data.path());
    serve.signal(Signal::STOP);
    let pid = serve.pid();
    let table = [
        (
            "en_US.UTF-8",
            format!("The program that reads this rig does not answer: fanfarectl serve, process {pid}."),
            format!("Let it go on with kill -CONT {pid}, or end it with kill -KILL {pid}; then try again."),
        ),
        (
            "zh_CN.UTF-8",
            format!("正在读取这台主机的程序没有应答：fanfarectl serve，进程 {pid}。"),
            format!("请用 kill -CONT {pid} 让它继续，或用 kill -KILL {pid} 将其结束；然后重试。"),
        ),
    ];
    // Each waits for the holder for its own time, all of them at once.
    let asked: Vec<_> = ["status", "cards", "watch"]
        .into_iter()
        .flat_map(|verb| table.iter().map(move |row| (verb, row)))
        .map(|(verb, row)| {
            let mut command = ctl(&rig, data.path());
            command.arg(verb).env("LC_ALL", row.0).stdout(Stdio::piped()).stderr(Stdio::piped());
            (verb, row, command.spawn().unwrap())
        })
        .collect();
    for (verb, (_, what, step), child) in asked {
        let refused = child.wait_with_output().unwrap();
        let words = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(
            (refused.status.code(), refused.stdout.as_slice()),
            (Some(4), &b""[..]),
            "{verb}: {words}"
        );
        assert!(
            words.starts_with(what.as_str()) && words.trim_end().ends_with(step.as_str()),
            "{verb}: {words}"
        );
    }
    assert_eq!(probes(data.path()), probe, "nobody else reads a rig that is held");
}

#[test]
fn a_newer_holder_is_refused_with_code_4_and_what_to_do_in_both_languages() {
    let (rig, data) = (SimRig::still(), tempfile::tempdir().unwrap());
    let mut commands = ["en_US.UTF-8", "zh_CN.UTF-8"].map(|locale| {
        let mut command = ctl(&rig, data.path());
        command.env("LC_ALL", locale).arg("cards");
        command
    });
    let demo = data.path().join("demo");
    let socket = demo.join("newer.sock");
    let lock = HoldLock::take(&demo).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    let holder = Holder { pid: std::process::id(), kind: Kind::Serve, version: "9.9.9".into() };
    let since = "2026-01-01T00:00:00Z".parse().unwrap();
    lock.name(&HeldBy { holder, since, socket: Some(socket) }).unwrap();
    thread::spawn(move || {
        for client in listener.incoming() {
            use std::io::Write;
            let _ = writeln!(client.unwrap(), r#"{{"protocol":2,"version":"9.9.9","mood":"good"}}"#);
        }
    });
    let said = commands.each_mut().map(output);
    for ((code, _, words), what) in said.iter().zip([
        "The program that reads this rig is of another version.",
        "正在读取这台主机的程序是另一个版本。",
    ]) {
        assert_eq!(*code, Some(4), "{words}");
        assert!(words.starts_with(what) && words.contains("9.9.9"), "{words}");
    }
    assert!(probes(data.path()).is_empty(), "nobody else reads a rig that is held");
}
