//! Prometheus, as Debian has it: blocks that `promtool` makes of a day, and a server over them on the loopback address.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use super::day::{Day, QUANTITIES};
use crate::failure::Failure;

/// How long promtool may take: it reads the whole day anew for each block of two hours, some 10 s each.
const PATIENCE: Duration = Duration::from_secs(1_200);
/// How long the server may take to be ready.
const READY: Duration = Duration::from_secs(120);

/// A day as Prometheus keeps it.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) folder: PathBuf,
    /// Of all their files.
    pub(super) bytes: u64,
}

impl Blocks {
    /// The blocks of a day, in a folder beside others of `folder`.
    pub(super) fn of(day: &Day, folder: &Path) -> Result<Self, Failure> {
        let (text, blocks) = (folder.join("day.om"), folder.join("prometheus"));
        write(day, &text)?;
        let mut child = Command::new("promtool")
            .args(["tsdb", "create-blocks-from", "openmetrics"])
            .args([&text, &blocks])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(Failure::NoPrometheus)?;
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    child.kill()?;
                    return Err(Failure::Peer("promtool does not come to an end".into()));
                }
                None => std::thread::sleep(Duration::from_millis(200)),
            }
        };
        if !status.success() {
            return Err(Failure::Peer(format!("promtool ended with {status}")));
        }
        fs::remove_file(text)?;
        let bytes = bytes_below(&blocks)?;
        Ok(Self { folder: blocks, bytes })
    }

    /// A server over them.
    pub(super) fn serve(&self) -> Result<Server, Failure> {
        // Free now; nobody else here asks for ports.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = self.folder.with_extension("yml");
        fs::write(&config, "global: {}\n")?;
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", self.folder.display()))
            .arg("--storage.tsdb.retention.time=10y")
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--log.level=error")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(Failure::NoPrometheus)?;
        Ok(Server { child, address: format!("http://127.0.0.1:{port}") })
    }
}

/// A running server; dropping it ends it.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
}

impl Server {
    /// Waits until it answers.
    pub(super) async fn ready(&self, client: &reqwest::Client) -> Result<(), Failure> {
        let deadline = Instant::now() + READY;
        loop {
            let asked = client.get(format!("{}/-/ready", self.address)).send().await;
            if asked.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Failure::Peer("prometheus does not get ready".into()));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The name of a metric: short, as are the cards' labels, so that their index is as small as it can be.
pub(super) fn metric(place: usize) -> String {
    format!("q{place}")
}

/// The day in Prometheus' own format, times in whole milliseconds.
fn write(day: &Day, path: &Path) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for quantity in 0..QUANTITIES.len() {
        let name = metric(quantity);
        writeln!(out, "# TYPE {name} gauge")?;
        for card in 0..day.cards.len() {
            for sweep in &day.sweeps {
                let place = card * QUANTITIES.len() + quantity;
                let Some((_, Some(value))) = sweep.values.get(place) else { continue };
                let at_ms = sweep.at.wall.as_millisecond();
                writeln!(out, "{name}{{c=\"{card}\"}} {value} {}.{:03}", at_ms / 1_000, at_ms % 1_000)?;
            }
        }
    }
    writeln!(out, "# EOF")?;
    Ok(out.flush()?)
}

/// The bytes of all files below a folder, which lie two deep.
fn bytes_below(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes +=
            if entry.file_type()?.is_dir() { bytes_below(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}
