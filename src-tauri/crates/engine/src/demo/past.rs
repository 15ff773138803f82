//! The day before the demo began: told by the simulation, and recorded as if it had been read.
//!
//! A demo whose history begins empty shows nothing of what a history is for. So while it is empty, `fanfare-sim past` is asked for a
//! day, which ends where the demo begins; it belongs to a boot of its own, as if the rig had been started anew just before. It is as simulated as all
//! that follows, and stays in the demo's directory.
//!
//! Worst case: 8,640 lines of 3 kB in some 2 s of the child's CPU. Whoever listens sets the limit.

use std::{fs, io, path::PathBuf, process::Stdio, sync::Arc, time::Duration};

use fanfare_history::{Mark, MarkKind, Quantity, Series, Source, Sweep};
use fanfare_rig::CardUuid;
use fanfare_units::{BootId, BootIdError, Boottime, Stamp};
use futures_util::StreamExt;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tokio::process::{Child, ChildStdout, Command};
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};

/// How long a past, in seconds.
const SPAN_S: u64 = 24 * 3_600;
/// Between two readings of it, in seconds.
const EVERY_S: u64 = 10;
/// Longest line that is taken, in bytes; eight cards have 3 kB.
const LINE_MOST: usize = 64 << 10;
/// Cards that are taken in; no rig has more.
const CARDS_MOST: usize = 64;
/// The boot that a past belongs to, and how long it had been running when the past began. A kernel's boot ids are random.
const BOOT: &str = "00000000000000000000000000000001";
const BOOTED_BEFORE_S: u64 = 3_600;

/// How the past is asked for.
#[derive(Debug, Clone)]
pub struct PastCommand {
    program: PathBuf,
    /// A file that the simulation may make and take away again.
    scratch: PathBuf,
}

/// Why a past ends before its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PastError {
    /// The executable could not be run.
    #[error("it could not be started: {0}")]
    Start(#[from] io::Error),
    /// It wrote what is no line.
    #[error("it told what cannot be read: {0}")]
    Line(#[from] LinesCodecError),
    /// It wrote a line that is no moment.
    #[error("it told what cannot be read: {0}")]
    Babble(#[from] serde_json::Error),
    /// Its boot has no name.
    #[error(transparent)]
    Boot(#[from] BootIdError),
}

/// The readings of one moment, in the driver's units; what a later build adds is passed over.
#[derive(Debug, Deserialize)]
struct Moment {
    at_s: u64,
    cards: Vec<Reading>,
    xids: Vec<Xid>,
}

#[derive(Debug, Deserialize)]
struct Xid {
    uuid: CardUuid,
    number: u64,
}

#[derive(Debug, Deserialize)]
struct Reading {
    uuid: CardUuid,
    temperature_c: i64,
    power_mw: Option<i64>,
    power_limit_mw: i64,
    energy_mj: Option<i64>,
    utilisation: i64,
    memory_utilisation: i64,
    memory_used: i64,
    graphics_mhz: i64,
    memory_mhz: i64,
    fan_percent: Option<i64>,
    fan_rpm: Option<i64>,
    throttle: i64,
    pstate: i64,
    link_generation: i64,
    link_width: i64,
    busy: bool,
    rented: bool,
}

impl PastCommand {
    /// The past that `program` tells with the help of a file at `scratch`.
    pub const fn of(program: PathBuf, scratch: PathBuf) -> Self {
        Self { program, scratch }
    }

    /// Begins the telling of a past that ends at a moment.
    ///
    /// # Errors
    /// The executable cannot be run.
    pub(crate) fn begin(&self, until: Timestamp) -> Result<Past, PastError> {
        let mut child = Command::new(&self.program)
            .arg("past")
            .arg(&self.scratch)
            .args([format!("--span={SPAN_S}s"), format!("--every={EVERY_S}s")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        let lines = FramedRead::new(output, LinesCodec::new_with_max_length(LINE_MOST));
        let clock = PastClock { until, boot: BOOT.parse()? };
        Ok(Past { _child: child, lines, clock, scratch: self.scratch.clone() })
    }
}

/// A past that is being told. Dropping it kills the child.
#[derive(Debug)]
pub(crate) struct Past {
    _child: Child,
    lines: FramedRead<ChildStdout, LinesCodec>,
    clock: PastClock,
    scratch: PathBuf,
}

impl Drop for Past {
    fn drop(&mut self) {
        // A child that is killed leaves it behind; one that came to its end did not.
        let _ = fs::remove_file(&self.scratch);
    }
}

impl Past {
    /// The next sweep; none after the last. It has no limit of its own.
    ///
    /// # Errors
    /// What was told cannot be read.
    pub(crate) async fn next(&mut self) -> Result<Option<Sweep>, PastError> {
        let Some(line) = self.lines.next().await.transpose()? else { return Ok(None) };
        let moment: Moment = serde_json::from_str(&line)?;
        Ok(Some(moment.sweep(self.clock)))
    }
}

/// The clocks of a past.
#[derive(Debug, Clone, Copy)]
struct PastClock {
    /// When it ends.
    until: Timestamp,
    boot: BootId,
}

impl PastClock {
    /// The stamp of a second since the past began; what lies beyond its end is at its end.
    fn stamp(self, at_s: u64) -> Stamp {
        let at_s = at_s.min(SPAN_S);
        let ago = SignedDuration::from_secs(i64::try_from(SPAN_S - at_s).unwrap_or_default());
        Stamp {
            wall: self.until.checked_sub(ago).unwrap_or(self.until),
            boottime: Boottime::since_boot(Duration::from_secs(BOOTED_BEFORE_S + at_s)),
            boot: self.boot,
        }
    }
}

impl Moment {
    fn sweep(self, clock: PastClock) -> Sweep {
        let at = clock.stamp(self.at_s);
        let values = self.cards.iter().take(CARDS_MOST).flat_map(Reading::values).collect();
        let mark = |xid: &Xid| Mark {
            at,
            subject: Some(xid.uuid.as_str().into()),
            kind: MarkKind::Xid,
            code: xid.number,
        };
        let marks = self.xids.iter().map(mark).collect();
        Sweep { at, source: Source { session: 1, every: Duration::from_secs(EVERY_S) }, values, marks }
    }
}

impl Reading {
    /// Who has it, as the history has it: what is not rented and computes does so for whom nobody says.
    const fn tenancy(&self) -> i64 {
        match (self.rented, self.busy) {
            (true, _) => 2,
            (false, true) => 8,
            (false, false) => 1,
        }
    }

    fn values(&self) -> impl Iterator<Item = (Series, Option<i64>)> + use<> {
        let subject: Arc<str> = self.uuid.as_str().into();
        let values = [
            (Quantity::Temperature, Some(self.temperature_c)),
            (Quantity::Power, self.power_mw),
            (Quantity::PowerLimit, Some(self.power_limit_mw)),
            (Quantity::Energy, self.energy_mj),
            (Quantity::Utilisation, Some(self.utilisation)),
            (Quantity::MemoryUtilisation, Some(self.memory_utilisation)),
            (Quantity::MemoryUsed, Some(self.memory_used)),
            (Quantity::GraphicsClock, Some(self.graphics_mhz)),
            (Quantity::MemoryClock, Some(self.memory_mhz)),
            (Quantity::FanReported, self.fan_percent),
            (Quantity::FanSpeed, self.fan_rpm),
            (Quantity::Throttle, Some(self.throttle)),
            (Quantity::PerformanceState, Some(self.pstate)),
            (Quantity::LinkGeneration, Some(self.link_generation)),
            (Quantity::LinkWidth, Some(self.link_width)),
            (Quantity::Tenancy, Some(self.tenancy())),
        ];
        values.into_iter().map(move |(quantity, value)| (Series::new(Arc::clone(&subject), quantity), value))
    }
}

#[cfg(test)]
mod tests {
    use fanfare_testkit::{PATIENCE, program};
    use tokio::time::timeout;

    use super::*;

    const UUID: &str = "GPU-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";

    fn now() -> Timestamp {
        // 2026-11-30T12:00:00Z.
        Timestamp::from_second(1_796_040_000).unwrap()
    }

    #[test]
    fn a_line_is_a_sweep_at_its_time_before_now_and_what_was_not_told_is_missing() {
        let line = format!(
            r#"{{"at_s":86390,"later":"more","cards":[{{"uuid":"{UUID}","temperature_c":61,"power_mw":null,
            "power_limit_mw":115000,"energy_mj":null,"utilisation":97,"memory_utilisation":40,"memory_used":4900,
            "graphics_mhz":2505,"memory_mhz":8501,"fan_percent":57,"fan_rpm":1900,"throttle":4,"pstate":2,
            "link_generation":4,"link_width":8,"rented":true,"busy":true}}],"xids":[{{"uuid":"{UUID}","number":31}}]}}"#
        );
        let clock = PastClock { until: now(), boot: BOOT.parse().unwrap() };
        let sweep = serde_json::from_str::<Moment>(&line).unwrap().sweep(clock);
        // Ten seconds before now; the past's boot is an hour older than the past.
        assert_eq!(sweep.at.wall.as_second(), 1_796_039_990);
        assert_eq!(sweep.at.boottime.as_duration(), Duration::from_secs(89_990));
        let value = |quantity| {
            let series = Series::new(UUID, quantity);
            sweep.values.iter().find(|(of, _)| *of == series).map(|(_, value)| *value)
        };
        assert_eq!(value(Quantity::Temperature), Some(Some(61)));
        assert_eq!((value(Quantity::Power), value(Quantity::Energy)), (Some(None), Some(None)));
        assert_eq!(value(Quantity::MemoryUsed), Some(Some(4_900)));
        assert_eq!(value(Quantity::Tenancy), Some(Some(2)));
        let marks: Vec<_> = sweep.marks.iter().map(|mark| (mark.kind, mark.code)).collect();
        assert_eq!(marks, [(MarkKind::Xid, 31)]);
    }

    #[tokio::test]
    async fn the_simulation_tells_the_day_before_now_ten_seconds_apart() {
        let folder = tempfile::tempdir().unwrap();
        let command = PastCommand::of(program("fanfare-sim"), folder.path().join("past"));
        let mut past = command.begin(now()).unwrap();
        let mut walls = Vec::new();
        for _ in 0..3 {
            let sweep = timeout(PATIENCE, past.next()).await.unwrap().unwrap().unwrap();
            assert_eq!(sweep.source.every, Duration::from_secs(10));
            walls.push(sweep.at.wall.as_second());
        }
        // The day before 1,796,040,000.
        assert_eq!(walls, [1_795_953_600, 1_795_953_610, 1_795_953_620]);
    }

    #[tokio::test]
    async fn a_simulation_that_babbles_or_is_absent_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = folder.path().join("past");
        let absent = PastCommand::of(folder.path().join("none"), scratch.clone());
        assert!(matches!(absent.begin(now()), Err(PastError::Start(_))));
        let mut babble = PastCommand::of("/bin/echo".into(), scratch).begin(now()).unwrap();
        let told = timeout(PATIENCE, babble.next()).await.unwrap();
        assert!(matches!(told, Err(PastError::Babble(_))), "{told:?}");
    }
}
