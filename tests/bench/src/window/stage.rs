//! A screen with a window manager, a session bus and a home, for one window.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use fanfare_testkit::screen::{self, Group};
use tempfile::TempDir;

use crate::{failure::Failure, sweep::running::Rig};

/// A window manager's rule for all windows.
const RULES: &str = r#"<openbox_config xmlns="http://openbox.org/3.4/rc"><applications>
<application class="*"><iconic>ICONIC</iconic></application></applications></openbox_config>"#;

/// How a window begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// On the screen.
    Shown,
    /// Minimised, and stays so.
    Minimised,
}

/// See the module. What is first goes first.
#[derive(Debug)]
pub(super) struct Stage {
    environment: Vec<(OsString, OsString)>,
    _manager: Group,
    _bus: Group,
    _screen: Group,
    home: TempDir,
}

impl Stage {
    /// A stage on which windows find `rig`, of a laptop's size.
    pub(super) fn set(rig: &Rig, begins: Begins) -> Result<Self, Failure> {
        Self::of_size(rig, begins, screen::LAPTOP)
    }

    /// A stage of a size of its own, in pixels.
    pub(super) fn of_size(rig: &Rig, begins: Begins, size: (u32, u32)) -> Result<Self, Failure> {
        let home = tempfile::tempdir()?;
        let (screen, display) = screen::of_size(size);
        let (bus, address) = screen::bus();
        let mut environment = screen::environment(home.path(), &display, &address);
        environment.push(("FANFARE_SIM_STATE".into(), rig.world.path().into()));
        environment.push(("LANG".into(), "C.UTF-8".into()));
        let rules = home.path().join("openbox.xml");
        fs::write(&rules, RULES.replace("ICONIC", if begins == Begins::Minimised { "yes" } else { "no" }))?;
        let manager = Group::start(
            Command::new("openbox")
                .arg("--config-file")
                .arg(rules)
                .envs(environment.iter().cloned())
                .stdout(Stdio::null()),
        );
        Ok(Self { environment, _manager: manager, _bus: bus, _screen: screen, home })
    }

    /// Where Fanfare keeps what it remembers of the owner's rig.
    pub(super) fn data(&self) -> PathBuf {
        self.home.path().join("data/fanfare/real")
    }

    /// Starts a program on the stage.
    pub(super) fn start(&self, program: &Path, arguments: &[String]) -> Group {
        Group::start(&mut self.command(program, arguments))
    }

    /// Starts a program on the stage, whose windows a web driver may ask.
    pub(super) fn start_automated(&self, program: &Path, arguments: &[String]) -> Group {
        Group::start(self.command(program, arguments).env("TAURI_WEBVIEW_AUTOMATION", "true"))
    }

    fn command(&self, program: &Path, arguments: &[String]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_remove("WAYLAND_DISPLAY").env_remove("LC_ALL");
        command.envs(self.environment.iter().cloned()).stdout(Stdio::null());
        command
    }
}
