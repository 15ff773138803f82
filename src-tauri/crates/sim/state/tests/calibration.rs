//! The profile `rtx4080s` against the dump of a real RTX 4080 SUPER: static figures exactly, moving ones within
//! the tolerance that stands beside each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod reference;

use std::collections::BTreeMap;
use std::time::Duration;

use fanfare_sim_state::profile::RTX4080S;
use fanfare_sim_state::{CardView, Clock, Setup, World};
use reference::recorded;

const DUMP: &str = "smi/nge_linux-x86_64__nvidia-geforce-rtx-4080-super__595.71.05.txt";

/// `nvidia-smi -q` as a map from the path of a figure ("Clocks/SM") to its text.
fn section(dump: &str, name: &str) -> BTreeMap<String, String> {
    let start = dump.find(&format!("# {name} :: query (-q)")).unwrap();
    let body = dump[start..].lines().skip(3).take_while(|line| !line.starts_with('#'));
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut figures = BTreeMap::new();
    for line in body.filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        path.retain(|(depth, _)| *depth < indent);
        match line.split_once(" : ") {
            Some((key, value)) => {
                let above = path.iter().skip(1).map(|(_, head)| format!("{head}/")).collect::<String>();
                figures.insert(format!("{above}{}", key.trim()), value.trim().to_owned());
            }
            None => path.push((indent, line.trim().to_owned())),
        }
    }
    figures
}

/// The number at the start of a figure.
fn number(figures: &BTreeMap<String, String>, key: &str) -> f64 {
    let text = figures.get(key).unwrap_or_else(|| panic!("no `{key}` in the dump"));
    let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().unwrap_or_else(|_| panic!("`{key}` is `{text}`"))
}

fn rig() -> (tempfile::TempDir, World) {
    let dir = tempfile::tempdir().unwrap();
    let setup =
        Setup { profile: "rtx4080s".into(), clock: Clock::Manual, rentals: false, ..Setup::default() };
    let world = World::create(&dir.path().join("state"), &setup).unwrap();
    (dir, world)
}

fn card(world: &World) -> CardView {
    world.card(0).unwrap().unwrap()
}

/// Each figure of the card that the dump has too: (key, simulated, tolerance).
fn compare(figures: &BTreeMap<String, String>, simulated: &[(&str, f64, f64)]) {
    for (key, mine, tolerance) in simulated {
        let theirs = number(figures, key);
        println!("{key}: real {theirs}, simulated {mine}");
        assert!((theirs - mine).abs() <= *tolerance, "{key}: real {theirs}, simulated {mine}");
    }
}

fn mib(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes >> 20).unwrap())
}

#[test]
fn limits_thresholds_memory_and_link_are_the_real_cards() {
    let Some(dump) = recorded(DUMP) else {
        return;
    };
    let (idle, p) = (section(&dump, "idle"), &RTX4080S);
    let watts = |mw: u32| f64::from(mw) / 1000.0;
    compare(
        &idle,
        &[
            ("GPU Power Readings/Min Power Limit", watts(p.power.min_mw), 0.0),
            ("GPU Power Readings/Default Power Limit", watts(p.power.default_mw), 0.0),
            ("GPU Power Readings/Max Power Limit", watts(p.power.max_mw), 0.0),
            ("Temperature/GPU Shutdown Temp", f64::from(p.thresholds.shutdown), 0.0),
            ("Temperature/GPU Slowdown Temp", f64::from(p.thresholds.slowdown), 0.0),
            ("Temperature/GPU Max Operating Temp", f64::from(p.thresholds.max_operating), 0.0),
            ("Temperature/GPU Target Temperature", f64::from(p.thresholds.target), 0.0),
            ("Max Clocks/Graphics", f64::from(p.clocks.max.graphics), 0.0),
            ("Max Clocks/Memory", f64::from(p.clocks.max.memory), 0.0),
            ("Max Clocks/Video", f64::from(p.clocks.max.video), 0.0),
            ("PCI/GPU Link Info/PCIe Generation/Max", f64::from(p.pcie.gpu_gen.min(p.pcie.host_gen)), 0.0),
            ("PCI/GPU Link Info/PCIe Generation/Device Max", f64::from(p.pcie.gpu_gen), 0.0),
            ("PCI/GPU Link Info/PCIe Generation/Host Max", f64::from(p.pcie.host_gen), 0.0),
            ("PCI/GPU Link Info/Link Width/Max", f64::from(p.pcie.width), 0.0),
            ("BAR1 Memory Usage/Total", mib(p.memory.bar1 << 20), 0.0),
        ],
    );
    assert_eq!(idle["Product Name"], p.card_name);
    assert_eq!(idle["VBIOS Version"], p.vbios);
    assert_eq!(idle["PCI/Device Id"], format!("0x{:08X}", p.device_id));
    assert_eq!(idle["PCI/Sub System Id"], format!("0x{:08X}", p.subsystem_id));
}

#[test]
fn at_rest_the_card_reports_what_the_real_one_does() {
    let Some(dump) = recorded(DUMP) else {
        return;
    };
    let (_dir, world) = rig();
    world.advance(Duration::from_secs(3600)).unwrap();
    let (idle, card) = (section(&dump, "idle"), card(&world));
    assert_eq!(idle["Performance State"], format!("P{}", card.pstate));
    compare(
        &idle,
        &[
            ("Fan Speed", f64::from(card.fans[0].percent), 0.0),
            ("Clocks/Graphics", f64::from(card.graphics_mhz), 0.0),
            ("Clocks/Memory", f64::from(card.memory_mhz), 0.0),
            ("Clocks/Video", f64::from(card.video_mhz), 0.0),
            ("PCI/GPU Link Info/PCIe Generation/Current", f64::from(card.pcie_gen), 0.0),
            ("PCI/GPU Link Info/Link Width/Current", f64::from(card.pcie_width), 0.0),
            ("FB Memory Usage/Total", mib(card.memory.total), 0.0),
            ("FB Memory Usage/Reserved", mib(card.memory.reserved), 0.0),
            ("FB Memory Usage/Used", mib(card.memory.used), 0.0),
            // The real figures are rounded each for itself: 434 + 596 + 15348 is 16378, not 16376.
            ("FB Memory Usage/Free", mib(card.memory.free), 2.0),
            ("GPU Power Readings/Current Power Limit", f64::from(card.power_limit_mw) / 1000.0, 0.0),
            ("GPU Power Readings/Average Power Draw", f64::from(card.power_mw.unwrap()) / 1000.0, 1.0),
            // One sample of a desktop at rest scatters by a watt or two.
            (
                "GPU Power Readings/Instantaneous Power Draw",
                f64::from(card.power_instant_mw.unwrap()) / 1000.0,
                2.5,
            ),
            ("Temperature/GPU Current Temp", f64::from(card.temperature), 2.0),
            ("Utilization/GPU", f64::from(card.utilization), 0.0),
            ("Utilization/Memory", f64::from(card.memory_utilization), 0.0),
        ],
    );
    assert_eq!(idle["Clocks Event Reasons/Idle"], "Active");
    assert_eq!(card.reasons, 1);
}

#[test]
fn fourteen_seconds_into_the_recorded_load_the_card_reports_what_the_real_one_does() {
    let Some(dump) = recorded(DUMP) else { return };
    let load = section(&dump, "load");
    let (_dir, world) = rig();
    world.advance(Duration::from_secs(3600)).unwrap();
    // The dumps were taken 14 s apart.
    let percent = number(&load, "Utilization/GPU");
    world.load(0, (0..=100).find(|p| f64::from(*p) >= percent)).unwrap();
    world.advance(Duration::from_secs(14)).unwrap();
    let card = card(&world);
    assert_eq!(load["Performance State"], format!("P{}", card.pstate));
    compare(
        &load,
        &[
            ("Fan Speed", f64::from(card.fans[0].percent), 0.0),
            ("Clocks/Graphics", f64::from(card.graphics_mhz), 0.0),
            ("Clocks/Memory", f64::from(card.memory_mhz), 0.0),
            ("Clocks/Video", f64::from(card.video_mhz), 0.0),
            ("PCI/GPU Link Info/PCIe Generation/Current", f64::from(card.pcie_gen), 0.0),
            ("Utilization/GPU", f64::from(card.utilization), 0.0),
            ("GPU Power Readings/Average Power Draw", f64::from(card.power_mw.unwrap()) / 1000.0, 2.0),
            (
                "GPU Power Readings/Instantaneous Power Draw",
                f64::from(card.power_instant_mw.unwrap()) / 1000.0,
                4.0,
            ),
            ("Temperature/GPU Current Temp", f64::from(card.temperature), 3.0),
        ],
    );
    assert_eq!(load["Clocks Event Reasons/Idle"], "Not Active");
    assert_eq!(card.reasons, 0);
}
