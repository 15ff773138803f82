//! The probe over the simulated driver: what it reads is what the rig has, card by card and quantity by quantity.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use fanfare_rig::{Answer, Card, Reading, Reason, Roster, Sample, Snapshot};
use fanfare_sim_state::{CardView, Clock, Setup, World};
use fanfare_testkit::{Lines, SimRig};
use fanfare_units::{Bytes, Celsius, Duty, Energy, Megahertz, Percent, Watts};

fn card<'a>(snapshot: &'a Snapshot, truth: &CardView) -> &'a Card {
    snapshot.cards.iter().find(|card| card.uuid.as_str() == truth.uuid).unwrap()
}

fn sample<'a>(snapshot: &'a Snapshot, truth: &CardView) -> &'a Sample {
    match &card(snapshot, truth).answer {
        Answer::Sample(sample) => sample,
        Answer::Silent { .. } => panic!("{} is silent", truth.uuid),
    }
}

fn truths(world: &World) -> Vec<CardView> {
    world.cards().unwrap()
}

#[tokio::test]
async fn every_quantity_of_every_card_is_what_the_rig_has() {
    let rig = SimRig::still();
    // Different loads, so that no two cards could be mistaken for each other; a minute lets heat and clocks follow.
    for slot in 0..8 {
        rig.world.load(slot, Some(u32::try_from(slot * 12).unwrap())).unwrap();
    }
    rig.world.advance(Duration::from_secs(60)).unwrap();
    let snapshot = Lines::of(&rig.probe()).all_answering(8).await;
    for truth in truths(&rig.world) {
        let sample = sample(&snapshot, &truth);
        assert_eq!(sample.temperature, Reading::Measured(Celsius(truth.temperature)));
        assert_eq!(sample.power, Reading::Measured(Watts::from_milliwatts(truth.power_mw.unwrap())));
        assert_eq!(sample.energy, Reading::Measured(Energy::from_millijoules(truth.energy_mj.unwrap())));
        let busy = sample.utilisation.value().unwrap();
        assert_eq!((busy.gpu, busy.memory), (Percent(truth.utilization), Percent(truth.memory_utilization)));
        let memory = sample.memory.value().unwrap();
        // An RTX 4060 shows 8188 MiB, and the v2 figure accounts for all of it.
        assert_eq!(memory.total, Bytes(8188 << 20));
        assert_eq!(memory.total.0, memory.used.0 + memory.reserved.0 + memory.free.0);
        assert_eq!(memory.used, Bytes(truth.memory.used));
        assert_eq!(sample.clock_graphics, Reading::Measured(Megahertz(truth.graphics_mhz)));
        assert_eq!(sample.clock_memory, Reading::Measured(Megahertz(truth.memory_mhz)));
        assert_eq!(sample.pstate, Reading::Measured(truth.pstate));
        assert_eq!(sample.throttle.map(|reasons| reasons.0), Reading::Measured(u64::from(truth.reasons)));
        let duties: Vec<Reading<Duty>> =
            truth.fans.iter().map(|fan| Reading::Measured(Duty(fan.percent))).collect();
        assert_eq!(sample.fans, Reading::Measured(duties));
        assert_eq!(sample.link.generation, Reading::Measured(truth.pcie_gen));
        assert_eq!(sample.link.width, Reading::Measured(truth.pcie_width));
        let pids: Vec<u32> = sample.processes.value().unwrap().iter().map(|process| process.pid).collect();
        assert_eq!(pids, truth.processes.iter().map(|process| process.pid).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn slow_facts_and_the_driver_are_read_once_and_stay() {
    let rig = SimRig::still();
    let mut lines = Lines::of(&rig.probe());
    let first = lines.all_answering(8).await;
    let driver = first.driver.as_ref().unwrap();
    assert_eq!(driver.version, Reading::Measured("595.71.05".into()));
    assert!(driver.simulated, "a simulated driver must say so");
    let details = first.cards[0].details.as_ref().unwrap();
    assert_eq!(details.name, Reading::Measured("NVIDIA GeForce RTX 4060".into()));
    assert_eq!(details.compute_capability, Reading::Measured("8.9".into()));
    // The profile's assumption of a stock board: 115 W by default, 90 to 115 W settable.
    assert_eq!(details.power.default, Reading::Measured(Watts::from_milliwatts(115_000)));
    let range = details.power.range.value().unwrap();
    assert_eq!((range.min.milliwatts(), range.max.milliwatts()), (90_000, 115_000));
    assert_eq!(
        details.fan_range.map(|range| (range.min, range.max)),
        Reading::Measured((Duty(30), Duty(100)))
    );
    // What the driver's own curve wants, which is what it intends now.
    let Answer::Sample(sample) = &first.cards[0].answer else { panic!("it is silent") };
    let targets: Vec<Reading<Duty>> = details.fans.value().unwrap().iter().map(|fan| fan.target).collect();
    assert_eq!((targets.len(), Reading::Measured(targets)), (2, sample.fans.clone()));
    assert_eq!(details.ecc, Reading::missing(Reason::NotSupported));
    // Between two slow reads a snapshot keeps the last slow facts.
    let read_at = details.at;
    let later = lines.until("the next sweep", |snapshot| snapshot.sweep > first.sweep).await;
    assert_eq!(later.driver, first.driver);
    assert!(later.cards[0].details.as_ref().unwrap().at.boottime >= read_at.boottime);
}

#[tokio::test]
async fn cards_are_in_slot_order_whatever_order_the_driver_has() {
    let rig = SimRig::still();
    rig.world.order(&[7, 6, 5, 4, 3, 2, 1, 0]).unwrap();
    let snapshot = Lines::of(&rig.probe()).all_answering(8).await;
    let slots: Vec<String> = snapshot
        .cards
        .iter()
        .map(|card| card.details.as_ref().unwrap().bus_id.value().unwrap().short())
        .collect();
    let expected: Vec<String> = (1..=8).map(|bus| format!("{bus:02x}:00.0")).collect();
    assert_eq!(slots, expected);
}

#[tokio::test]
async fn rigs_of_no_card_and_of_sixty_four_are_read() {
    for count in [0, 1, 8, 16, 64] {
        let rig = SimRig::still_with(count);
        let snapshot = Lines::of(&rig.probe()).all_answering(count).await;
        assert_eq!(snapshot.roster, Roster::Read);
        let read: usize = snapshot
            .cards
            .iter()
            .filter(|card| card.read(|sample| &sample.temperature).value().is_some())
            .count();
        assert_eq!(read, count);
    }
}

#[tokio::test]
async fn a11_a_card_without_a_power_sensor_spoils_no_other() {
    let rig =
        SimRig::of(&Setup { clock: Clock::Manual, rentals: false, no_power: vec![5], ..Setup::default() });
    let snapshot = Lines::of(&rig.probe()).all_answering(8).await;
    for truth in truths(&rig.world) {
        let power = sample(&snapshot, &truth).power;
        match truth.power_mw {
            None => assert_eq!((truth.slot, power), (5, Reading::missing(Reason::NotSupported))),
            Some(milliwatts) => assert_eq!(power, Reading::Measured(Watts::from_milliwatts(milliwatts))),
        }
    }
    let measured =
        snapshot.cards.iter().filter(|card| card.read(|sample| &sample.power).value().is_some()).count();
    assert_eq!(measured, 7);
}

#[tokio::test]
async fn a_sweep_makes_fourteen_calls_a_card_and_none_of_the_slow_kind() {
    let rig = SimRig::still();
    let mut command = rig.probe();
    command.slow_every = 3_600;
    let mut lines = Lines::of(&command);
    let first = lines.all_answering(8).await;
    // The last answer of a sweep comes before its line, so between two lines lie whole sweeps.
    rig.world.reset_calls();
    let last = lines.until("ten more sweeps", |snapshot| snapshot.sweep >= first.sweep + 10).await;
    let calls = rig.world.calls();
    let counted: u64 = calls.iter().filter(|call| call.card.is_some()).map(|call| call.count).sum();
    // A sweep may have begun between its line and the count, at most one.
    let sweeps = last.sweep - first.sweep;
    assert!(counted >= 14 * 8 * (sweeps - 1), "{counted} calls in {sweeps} sweeps");
    assert!(counted <= 14 * 8 * (sweeps + 1), "{counted} calls in {sweeps} sweeps");
    assert!(!calls.iter().any(|call| call.symbol.name() == "nvmlDeviceGetPcieThroughput"), "20 ms a call");
}

#[tokio::test]
async fn a_process_has_the_name_of_its_program_asked_for_once_and_no_line_ever_has_its_arguments() {
    let rig = SimRig::still();
    for slot in 0..3 {
        rig.world.load(slot, Some(50)).unwrap();
    }
    rig.world.advance(Duration::from_secs(1)).unwrap();
    let command = rig.probe();
    let mut probe = Command::new(&command.program)
        .args(["--interval-ms", "50", "--slow-every", "4", "--nvml-lib"])
        .arg(command.nvml_lib.unwrap())
        .envs(command.environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(probe.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said: Vec<String> = lines.by_ref().take(20).collect();
    drop(probe.stdin.take());
    let said: Vec<String> = said.into_iter().chain(lines).collect();
    probe.wait().unwrap();
    let named = |line: &String| line.matches(r#""name":"python3""#).count();
    assert_eq!(said.iter().map(named).max(), Some(3));
    // What the simulated driver calls them.
    for secret in ["/usr/bin", "serve.py", "--api-key", "sk-simulated-secret"] {
        assert!(!said.iter().any(|line| line.contains(secret)), "{secret}");
    }
    let calls = rig.world.calls();
    let asked: u64 = calls
        .iter()
        .filter(|call| call.symbol.name() == "nvmlSystemGetProcessName")
        .map(|call| call.count)
        .sum();
    assert_eq!(asked, 3, "three processes over twenty sweeps");
}

#[tokio::test]
async fn the_probe_changes_nothing_on_the_rig() {
    let rig = SimRig::still();
    Lines::of(&rig.probe()).all_answering(8).await;
    assert_eq!(rig.world.sets().unwrap(), []);
}

#[tokio::test]
async fn call_costs_are_told_by_function() {
    let rig =
        SimRig::of(&Setup { clock: Clock::Manual, rentals: false, call_cost_us: 300, ..Setup::default() });
    let mut lines = Lines::of(&rig.probe());
    let snapshot = lines.all_answering(8).await;
    let (name, cost) = lines
        .calls(&snapshot.cards[0].uuid)
        .iter()
        .map(|cost| (cost.call.clone(), cost.clone()))
        .find(|(name, _)| name == "nvmlDeviceGetName")
        .unwrap();
    assert_eq!((name.as_str(), cost.failed), ("nvmlDeviceGetName", 0));
    assert!(cost.p50_us >= 297.0, "a call that burns 300 µs cannot take {} µs", cost.p50_us);
}
