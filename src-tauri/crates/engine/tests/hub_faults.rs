//! The holder of a rig whose driver, cards or probe fail, injected for real, as the published state tells it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{fs, path::Path, time::Duration};

use fanfare_engine::{
    Hub, HubSetup, Limits, ProbeFailure, ProbeState, RigState,
    frame::{Level, MatterCode, RigFrame, Shown, TileState},
    probe::ProbeCommand,
    profile::Profile,
};
use fanfare_rig::{Occupant, TroubleCode, clock::Clock};
use fanfare_sim_state::{Symbol, Target};
use fanfare_testkit::{
    SHORT_LIMITS, SimRig, answering, eight_answering, hub_setup, library, probes, script, until,
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::timeout;

/// Limits under which no probe is ended.
const PATIENT: Limits = Limits { hang: Duration::from_secs(600), ..SHORT_LIMITS };

fn start(directory: &Path, rig: &SimRig, limits: Limits) -> Hub {
    Hub::start(HubSetup { limits, ..hub_setup(directory, Profile::Demo, rig.probe()) }).unwrap()
}

fn frame(state: &RigState) -> RigFrame {
    RigFrame::of(state, &Clock::of_this_boot().unwrap().stamp())
}

/// The one probe that runs over this rig.
fn probe(rig: &SimRig) -> Pid {
    let probes = probes(rig);
    assert_eq!(probes.len(), 1, "one probe runs");
    Pid::from_raw(probes[0]).unwrap()
}

fn missing(state: &RigState) -> usize {
    state.seats.iter().filter(|seat| seat.occupant == Occupant::Missing).count()
}

fn stuck(state: &RigState) -> bool {
    matches!(state.probe, ProbeState::Stuck { .. })
}

#[tokio::test]
async fn an_inventory_of_eight_and_no_library_is_eight_missing_cards_and_critical() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), &rig, SHORT_LIMITS);
    eight_answering(&hub).await;
    hub.stop().await;
    let absent = ProbeCommand { nvml_lib: Some("/nonexistent/libnvidia-ml.so.1".into()), ..rig.probe() };
    let hub = Hub::start(hub_setup(data.path(), Profile::Real, absent)).unwrap();
    let state = until(&hub, "trouble", |state| matches!(state.probe, ProbeState::Trouble { .. })).await;
    assert_eq!((missing(&state), state.seats.len()), (8, 8));
    let frame = frame(&state);
    assert_eq!((frame.profile, frame.simulated), (Profile::Real, false), "it is no demo");
    assert_eq!((frame.status.level, frame.status.cards, frame.status.answering), (Level::Critical, 8, 0));
    let codes: Vec<MatterCode> = frame.status.matters.iter().map(|matter| matter.code).collect();
    assert_eq!(codes, [MatterCode::LibraryAbsent, MatterCode::CardMissing]);
    assert_eq!(frame.status.matters[1].seats, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(
        frame
            .tiles
            .iter()
            .all(|tile| matches!(tile.state, TileState::Missing { .. }) && tile.values.is_none())
    );
    hub.stop().await;
}

#[tokio::test]
async fn a_library_that_is_removed_and_put_back_is_read_again() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let copy = rig.folder().join("libnvidia-ml.so.1");
    fs::copy(library(), &copy).unwrap();
    let command = ProbeCommand { nvml_lib: Some(copy.clone()), ..rig.probe() };
    let hub = Hub::start(hub_setup(data.path(), Profile::Demo, command)).unwrap();
    eight_answering(&hub).await;
    fs::remove_file(&copy).unwrap();
    kill_process(probe(&rig), Signal::KILL).unwrap();
    let absent = |state: &RigState| matches!(&state.probe, ProbeState::Trouble { trouble } if trouble.code == TroubleCode::LibraryAbsent);
    let state = until(&hub, "no library", absent).await;
    assert_eq!(missing(&state), 8);
    fs::copy(library(), &copy).unwrap();
    eight_answering(&hub).await;
    hub.stop().await;
}

#[tokio::test]
async fn a_probe_that_is_killed_comes_back_by_itself() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    // So long a pause that the failure is seen.
    let limits =
        Limits { pause: Duration::from_millis(500), pause_most: Duration::from_secs(1), ..SHORT_LIMITS };
    let hub = start(data.path(), &rig, limits);
    eight_answering(&hub).await;
    let first = probe(&rig);
    kill_process(first, Signal::KILL).unwrap();
    let crashed =
        |state: &RigState| matches!(state.probe, ProbeState::Failed { failure: ProbeFailure::Crashed, .. });
    let state = until(&hub, "the crash", crashed).await;
    assert_eq!(answering(&state), 8, "a crash of the probe says nothing of the cards");
    let frame = frame(&state);
    assert_eq!(
        (frame.status.level, frame.status.matters[0].code),
        (Level::Critical, MatterCode::ProbeCrashed)
    );
    eight_answering(&hub).await;
    assert_ne!(probe(&rig), first);
    hub.stop().await;
}

#[tokio::test]
async fn a_probe_that_is_stopped_is_silent_until_it_goes_on() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), &rig, PATIENT);
    eight_answering(&hub).await;
    let stopped = probe(&rig);
    kill_process(stopped, Signal::STOP).unwrap();
    let silent = until(&hub, "silence", |state| matches!(state.probe, ProbeState::Silent { .. })).await;
    let ProbeState::Silent { since } = silent.probe else { unreachable!() };
    assert!(
        since.boottime >= silent.snapshot.as_ref().unwrap().at.boottime,
        "since the last sweep was heard"
    );
    // States go on while sweeps do not, and their age grows.
    let later = until(&hub, "three states later", |state| state.number >= silent.number + 3).await;
    assert_eq!(later.snapshot, silent.snapshot);
    let frame = frame(&later);
    assert!(frame.age_ms.unwrap() > frame.stale_after_ms, "{frame:?}");
    assert_eq!((frame.status.answering, frame.status.matters[0].code), (0, MatterCode::ProbeSilent));
    kill_process(stopped, Signal::CONT).unwrap();
    eight_answering(&hub).await;
    assert_eq!(probe(&rig), stopped);
    hub.stop().await;
}

#[tokio::test]
async fn a_probe_that_stays_silent_is_ended_and_followed_by_another() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), &rig, SHORT_LIMITS);
    eight_answering(&hub).await;
    let stopped = probe(&rig);
    kill_process(stopped, Signal::STOP).unwrap();
    until(&hub, "silence", |state| matches!(state.probe, ProbeState::Silent { .. })).await;
    eight_answering(&hub).await;
    assert_ne!(probe(&rig), stopped);
    hub.stop().await;
}

#[tokio::test]
async fn a_driver_that_hangs_altogether_is_stuck_and_its_probe_ended_and_all_comes_back_once_it_is_released()
{
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    rig.world.temperature(0, Some(66)).unwrap();
    let hub = start(data.path(), &rig, SHORT_LIMITS);
    eight_answering(&hub).await;
    let first = probe(&rig);
    rig.world.hang(Target::All, None, None).unwrap();
    let state = until(&hub, "a standstill", stuck).await;
    let frame = frame(&state);
    assert_eq!(
        (frame.status.level, frame.status.matters[0].code),
        (Level::Critical, MatterCode::DriverStuck)
    );
    assert_eq!(frame.status.matters.len(), 1, "that each card is stuck is not said beside it");
    // The cards keep their last values.
    let tile = &frame.tiles[0];
    assert_eq!(tile.values.as_ref().unwrap().temperature_c, Shown::Value(66));
    // Another probe comes and hangs as well; the state stays.
    let another = || probes(&rig).first().is_some_and(|pid| Pid::from_raw(*pid) != Some(first));
    until(&hub, "another probe", |_| another()).await;
    assert!(probes(&rig).len() <= 1, "never two at a time");
    assert!(stuck(&hub.rig().borrow()));
    rig.world.release(Target::All).unwrap();
    eight_answering(&hub).await;
    hub.stop().await;
}

#[tokio::test]
async fn a_driver_that_hangs_at_its_start_is_stuck_until_it_is_released() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    rig.world.hang(Target::All, Some(Symbol::DeviceGetCountV2), None).unwrap();
    let hub = start(data.path(), &rig, SHORT_LIMITS);
    let state = until(&hub, "a standstill", stuck).await;
    assert_eq!(frame(&state).status.matters[0].code, MatterCode::DriverStuck);
    rig.world.release(Target::All).unwrap();
    eight_answering(&hub).await;
    hub.stop().await;
}

#[tokio::test]
async fn one_card_that_hangs_ends_no_probe() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), &rig, SHORT_LIMITS);
    eight_answering(&hub).await;
    let first = probe(&rig);
    rig.world.hang(3, None, None).unwrap();
    let state = until(&hub, "seven", |state| answering(state) == 7).await;
    // Far beyond the time after which a standstill would end it.
    let sweep = state.snapshot.as_ref().unwrap().sweep;
    let later =
        until(&hub, "thirty sweeps later", |state| state.snapshot.as_ref().unwrap().sweep > sweep + 30).await;
    assert_eq!((later.probe.clone(), answering(&later), probe(&rig)), (ProbeState::Reading, 7, first));
    hub.stop().await;
}

#[tokio::test]
async fn a_stop_waits_for_no_driver_that_hangs() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), &rig, PATIENT);
    eight_answering(&hub).await;
    rig.world.hang(Target::All, None, None).unwrap();
    until(&hub, "that none answers", |state| answering(state) == 0).await;
    timeout(Duration::from_secs(10), hub.stop()).await.unwrap();
    assert_eq!(probes(&rig), [0_i32; 0]);
}

#[tokio::test]
async fn a_stop_kills_a_probe_that_ignores_everything() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("deaf");
    script("trap '' TERM\nwhile :; do sleep 60 & wait; done", &program);
    let command = ProbeCommand { interval: Duration::from_millis(50), ..ProbeCommand::of(program) };
    let hub =
        Hub::start(HubSetup { limits: PATIENT, ..hub_setup(folder.path(), Profile::Demo, command) }).unwrap();
    until(&hub, "silence", |state| matches!(state.probe, ProbeState::Silent { .. })).await;
    timeout(Duration::from_secs(10), hub.stop()).await.unwrap();
}

#[tokio::test]
async fn a_probe_that_is_not_installed_is_said_and_used_once_it_is() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let program = data.path().join("fanfare-probe");
    let installed = rig.probe();
    let command = ProbeCommand { program: program.clone(), ..rig.probe() };
    let hub = Hub::start(hub_setup(data.path(), Profile::Demo, command)).unwrap();
    let absent =
        |state: &RigState| matches!(state.probe, ProbeState::Failed { failure: ProbeFailure::Absent, .. });
    let state = until(&hub, "no probe", absent).await;
    assert_eq!(frame(&state).status.matters[0].code, MatterCode::ProbeAbsent);
    // By a name of its own first, so that no half of it is started.
    fs::copy(installed.program, data.path().join("part")).unwrap();
    fs::rename(data.path().join("part"), program).unwrap();
    eight_answering(&hub).await;
    hub.stop().await;
}
