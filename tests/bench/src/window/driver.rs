//! The few words of WebDriver that a bench needs, over plain HTTP.

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use fanfare_testkit::screen::{Group, free_port};
use serde_json::{Value, json};

use super::stage::Stage;
use crate::failure::Failure;

/// How long the driver, and any answer of it, may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A web driver on a stage, and the port it listens on.
#[derive(Debug)]
pub(super) struct Driver {
    port: u16,
    _process: Group,
}

/// A window that a driver opened; it is closed with its driver.
#[derive(Debug)]
pub(super) struct Window<'driver> {
    driver: &'driver Driver,
    session: String,
}

impl Driver {
    /// Starts one and waits until it listens.
    pub(super) fn start(stage: &Stage) -> Result<Self, Failure> {
        let port = free_port();
        let arguments = ["--host=127.0.0.1".to_owned(), format!("--port={port}")];
        let process = stage.start_automated(Path::new("WebKitWebDriver"), &arguments);
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > deadline {
                return Err(Failure::NoWindow("the web driver does not listen".into()));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(Self { port, _process: process })
    }

    /// Opens a window.
    pub(super) fn open(&self, program: &Path, arguments: &[String]) -> Result<Window<'_>, Failure> {
        let options = json!({"binary": program, "args": arguments});
        let wanted = json!({"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}});
        let value = self.ask("POST", "/session", &wanted)?;
        match value["sessionId"].as_str() {
            Some(session) => Ok(Window { driver: self, session: session.to_owned() }),
            None => Err(Failure::NoWindow(value.to_string())),
        }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, Failure> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = String::new();
        read_answer(&mut stream, &mut answer)?;
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let mut answer: Value = serde_json::from_str(body)?;
        Ok(answer["value"].take())
    }
}

/// Reads head and body: the driver keeps the connection open whatever it is asked.
fn read_answer(stream: &mut TcpStream, answer: &mut String) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = stream.read(&mut chunk)?;
        bytes.extend_from_slice(chunk.get(..read).unwrap_or_default());
        *answer = String::from_utf8_lossy(&bytes).into_owned();
        if read == 0 || is_whole(answer) {
            return Ok(());
        }
    }
}

fn is_whole(answer: &str) -> bool {
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| body.len() >= length)
}

impl Window<'_> {
    /// What a script returns.
    pub(super) fn run(&self, script: &str) -> Result<Value, Failure> {
        let path = format!("/session/{}/execute/sync", self.session);
        self.driver.ask("POST", &path, &json!({"script": script, "args": []}))
    }

    /// Runs a script until it returns true.
    pub(super) fn until(&self, script: &str) -> Result<(), Failure> {
        let deadline = Instant::now() + PATIENCE;
        while self.run(script)? != Value::Bool(true) {
            if Instant::now() > deadline {
                return Err(Failure::NoWindow(format!("never true: {script}")));
            }
            thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Makes the window as large as this.
    pub(super) fn fill(&self, (width, height): (u32, u32)) -> Result<(), Failure> {
        let path = format!("/session/{}/window/rect", self.session);
        self.driver.ask("POST", &path, &json!({"x": 0, "y": 0, "width": width, "height": height})).map(drop)
    }

    /// Moves and presses the pointer; returns when all of it was done.
    pub(super) fn point(&self, actions: &[Value]) -> Result<(), Failure> {
        let path = format!("/session/{}/actions", self.session);
        let pointer = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions});
        self.driver.ask("POST", &path, &json!({"actions": [pointer]})).map(drop)
    }

    /// Closes the window and waits until that is done.
    pub(super) fn close(self) -> Result<(), Failure> {
        self.driver.ask("DELETE", &format!("/session/{}", self.session), &json!({})).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_once_its_body_is_as_long_as_its_head_says() {
        assert!(!is_whole("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"));
        assert!(!is_whole("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"));
        assert!(is_whole("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"));
    }
}
