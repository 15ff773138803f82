//! The live table in a real terminal.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{
    io::{Read, Write},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use fanfare_testkit::{PATIENCE, SimRig, library, program};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

/// A program in a terminal, and what stands on its screen.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<Screen>>,
    _data: tempfile::TempDir,
}

struct Screen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    fn watch(rig: &SimRig, locale: &str) -> Self {
        program("fanfare-probe");
        let data = tempfile::tempdir().unwrap();
        let pair = native_pty_system().openpty(size(110, 30)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_fanfarectl"));
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", locale);
        command.env("FANFARE_SIM_STATE", rig.state());
        command.args(["watch", "--interval-ms", "100", "--profile", "real", "--data-dir"]);
        command.arg(data.path());
        command.arg("--nvml-lib");
        command.arg(library());
        let child = pair.slave.spawn_command(command).unwrap();
        let screen =
            Arc::new(Mutex::new(Screen { parser: vt100::Parser::new(30, 110, 0), bytes: Vec::new() }));
        let mut output = pair.master.try_clone_reader().unwrap();
        let shared = Arc::clone(&screen);
        thread::spawn(move || {
            let mut piece = [0; 4_096];
            while let Ok(length @ 1..) = output.read(&mut piece) {
                let mut screen = shared.lock().unwrap();
                screen.parser.process(&piece[..length]);
                screen.bytes.extend_from_slice(&piece[..length]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self { child, master: pair.master, keys, screen, _data: data }
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().parser.screen().contents()
    }

    fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) {
        let limit = Instant::now() + PATIENCE;
        while !wanted(&self.text()) {
            assert!(Instant::now() < limit, "never seen: {what}; on the screen:\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Another size, and the wait until the program has taken it in: it clears the screen before it draws anew.
    fn resize(&self, cols: u16, rows: u16) {
        {
            let mut screen = self.screen.lock().unwrap();
            screen.parser.screen_mut().set_size(rows, cols);
            screen.bytes.clear();
        }
        self.master.resize(size(cols, rows)).unwrap();
        self.written_until(|bytes| bytes.windows(4).any(|piece| piece == b"\x1b[2J"));
    }

    /// What was written since the bytes were last cleared, once `wanted` holds.
    fn written_until(&self, wanted: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let limit = Instant::now() + PATIENCE;
        loop {
            let bytes = self.screen.lock().unwrap().bytes.clone();
            if wanted(&bytes) {
                return bytes;
            }
            assert!(Instant::now() < limit, "too little was written: {bytes:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn press(&mut self, key: &str) -> u32 {
        self.keys.write_all(key.as_bytes()).unwrap();
        let limit = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(Instant::now() < limit, "it does not leave");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Rows of cards that are shown to their end.
fn rows(text: &str) -> usize {
    let whole = |line: &&str| {
        line.starts_with(|c: char| c.is_ascii_digit()) && (line.ends_with("idle") || line.ends_with("lost"))
    };
    text.lines().map(str::trim_end).filter(whole).count()
}

#[test]
fn eight_live_cards_a_lost_one_and_the_way_out() {
    let rig = SimRig::still();
    let mut terminal = Terminal::watch(&rig, "en_US.UTF-8");
    terminal.until("eight cards", |text| {
        rows(text) == 8 && text.contains("All cards answer") && text.contains("q leaves")
    });
    rig.world.temperature(0, Some(83)).unwrap();
    terminal.until("a new temperature", |text| text.contains("83 °C"));
    rig.world.lose(5).unwrap();
    terminal.until("a lost card", |text| text.contains("Card 6: lost") && rows(text) == 8);
    assert_eq!(terminal.press("q"), 0);
    assert!(
        !terminal.screen.lock().unwrap().parser.screen().alternate_screen(),
        "the screen before it is back"
    );
}

#[test]
fn it_redraws_at_a_new_size_and_leaves_by_ctrl_c() {
    let rig = SimRig::still();
    let mut terminal = Terminal::watch(&rig, "en_US.UTF-8");
    terminal.until("eight cards", |text| rows(text) == 8);
    terminal.resize(60, 20);
    terminal.until("eight cards in 60 columns", |text| {
        rows(text) == 8 && text.lines().all(|line| line.chars().count() <= 60)
    });
    terminal.resize(10, 3);
    terminal.until("something in 10 columns", |text| text.contains("SIMULATED"));
    terminal.resize(110, 30);
    terminal.until("eight cards in 110 columns", |text| rows(text) == 8 && text.contains("q leaves"));
    assert_eq!(terminal.press("\u{3}"), 0);
}

#[test]
fn each_signal_that_asks_it_to_leave_finds_the_screen_given_back() {
    for signal in [Signal::INT, Signal::HUP, Signal::QUIT, Signal::TERM] {
        let rig = SimRig::still();
        let mut terminal = Terminal::watch(&rig, "en_US.UTF-8");
        terminal.until("eight cards", |text| rows(text) == 8);
        let pid = i32::try_from(terminal.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        assert_eq!(terminal.press(""), 0, "{signal:?}");
        assert!(!terminal.screen.lock().unwrap().parser.screen().alternate_screen(), "{signal:?}");
    }
}

#[test]
fn only_what_changed_is_written_so_nothing_flickers() {
    let rig = SimRig::still();
    let mut terminal = Terminal::watch(&rig, "en_US.UTF-8");
    terminal.until("eight cards", |text| rows(text) == 8);
    rig.world.temperature(0, Some(61)).unwrap();
    terminal.until("a temperature", |text| text.contains("61 °C"));
    terminal.screen.lock().unwrap().bytes.clear();
    rig.world.temperature(0, Some(62)).unwrap();
    let written = terminal.written_until(|bytes| bytes.windows(1).any(|byte| byte == b"2"));
    // One digit of one cell, with the escapes that lead there; a whole table is above 800 bytes.
    assert!(
        written.len() < 200,
        "{} bytes for one digit: {:?}",
        written.len(),
        String::from_utf8_lossy(&written)
    );
    for clear in ["\u{1b}[2J", "\u{1b}[J", "\u{1b}[K"] {
        assert!(!String::from_utf8_lossy(&written).contains(clear), "the screen was cleared");
    }
    assert_eq!(terminal.press("q"), 0);
}

#[test]
fn it_speaks_chinese_with_its_columns_straight() {
    let rig = SimRig::still();
    let mut terminal = Terminal::watch(&rig, "zh_CN.UTF-8");
    terminal.until("eight cards", |text| {
        text.matches(":00.0").count() == 8 && text.contains("所有显卡均正常应答") && text.contains("温度")
    });
    assert_eq!(terminal.press("q"), 0);
}
