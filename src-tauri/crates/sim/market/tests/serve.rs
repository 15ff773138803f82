//! The rig's side of a marketplace: what it answers, how long it stays, and what it does not put up with.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use fanfare_sim_state::{Clock, Setup, World};
use fanfare_testkit::{PATIENCE, program};

/// A rig under a clock that stands still, some hours after its begin, and its server.
struct Served {
    world: World,
    server: Child,
    line: String,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Served {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("rig.sim");
        let world = World::create(&state, &Setup { clock: Clock::Manual, ..Setup::default() }).unwrap();
        world.advance(Duration::from_secs(5 * 3_600)).unwrap();
        let mut server = Command::new(program("fanfare-sim"))
            .args(["serve", "--state"])
            .arg(&state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://").unwrap().parse().unwrap();
        Self { world, server, line, address, folder }
    }

    fn address_file(&self) -> PathBuf {
        self.folder.path().join("rig.sim.addr")
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The answer to a request, whole; empty if the server hung up without one.
    fn ask(&self, head: &str) -> String {
        let mut stream = self.connect();
        // It may hang up before it has taken all.
        let _ = stream.write_all(head.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn the_rentals_are_those_of_the_schedule_at_the_rigs_clock() {
    let served = Served::start();
    for _ in 0..3 {
        let answer = served.get("/rig/rentals");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        let told: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(told, serde_json::to_value(served.world.usage().unwrap()).unwrap());
        assert_eq!(told["cards"].as_array().unwrap().len(), 8);
        served.world.advance(Duration::from_secs(3_600)).unwrap();
    }
}

#[test]
fn the_address_is_a_loopback_one_told_on_the_output_and_in_a_file() {
    let served = Served::start();
    assert_eq!(served.address.ip().to_string(), "127.0.0.1");
    assert_eq!(fs::read_to_string(served.address_file()).unwrap(), served.line);
}

#[test]
fn it_ends_with_its_input_and_takes_its_address_along() {
    let mut served = Served::start();
    drop(served.server.stdin.take());
    let status = served.server.wait().unwrap();
    assert!(status.success(), "{status}");
    assert!(!served.address_file().exists());
    assert!(TcpStream::connect(served.address).is_err());
}

#[test]
fn anything_else_is_refused() {
    let served = Served::start();
    let status = |answer: String| answer.lines().next().unwrap_or_default().to_owned();
    assert_eq!(status(served.get("/")), "HTTP/1.1 404 Not Found");
    let post = "POST /rig/rentals HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(status(served.ask(post)), "HTTP/1.1 405 Method Not Allowed");
    assert_eq!(status(served.ask("nonsense\r\n\r\n")), "HTTP/1.1 400 Bad Request");
    let endless = format!("GET /rig/rentals HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    assert!(!served.ask(&endless).contains("200 OK"));
    assert!(served.get("/rig/rentals").contains("200 OK"), "it goes on");
}

#[test]
fn clients_that_say_nothing_are_hung_up_on_and_keep_nobody_out() {
    let served = Served::start();
    let silent: Vec<TcpStream> = (0..20).map(|_| served.connect()).collect();
    assert!(served.get("/rig/rentals").contains("200 OK"), "after the silent ones, within their limit");
    for mut stream in silent {
        let mut answer = Vec::new();
        // It is hung up on: reading ends, by an end or by a reset.
        let begun = Instant::now();
        let _ = stream.read_to_end(&mut answer);
        assert!(begun.elapsed() < PATIENCE);
    }
}

#[test]
fn a_port_that_is_taken_is_said() {
    let served = Served::start();
    let second = Command::new(program("fanfare-sim"))
        .args(["serve", "--port", &served.address.port().to_string(), "--state"])
        .arg(served.world.path())
        .stdin(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&second.stderr).contains("cannot serve"), "{second:?}");
    assert!(served.get("/rig/rentals").contains("200 OK"));
    assert!(served.address_file().exists(), "the first one's address stays");
}
