//! A desk for one window: an X server, a D-Bus session and a web driver of its own, all gone when it is dropped.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use fanfare_testkit::skip;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

/// How long each of the desk's programs may take to start on a busy machine.
const START: Duration = Duration::from_secs(60);
/// How long they may take to leave after SIGTERM, before SIGKILL.
const LEAVE: Duration = Duration::from_secs(5);

const PROGRAMS: [&str; 4] = ["Xvfb", "dbus-run-session", "WebKitWebDriver", "localedef"];

/// What the window's session looks like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// `LANG`: `C`, or a language, country and `.UTF-8`.
    pub(crate) locale: &'static str,
    /// `GTK_THEME`, which the web view's colour scheme follows.
    pub(crate) theme: &'static str,
}

/// See the module. Fields are dropped in order: the driver and its window before their screen.
pub(crate) struct Desk {
    driver: Group,
    port: u16,
    _screen: Group,
    _home: TempDir,
}

impl Desk {
    /// Sets up a desk, or says why this machine cannot and returns `None`. Where skips are failures, panics instead.
    pub(crate) fn set_up(look: Look) -> Option<Self> {
        if let Some(missing) = PROGRAMS.iter().find(|program| !is_installed(program)) {
            skip(&format!("{missing} is not installed"));
            return None;
        }
        let home = tempfile::tempdir().expect("a home folder");
        let (screen, display) = screen();
        let port = free_port();
        let driver = Group::start(
            Command::new("dbus-run-session")
                .args(["--", "WebKitWebDriver", "--host=127.0.0.1", &format!("--port={port}")])
                .env_remove("WAYLAND_DISPLAY")
                .env_remove("LC_ALL")
                .envs([("DISPLAY", display.as_str()), ("LANG", look.locale), ("GTK_THEME", look.theme)])
                .envs([("GDK_BACKEND", "x11"), ("NO_AT_BRIDGE", "1"), ("TAURI_WEBVIEW_AUTOMATION", "true")])
                .env("LOCPATH", locales(look.locale))
                .env("HOME", home.path())
                .env("XDG_RUNTIME_DIR", folder(home.path(), "run"))
                .env("XDG_DATA_HOME", folder(home.path(), "data"))
                .env("XDG_CACHE_HOME", folder(home.path(), "cache"))
                .env("XDG_CONFIG_HOME", folder(home.path(), "config"))
                .stdout(Stdio::null()),
        );
        wait_until("the web driver listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Self { driver, port, _screen: screen, _home: home })
    }

    /// Opens the window: one on each desk.
    pub(crate) async fn open(&self, executable: &str) -> Client {
        let options = serde_json::json!({"webkitgtk:browserOptions": {"binary": executable, "args": []}});
        let serde_json::Value::Object(capabilities) = options else { unreachable!("it is written as one") };
        ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{}", self.port))
            .await
            .unwrap_or_else(|error| panic!("no window (driver {}): {error}", self.driver.child.id()))
    }
}

/// A program with all that it started: its process group, ended on drop.
struct Group {
    child: Child,
}

impl Group {
    fn start(command: &mut Command) -> Self {
        let child = command.stdin(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn();
        Self { child: child.unwrap_or_else(|error| panic!("{command:?}: {error}")) }
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

/// An X server, and its display's name, which the server chooses itself.
fn screen() -> (Group, String) {
    let mut screen = Group::start(
        Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1366x768x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped()),
    );
    let output = screen.child.stdout.take().expect("it is piped");
    let mut number = String::new();
    // The line comes when the server listens; a server that cannot start closes the pipe.
    BufReader::new(output).read_line(&mut number).expect("the display's number");
    assert!(!number.trim().is_empty(), "Xvfb did not start");
    (screen, format!(":{}", number.trim()))
}

fn folder(home: &Path, name: &str) -> PathBuf {
    let folder = home.join(name);
    fs::create_dir_all(&folder).expect("a folder of the desk");
    folder
}

/// The folder of the tests' own locales, with this one in it: a machine may have generated none but C.
///
/// It is kept between runs, as generating one takes seconds; a half-written one is never seen, as it is renamed when whole.
fn locales(locale: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("locales");
    let ours = folder.join(locale);
    if let Some(language) = locale.strip_suffix(".UTF-8").filter(|_| !ours.exists()) {
        fs::create_dir_all(&folder).expect("the folder of the locales");
        let making = tempfile::tempdir_in(&folder).expect("a folder in it");
        let made = making.path().join(locale);
        let status = Command::new("localedef").args(["-i", language, "-f", "UTF-8"]).arg(&made).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{language}: localedef failed (package locales)"
        );
        // Another test may have been first; its locale is as good.
        let _ = fs::rename(&made, &ours);
    }
    folder
}

/// A port that was free a moment ago. Nothing else on the machine asks for it by number.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + START;
    while !holds() {
        assert!(Instant::now() < deadline, "waited {START:?} until {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
