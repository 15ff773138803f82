//! The simulated rig's marketplace: a child that tells at a loopback address who rents which card.
//!
//! The address is the child's first word and must be 127.0.0.1; no proxy stands between, no redirection is followed, and an answer
//! has 2 s and 64 KiB. So the demo reaches nothing but its own child.

use std::{
    io,
    net::{Ipv4Addr, SocketAddrV4},
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::rentals;
use crate::hub::Rentals;

/// How long the child may take to tell its address; it takes some 20 ms.
const START_WITHIN: Duration = Duration::from_secs(10);
/// Longest line that may be an address, in bytes.
const LINE_MOST: u64 = 64;
/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// Longest answer that is taken, in bytes: some eight times that for 64 cards.
const ANSWER_MOST: usize = 65_536;
/// How long each of two steps of ending the child may take.
const STEP: Duration = Duration::from_millis(400);

/// How the marketplace is started and asked.
#[derive(Debug, Clone)]
pub struct MarketCommand {
    /// The executable.
    pub program: PathBuf,
    /// The rig's state.
    pub state: PathBuf,
    /// Time between two questions.
    pub every: Duration,
    /// Time before it is started again; it doubles up to half a minute.
    pub pause: Duration,
}

impl MarketCommand {
    /// Asked each 5 s, started again after 1 s.
    pub const fn of(program: PathBuf, state: PathBuf) -> Self {
        Self { program, state, every: Duration::from_secs(5), pause: Duration::from_secs(1) }
    }
}

/// Why the marketplace tells nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum MarketError {
    /// It could not be started.
    #[error("it could not be started: {0}")]
    Start(#[source] io::Error),
    /// It did not tell its address.
    #[error("it told no address in {} s", START_WITHIN.as_secs())]
    Mute,
    /// Its address is none of this machine's own.
    #[error("{0:?} is no address at 127.0.0.1")]
    Address(String),
    /// It ended.
    #[error("it ended ({0})")]
    Ended(ExitStatus),
    /// It could not be asked, or did not answer in time.
    #[error("it did not answer: {0}")]
    Ask(#[from] reqwest::Error),
    /// It refused.
    #[error("it answered {0}")]
    Refused(reqwest::StatusCode),
    /// It answered more than any rig has to tell.
    #[error("its answer is longer than {ANSWER_MOST} bytes")]
    Endless,
    /// Its answer cannot be read.
    #[error("its answer cannot be read: {0}")]
    Babble(#[from] serde_json::Error),
}

/// A running marketplace. Dropping it kills the child.
#[derive(Debug)]
pub(super) struct Market {
    child: Child,
    /// Held open for as long as the child is wanted: it ends when this closes.
    input: Option<ChildStdin>,
    /// Held open, so that the child may write.
    _output: BufReader<ChildStdout>,
    desk: Desk,
}

/// Where it is asked.
#[derive(Debug)]
struct Desk {
    client: reqwest::Client,
    url: String,
}

impl Market {
    pub(super) async fn start(command: &MarketCommand) -> Result<Self, MarketError> {
        let mut child = Command::new(&command.program)
            .args(["serve", "--state"])
            .arg(&command.state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(MarketError::Start)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut output =
            BufReader::new(output.ok_or_else(|| MarketError::Start(io::ErrorKind::BrokenPipe.into()))?);
        let mut line = String::new();
        let mut first = (&mut output).take(LINE_MOST);
        let told = timeout(START_WITHIN, first.read_line(&mut line)).await.map_err(|_| MarketError::Mute)?;
        told.map_err(MarketError::Start)?;
        let desk = Desk::at(address(&line)?)?;
        Ok(Self { child, input, _output: output, desk })
    }

    /// Which cards are rented now. Takes some 1 ms, 2 s at most.
    pub(super) async fn rentals(&self) -> Result<Rentals, MarketError> {
        self.desk.rentals().await
    }

    /// Waits for the child's own end. May be dropped at its await.
    pub(super) async fn ended(&mut self) -> MarketError {
        match self.child.wait().await {
            Ok(status) => MarketError::Ended(status),
            Err(error) => MarketError::Start(error),
        }
    }

    /// Ends the child, within 0.8 s: its input is closed, then it is killed.
    pub(super) async fn end(mut self) {
        drop(self.input.take());
        if timeout(STEP, self.child.wait()).await.is_err() {
            // One that has ended meanwhile needs no killing.
            let _ = self.child.start_kill();
            let _ = timeout(STEP, self.child.wait()).await;
        }
    }
}

impl Desk {
    fn at(address: SocketAddrV4) -> Result<Self, MarketError> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(ANSWER_WITHIN)
            .build()?;
        Ok(Self { client, url: format!("http://{address}/rig/rentals") })
    }

    async fn rentals(&self) -> Result<Rentals, MarketError> {
        let mut answer = self.client.get(&self.url).send().await?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(MarketError::Refused(answer.status()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > ANSWER_MOST {
                return Err(MarketError::Endless);
            }
        }
        Ok(rentals::read(&body)?)
    }
}

/// The address in the child's first line.
fn address(line: &str) -> Result<SocketAddrV4, MarketError> {
    let told =
        line.trim_end().strip_prefix("http://").and_then(|address| address.parse::<SocketAddrV4>().ok());
    told.filter(|address| *address.ip() == Ipv4Addr::LOCALHOST && address.port() != 0)
        .ok_or_else(|| MarketError::Address(line.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::{io::AsyncWriteExt, net::TcpListener};

    use super::*;

    #[test]
    fn only_this_machines_own_loopback_address_is_asked() {
        assert_eq!(address("http://127.0.0.1:4711\n").unwrap().to_string(), "127.0.0.1:4711");
        for line in [
            "",
            "\n",
            "127.0.0.1:4711\n",
            "https://127.0.0.1:4711\n",
            "http://127.0.0.1\n",
            "http://127.0.0.1:0\n",
            "http://127.0.0.2:4711\n",
            "http://0.0.0.0:4711\n",
            "http://192.168.1.7:4711\n",
            "http://localhost:4711\n",
            "http://[::1]:4711\n",
            "http://127.0.0.1:4711/elsewhere\n",
            "http://127.0.0.1:4711@example.com\n",
        ] {
            assert!(matches!(address(line), Err(MarketError::Address(_))), "{line:?}");
        }
    }

    /// What becomes of an answer, sent as it is to whoever asks first.
    async fn becomes(answer: String) -> MarketError {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let SocketAddr::V4(address) = listener.local_addr().unwrap() else { unreachable!() };
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 1_024];
            assert!(stream.read(&mut head).await.unwrap() > 0);
            // Whoever asked may hang up before it has taken all.
            let _ = stream.write_all(answer.as_bytes()).await;
            stream
        };
        let desk = Desk::at(address).unwrap();
        let (asked, _stream) = tokio::join!(desk.rentals(), serve);
        asked.unwrap_err()
    }

    fn answer(status: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn an_answer_that_is_none_is_an_error_and_no_redirection_is_followed() {
        let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let location = format!("302 Found\r\nLocation: http://{}/", elsewhere.local_addr().unwrap());
        let refused = becomes(answer(&location, "")).await;
        assert!(matches!(refused, MarketError::Refused(status) if status.as_u16() == 302), "{refused}");
        let asked = timeout(Duration::from_millis(100), elsewhere.accept()).await;
        assert!(asked.is_err(), "nobody goes where the answer points");
        let failed = becomes(answer("503 Service Unavailable", "")).await;
        assert!(matches!(failed, MarketError::Refused(_)), "{failed}");
        let babble = becomes(answer("200 OK", "not what was asked for")).await;
        assert!(matches!(babble, MarketError::Babble(_)), "{babble}");
        let endless = becomes(answer("200 OK", &" ".repeat(100_000))).await;
        assert!(matches!(endless, MarketError::Endless), "{endless}");
        let silent = becomes(String::new()).await;
        assert!(matches!(&silent, MarketError::Ask(error) if error.is_timeout()), "{silent}");
    }
}
