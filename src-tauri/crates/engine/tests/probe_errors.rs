//! Every return code of the driver on every call the probe makes for a card: the quantity is missing for that reason, and the rest
//! of the card, and every other card, is as if nothing had happened.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{collections::BTreeMap, time::Duration};

use fanfare_engine::probe::ProbeCommand;
use fanfare_rig::{Answer, Card, Snapshot, clock::Clock};
use fanfare_sim_state::Symbol;
use fanfare_testkit::{Lines, SimRig};
use fanfare_units::Stamp;
use serde_json::{Value, json};

/// Each call with what it alone tells. The first group is made each sweep, the second once a minute.
const CALLS: [(&str, &[&str]); 36] = [
    ("nvmlDeviceGetTemperature", &["/sample/temperature_c"]),
    ("nvmlDeviceGetPowerUsage", &["/sample/power_mw"]),
    ("nvmlDeviceGetFieldValues", &["/sample/energy_mj", "/sample/pcie_replays", "/sample/recovery"]),
    ("field:83", &["/sample/energy_mj"]),
    ("field:94", &["/sample/pcie_replays"]),
    ("field:230", &["/sample/recovery"]),
    ("nvmlDeviceGetUtilizationRates", &["/sample/utilisation"]),
    ("nvmlDeviceGetMemoryInfo_v2", &["/sample/memory"]),
    ("nvmlDeviceGetClockInfo", &["/sample/clock_graphics_mhz", "/sample/clock_memory_mhz"]),
    ("nvmlDeviceGetPerformanceState", &["/sample/pstate"]),
    ("nvmlDeviceGetCurrentClocksThrottleReasons", &["/sample/throttle"]),
    ("nvmlDeviceGetFanSpeed_v2", &["/sample/fans_duty_percent/0", "/sample/fans_duty_percent/1"]),
    ("nvmlDeviceGetCurrPcieLinkGeneration", &["/sample/link/generation"]),
    ("nvmlDeviceGetCurrPcieLinkWidth", &["/sample/link/width"]),
    ("nvmlDeviceGetComputeRunningProcesses_v3", &["/sample/processes"]),
    ("nvmlDeviceGetNumFans", &["/sample/fans_duty_percent", "/details/fans"]),
    ("nvmlDeviceGetName", &["/details/name"]),
    ("nvmlDeviceGetPciInfo_v3", &["/details/bus_id"]),
    ("nvmlDeviceGetVbiosVersion", &["/details/vbios"]),
    ("nvmlDeviceGetCudaComputeCapability", &["/details/compute_capability"]),
    ("nvmlDeviceGetPersistenceMode", &["/details/persistence"]),
    ("nvmlDeviceGetPowerManagementLimit", &["/details/power/limit_mw"]),
    ("nvmlDeviceGetPowerManagementDefaultLimit", &["/details/power/default_mw"]),
    ("nvmlDeviceGetEnforcedPowerLimit", &["/details/power/enforced_mw"]),
    ("nvmlDeviceGetPowerManagementLimitConstraints", &["/details/power/range_mw"]),
    (
        "nvmlDeviceGetTemperatureThreshold",
        &[
            "/details/thresholds/shutdown_c",
            "/details/thresholds/slowdown_c",
            "/details/thresholds/max_operating_c",
            "/details/thresholds/target_c",
        ],
    ),
    ("nvmlDeviceGetMinMaxFanSpeed", &["/details/fan_range"]),
    ("nvmlDeviceGetFanControlPolicy_v2", &["/details/fans/0/manual", "/details/fans/1/manual"]),
    ("nvmlDeviceGetTargetFanSpeed", &["/details/fans/0/target_percent", "/details/fans/1/target_percent"]),
    ("nvmlDeviceGetFanSpeedRPM", &["/details/fans/0/speed_rpm", "/details/fans/1/speed_rpm"]),
    ("nvmlDeviceGetMaxPcieLinkGeneration", &["/details/link/generation_max"]),
    ("nvmlDeviceGetGpuMaxPcieLinkGeneration", &["/details/link/card_generation_max"]),
    ("nvmlDeviceGetMaxPcieLinkWidth", &["/details/link/width_max"]),
    ("nvmlDeviceGetMaxClockInfo", &["/details/clock_graphics_max_mhz", "/details/clock_memory_max_mhz"]),
    ("nvmlDeviceGetEccMode", &["/details/ecc"]),
    ("nvmlDeviceGetMigMode", &["/details/mig"]),
];

/// Cards beside the healthy one; each has one fault a round.
const VICTIMS: usize = 63;

type Missing = BTreeMap<String, Value>;

/// The reason a code stands for, as it is on the wire.
fn reason(code: u32) -> Value {
    match code {
        3 | 13 => json!("not_supported"),
        4 => json!("no_permission"),
        15 => json!("lost"),
        code => json!({ "error": { "code": code } }),
    }
}

/// Every missing quantity of a card with its reason, by its place.
fn missing(card: &Card) -> Missing {
    let Answer::Sample(sample) = &card.answer else { panic!("{} is silent", card.uuid) };
    let mut found = Missing::new();
    collect(&json!({ "sample": sample, "details": card.details }), String::new(), &mut found);
    found
}

fn collect(value: &Value, place: String, found: &mut Missing) {
    match value {
        Value::Object(fields) => match fields.get("missing") {
            Some(reason) => drop(found.insert(place, reason.clone())),
            None => {
                for (name, value) in fields {
                    collect(value, format!("{place}/{name}"), found);
                }
            }
        },
        Value::Array(values) => {
            for (number, value) in values.iter().enumerate() {
                collect(value, format!("{place}/{number}"), found);
            }
        }
        _ => {}
    }
}

/// Whether every card was read anew, its slow facts too, after `moment`.
fn all_read_since(snapshot: &Snapshot, moment: &Stamp) -> bool {
    snapshot.cards.len() == VICTIMS + 1
        && snapshot.cards.iter().all(|card| {
            matches!(card.answer, Answer::Sample(_))
                && card.details.as_ref().is_some_and(|details| details.at.boottime > moment.boottime)
        })
}

#[tokio::test]
async fn a27_every_error_on_every_call_leaves_the_rest_of_the_row() {
    let rig = SimRig::still_with(VICTIMS + 1);
    let uuids: Vec<String> = rig.world.cards().unwrap().into_iter().map(|card| card.uuid).collect();
    let faults: Vec<(u32, &str, &[&str])> =
        (1..=30).chain([999]).flat_map(|code| CALLS.map(|(call, tells)| (code, call, tells))).collect();
    // 31 codes on 36 calls.
    assert_eq!(faults.len(), 1_116);
    let command = ProbeCommand { slow_every: 1, interval: Duration::from_millis(100), ..rig.probe() };
    let mut lines = Lines::of(&command);
    let clock = Clock::of_this_boot().unwrap();
    for round in faults.chunks(VICTIMS) {
        rig.world.clear_errors().unwrap();
        for ((code, call, _), slot) in round.iter().zip(1..) {
            rig.world.error(*code, Some(slot), Some(call.parse::<Symbol>().unwrap())).unwrap();
        }
        let injected = clock.stamp();
        let snapshot =
            lines.until("every card was read with its fault", |s| all_read_since(s, &injected)).await;
        let read = |slot: usize| {
            missing(snapshot.cards.iter().find(|card| card.uuid.as_str() == uuids[slot]).unwrap())
        };
        let healthy = read(0);
        // A GeForce has neither; everything else of a healthy card is measured.
        let absent = ["/details/ecc", "/details/mig"].map(|place| (place.to_owned(), json!("not_supported")));
        assert_eq!(healthy, Missing::from(absent), "the healthy card");
        for ((code, call, tells), slot) in round.iter().zip(1..) {
            let mut expected = healthy.clone();
            expected.extend(tells.iter().map(|place| ((*place).to_owned(), reason(*code))));
            assert_eq!(read(slot), expected, "code {code} on {call}");
        }
    }
}
