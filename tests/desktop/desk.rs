//! A desk for one window: an X server, a window manager, a session bus and a web driver of its own, all gone when it is dropped.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    net::TcpStream,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use fanfare_testkit::{
    SimRig,
    screen::{self, Group, free_port},
    skip,
};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use tempfile::TempDir;

/// How long each of the desk's programs may take to start on a busy machine.
const START: Duration = Duration::from_secs(60);

const PROGRAMS: [&str; 5] = ["Xvfb", "openbox", "dbus-daemon", "WebKitWebDriver", "localedef"];

/// What the window's session looks like.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    /// `LANG`: `C`, or a language, country and `.UTF-8`.
    pub(crate) locale: &'static str,
    /// `GTK_THEME`, which the web view's colour scheme follows.
    pub(crate) theme: &'static str,
    /// Whether there is a session bus.
    pub(crate) bus: bool,
    /// Further variables.
    pub(crate) variables: Vec<(OsString, OsString)>,
}

impl Session {
    /// English, dark, with a bus.
    pub(crate) fn plain() -> Self {
        Self { locale: "en_US.UTF-8", theme: "Adwaita:dark", bus: true, variables: Vec::new() }
    }

    /// The same, in which the simulated driver finds `rig`.
    pub(crate) fn over(rig: &SimRig) -> Self {
        Self { variables: rig.environment(), ..Self::plain() }
    }
}

/// See the module. Fields are dropped in order: the driver and its window before their bus and screen.
pub(crate) struct Desk {
    driver: Group,
    port: u16,
    environment: Vec<(OsString, OsString)>,
    _manager: Group,
    _bus: Option<Group>,
    _screen: Group,
    home: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// One desk at a time: a window that waits for a processor looks like one that hangs.
static TURN: Mutex<()> = Mutex::new(());

impl Desk {
    /// Sets up a desk, or says why this machine cannot and returns `None`. Where skips are failures, panics instead.
    pub(crate) fn set_up(session: Session) -> Option<Self> {
        if let Some(missing) = PROGRAMS.iter().find(|program| !is_installed(program)) {
            skip(&format!("{missing} is not installed"));
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let home = tempfile::tempdir().expect("a home folder");
        let (screen, display) = screen::start();
        let (bus, address) = if session.bus {
            let (bus, address) = screen::bus();
            (Some(bus), address)
        } else {
            (None, "unix:path=/nonexistent".to_owned())
        };
        let mut environment = screen::environment(home.path(), &display, &address);
        environment.push(("LANG".into(), session.locale.into()));
        environment.push(("LOCPATH".into(), locales(session.locale).into()));
        environment.push(("GTK_THEME".into(), session.theme.into()));
        environment.extend(session.variables);
        let manager = Group::start(at(&environment, &mut Command::new("openbox")).stdout(Stdio::null()));
        let port = free_port();
        let driver = Group::start(
            at(&environment, &mut Command::new("WebKitWebDriver"))
                .args(["--host=127.0.0.1", &format!("--port={port}")])
                .env("TAURI_WEBVIEW_AUTOMATION", "true")
                .stdout(Stdio::null()),
        );
        wait_until("the web driver listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Self {
            driver,
            port,
            environment,
            _manager: manager,
            _bus: bus,
            _screen: screen,
            home,
            _turn: turn,
        })
    }

    /// Opens the window through the web driver: one on each desk.
    pub(crate) async fn open(&self, arguments: &[&OsStr]) -> Client {
        self.open_program(Path::new(WINDOW), arguments).await
    }

    /// The same, of another executable.
    pub(crate) async fn open_program(&self, program: &Path, arguments: &[&OsStr]) -> Client {
        let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        let options = serde_json::json!({"webkitgtk:browserOptions": {"binary": self.heard(program), "args": arguments}});
        let serde_json::Value::Object(capabilities) = options else { unreachable!("it is written as one") };
        ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{}", self.port))
            .await
            .unwrap_or_else(|error| panic!("no window (driver {}): {error}", self.driver.id()))
    }

    /// A script that becomes the program, with its output kept: the web driver throws it away.
    fn heard(&self, program: &Path) -> PathBuf {
        let (script, console) = (self.home.path().join("window.sh"), self.home.path().join("console"));
        let body = format!("exec '{}' \"$@\" >'{}' 2>&1", program.display(), console.display());
        fanfare_testkit::script(&body, &script);
        script
    }

    /// A program in this session, not started yet.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        at(&self.environment, command.stdin(Stdio::null()));
        command
    }

    /// The home folder of the session's user.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// What the page of the window that the web driver opened has said on its console, and the window on its output.
    pub(crate) fn console(&self) -> String {
        fs::read_to_string(self.home.path().join("console")).expect("the console's file")
    }

    /// The session's processes of this name (of which the kernel keeps 15 bytes), by their id.
    pub(crate) fn processes(&self, name: &str) -> Vec<i32> {
        let mut home = OsString::from("HOME=");
        home.push(self.home.path());
        let ids = fs::read_dir("/proc").expect("/proc").flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(|id| is_process(*id, name, home.as_bytes())).collect()
    }

    /// The one process of this name.
    pub(crate) fn process(&self, name: &str) -> i32 {
        let found = self.processes(name);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        found[0]
    }
}

/// The window's executable.
pub(crate) const WINDOW: &str = env!("CARGO_BIN_EXE_fanfare");

/// Puts a command into a session: its environment, and nothing of the test's that would change what the window does.
fn at<'command>(
    environment: &[(OsString, OsString)],
    command: &'command mut Command,
) -> &'command mut Command {
    for foreign in ["WAYLAND_DISPLAY", "LC_ALL", "LANGUAGE"] {
        command.env_remove(foreign);
    }
    command.envs(environment.iter().cloned())
}

fn is_process(id: i32, name: &str, home: &[u8]) -> bool {
    let read = |file: &str| fs::read(format!("/proc/{id}/{file}")).unwrap_or_default();
    let kept = name.get(..15).unwrap_or(name);
    read("comm").trim_ascii_end() == kept.as_bytes()
        && read("environ").split(|byte| *byte == 0).any(|variable| variable == home)
        // One that has ended and was not reaped has no environment, but one that is ending may still show it.
        && !read("stat").windows(4).any(|part| part == b") Z ")
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

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
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
