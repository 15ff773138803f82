//! An X server and a session bus of one's own, and programs that end with all that they started.

use std::{
    ffi::OsString,
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a program may take to leave after SIGTERM, before SIGKILL.
const LEAVE: Duration = Duration::from_secs(5);

/// A program with all that it started: its process group, ended on drop.
#[derive(Debug)]
pub struct Group {
    child: Child,
}

impl Group {
    /// Starts it, without input, and without its complaints.
    pub fn start(command: &mut Command) -> Self {
        let child = command.stdin(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn();
        Self { child: child.unwrap_or_else(|error| panic!("{command:?}: {error}")) }
    }

    /// The leader's process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // A group that is gone already is what is wanted.
            let _ = kill_process_group(pid, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::TERM);
        let deadline = Instant::now() + LEAVE;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        // The leader may be gone before its children: the group's id stays valid as long as one of them lives.
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}

/// The pixels of a laptop's screen, the smallest that the window is laid out for.
pub const LAPTOP: (u32, u32) = (1366, 768);

/// An X server with a laptop's screen, and its display's name, which the server chooses itself.
pub fn start() -> (Group, String) {
    of_size(LAPTOP)
}

/// The same with a screen of so many pixels.
pub fn of_size((width, height): (u32, u32)) -> (Group, String) {
    let size = format!("{width}x{height}x24");
    let mut screen = Group::start(
        Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &size, "-nolisten", "tcp"])
            .stdout(Stdio::piped()),
    );
    let output = screen.child.stdout.take().expect("it is piped");
    let mut number = String::new();
    // The line comes when the server listens; a server that cannot start closes the pipe.
    BufReader::new(output).read_line(&mut number).expect("the display's number");
    assert!(!number.trim().is_empty(), "Xvfb did not start");
    (screen, format!(":{}", number.trim()))
}

/// A session bus of its own, and its address.
pub fn bus() -> (Group, String) {
    let mut bus = Group::start(
        Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
            .stdout(Stdio::piped()),
    );
    let output = bus.child.stdout.take().expect("it is piped");
    let mut address = String::new();
    BufReader::new(output).read_line(&mut address).expect("the bus's address");
    assert!(!address.trim().is_empty(), "dbus-daemon did not start");
    (bus, address.trim().to_owned())
}

/// What a program needs to show itself on `display` and the bus at `address`, with a home and its folders in `home`.
pub fn environment(home: &Path, display: &str, address: &str) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = vec![
        ("DISPLAY".into(), display.into()),
        ("DBUS_SESSION_BUS_ADDRESS".into(), address.into()),
        ("GDK_BACKEND".into(), "x11".into()),
        ("NO_AT_BRIDGE".into(), "1".into()),
        ("HOME".into(), home.into()),
    ];
    for (variable, name) in [
        ("XDG_RUNTIME_DIR", "run"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_CONFIG_HOME", "config"),
    ] {
        let folder = home.join(name);
        fs::create_dir_all(&folder).expect("the home is ours");
        environment.push((variable.into(), folder.into()));
    }
    environment
}

/// A port that was free a moment ago. Nothing else on the machine asks for it by number.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}
