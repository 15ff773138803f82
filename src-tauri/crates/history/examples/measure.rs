//! What the history costs: bytes a sample, CPU a sweep, bytes written, and how long answers take. Run it in release.
//!
//! The trace is a simulated rig's day: eight cards with rentals, twelve quantities, a sweep a second. The year is one card's power at a
//! sample each 20 s, so that its minutes have a least and a greatest of their own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_precision_loss,
    reason = "a program for measuring"
)]

use std::{fs, path::Path, time::Duration, time::Instant};

use fanfare_history::{Level, Quantity, Question, Reader, Recorder, Retention, Series, Source, Sweep};
use fanfare_sim_state::{CardView, Clock, Setup, World};
use fanfare_units::{Boottime, Stamp};
use jiff::Timestamp;
use rusqlite::Connection;
use rustix::time::{ClockId, clock_gettime};

const BOOT: &str = "0123456789abcdef0123456789abcdef";
/// 2026-11-30T00:00:00Z.
const MIDNIGHT: i64 = 1_795_996_800;
const DAY: u64 = 86_400;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    record_a_day(folder.path(), &trace);
    answer_a_day(folder.path());
    let year = tempfile::tempdir().unwrap();
    answer_a_year(year.path());
}

fn stamp(micros: u64) -> Stamp {
    Stamp {
        wall: Timestamp::from_microsecond(MIDNIGHT * 1_000_000 + i64::try_from(micros).unwrap()).unwrap(),
        boottime: Boottime::since_boot(Duration::from_micros(micros)),
        boot: BOOT.parse().unwrap(),
    }
}

fn values_of(card: &CardView) -> [(Quantity, i64); 12] {
    let fan = card.fans[0];
    [
        (Quantity::Temperature, card.temperature.into()),
        (Quantity::Power, card.power_mw.unwrap().into()),
        (Quantity::Energy, card.energy_mj.unwrap().try_into().unwrap()),
        (Quantity::Utilisation, card.utilization.into()),
        (Quantity::MemoryUtilisation, card.memory_utilization.into()),
        (Quantity::MemoryUsed, card.memory.used.try_into().unwrap()),
        (Quantity::GraphicsClock, card.graphics_mhz.into()),
        (Quantity::MemoryClock, card.memory_mhz.into()),
        (Quantity::FanReported, fan.percent.into()),
        (Quantity::FanSpeed, fan.rpm.into()),
        (Quantity::Throttle, card.reasons.into()),
        (Quantity::PerformanceState, card.pstate.into()),
    ]
}

/// A day and a second of the simulated rig, each sweep up to a millisecond late.
fn trace(folder: &Path) -> Vec<Sweep> {
    let setup = Setup { clock: Clock::Manual, ..Setup::default() };
    let world = World::create(&folder.join("rig"), &setup).unwrap();
    let source = Source { session: 1, every: Duration::from_secs(1) };
    let mut subjects: Vec<std::sync::Arc<str>> = Vec::new();
    (0..=DAY)
        .map(|second| {
            world.advance(Duration::from_secs(1)).unwrap();
            let cards = world.cards().unwrap();
            if subjects.is_empty() {
                subjects = cards.iter().map(|card| card.uuid.as_str().into()).collect();
            }
            let values = cards.iter().zip(&subjects).flat_map(|(card, subject)| {
                values_of(card).map(|(quantity, value)| (Series::new(subject.clone(), quantity), Some(value)))
            });
            let late = second.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
            Sweep {
                at: stamp(second * 1_000_000 + late),
                source,
                values: values.collect(),
                marks: Vec::new(),
            }
        })
        .collect()
}

fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

/// Bytes that this process gave to the system to write.
fn written() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap();
    io.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap().parse().unwrap()
}

fn record_a_day(folder: &Path, trace: &[Sweep]) {
    let mut recorder = Recorder::open(folder, Retention::default(), Timestamp::UNIX_EPOCH).unwrap().recorder;
    let (before, bytes_before) = (cpu(), written());
    let mut longest = Duration::ZERO;
    for sweep in trace {
        if sweep.at == trace[trace.len() - 10].at {
            let question = a_day(sweep.values[1].0.clone());
            println!(
                "a day of one series, its last hour not sealed: {:.2} ms",
                fastest(|| drop(recorder.query(&question)))
            );
        }
        let begun = Instant::now();
        recorder.record(sweep).unwrap();
        longest = longest.max(begun.elapsed());
    }
    let (spent, bytes) = (cpu() - before, written() - bytes_before);
    println!(
        "cpu a sweep: {:.1} us; the longest sweep {longest:?}",
        spent.as_secs_f64() * 1e6 / trace.len() as f64
    );
    println!(
        "commits: {}, {:.2} a minute",
        recorder.counts().commits,
        recorder.counts().commits as f64 / 1_440.0
    );
    drop(recorder);
    let path = folder.join(fanfare_history::FILE);
    let file = fs::metadata(&path).unwrap().len();
    println!("written: {bytes} bytes, {:.1} times the file of {file}", bytes as f64 / file as f64);
    let connection = Connection::open(&path).unwrap();
    let samples = (DAY * 96) as f64;
    let pages = |names: &str| -> f64 {
        let sql = format!("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN ({names})");
        connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap() as f64
    };
    let raw = pages("'sheet', 'chunk', 'sqlite_autoindex_sheet_1', 'sqlite_autoindex_chunk_1'");
    println!("sealed samples with their pages: {raw} bytes, {:.3} a sample", raw / samples);
    println!("written over sealed: {:.1}", bytes as f64 / raw);
    for table in ["chunk", "sheet", "sqlite_autoindex_chunk_1", "tail", "fresh", "pack"] {
        println!("  {table}: {} bytes", pages(&format!("'{table}'")));
    }
    let mut statement = connection
        .prepare(
            "SELECT quantity, sum(length(block)) FROM chunk JOIN series ON series.id = chunk.series GROUP BY quantity",
        )
        .unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (quantity, bytes): (u8, i64) = (row.get(0).unwrap(), row.get(1).unwrap());
        let of_quantity = (DAY * 8) as f64;
        println!(
            "  {:?}: {:.3} a sample",
            Quantity::of_number(quantity).unwrap(),
            bytes as f64 / of_quantity
        );
    }
}

/// The fastest of ten, in milliseconds.
fn fastest(mut run: impl FnMut()) -> f64 {
    let times = (0..10).map(|_| {
        let begun = Instant::now();
        run();
        begun.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::MAX, f64::min)
}

fn a_day(series: Series) -> Question {
    let wall = |second: u64| stamp(second * 1_000_000).wall;
    Question { series: vec![series], from: wall(0), to: wall(DAY), points: 2_000, level: None }
}

fn answer_a_day(folder: &Path) {
    let reader = Reader::open(folder).unwrap().unwrap();
    let series = reader.series().unwrap();
    let power = series.iter().find(|series| series.quantity == Quantity::Power).unwrap().clone();
    let one = a_day(power);
    println!("a day of one series: {:.2} ms", fastest(|| drop(reader.query(&one).unwrap().packed())));
    let all = Question { series, ..one };
    println!(
        "a day of {} series: {:.1} ms",
        all.series.len(),
        fastest(|| drop(reader.query(&all).unwrap().packed()))
    );
    let begun = Instant::now();
    let verified = reader.verify().unwrap();
    println!("verify: {:?}, {} samples, {:?}", begun.elapsed(), verified.samples, verified.findings);
}

fn answer_a_year(folder: &Path) {
    let mut recorder = Recorder::open(folder, Retention::default(), Timestamp::UNIX_EPOCH).unwrap().recorder;
    let power = Series::new("GPU-1", Quantity::Power);
    let source = Source { session: 1, every: Duration::from_secs(20) };
    let begun = Instant::now();
    for second in (0..365 * DAY).step_by(20) {
        let noise = i64::try_from(second.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52).unwrap();
        let values = vec![(power.clone(), Some(110_000 + noise))];
        recorder.record(&Sweep { at: stamp(second * 1_000_000), source, values, marks: Vec::new() }).unwrap();
    }
    recorder.flush().unwrap();
    println!("a year recorded in {:?}", begun.elapsed());
    let wall = |second: u64| stamp(second * 1_000_000).wall;
    let question = Question {
        series: vec![power],
        from: wall(0),
        to: wall(365 * DAY),
        points: 2_000,
        level: Some(Level::Minute),
    };
    println!("a year from minutes: {:.1} ms", fastest(|| drop(recorder.query(&question).unwrap().packed())));
    let hours = Question { level: None, ..question };
    println!("a year from hours: {:.1} ms", fastest(|| drop(recorder.query(&hours).unwrap().packed())));
}
