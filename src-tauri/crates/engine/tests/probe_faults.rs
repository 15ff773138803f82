//! Faults of driver and cards, injected into the simulated driver, as the probe tells them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{fs, path::PathBuf, time::Duration};

use fanfare_engine::probe::{ProbeCommand, ProbeError};
use fanfare_rig::{
    Answer, Card, Condition, EventKind, NvmlCode, Reading, Reason, Roster, Snapshot, Trouble, TroubleCode,
    Unreachable,
};
use fanfare_sim_state::{Setup, Symbol, Target, World};
use fanfare_testkit::{Lines, PATIENCE, SimRig, library};
use tokio::time::timeout;

fn uuid(world: &World, slot: usize) -> String {
    world.card(slot).unwrap().unwrap().uuid
}

fn card<'a>(snapshot: &'a Snapshot, uuid: &str) -> Option<&'a Card> {
    snapshot.cards.iter().find(|card| card.uuid.as_str() == uuid)
}

fn condition(snapshot: &Snapshot, uuid: &str) -> Option<Condition> {
    card(snapshot, uuid).map(Card::condition)
}

fn answering(snapshot: &Snapshot) -> usize {
    snapshot.cards.iter().filter(|card| card.condition() == Condition::Answering).count()
}

/// How a probe that cannot read the driver ends.
async fn trouble(command: &ProbeCommand) -> Trouble {
    let mut lines = Lines::of(command);
    let end = timeout(PATIENCE, async {
        loop {
            if let Err(error) = lines.next().await {
                return error;
            }
        }
    });
    match end.await.unwrap() {
        ProbeError::Trouble(trouble) => trouble,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a12_one_hung_card_is_stuck_since_its_read_began_and_seven_go_on() {
    let rig = SimRig::still();
    let hung = uuid(&rig.world, 3);
    let mut lines = Lines::of(&rig.probe());
    let before = lines.all_answering(8).await;
    rig.world.hang(3, None, None).unwrap();
    let first = lines
        .until("card 3 is stuck", |s| matches!(condition(s, &hung), Some(Condition::Stuck { .. })))
        .await;
    let Some(Condition::Stuck { since }) = condition(&first, &hung) else { unreachable!() };
    assert!(since.boottime > before.at.boottime, "it answered before");
    let later = lines
        .until("seven go on, ten sweeps later", |s| s.sweep >= first.sweep + 10 && answering(s) == 7)
        .await;
    // At most one call is out: the same read is still the one that has not returned.
    assert_eq!(condition(&later, &hung), Some(Condition::Stuck { since }));
    assert_eq!(
        card(&later, &hung).unwrap().read(|sample| &sample.temperature),
        Reading::missing(Reason::Stuck { since }),
        "an old value must not be passed off as the present one"
    );
    rig.world.release(3).unwrap();
    lines.all_answering(8).await;
}

/// Fails if a card of `snapshot` answers with what was read before the sweep began.
fn no_reading_is_older_than_its_sweep(snapshot: &Snapshot) {
    for card in &snapshot.cards {
        if let Answer::Sample(sample) = &card.answer {
            let (read, began) = (sample.at.boottime, snapshot.at.boottime);
            assert!(read >= began, "sweep {} passes an older reading off as its own", snapshot.sweep);
        }
    }
}

#[tokio::test]
async fn an_answer_that_comes_after_its_line_is_no_answer_to_the_next_sweep() {
    let rig = SimRig::still();
    let hung = uuid(&rig.world, 0);
    let mut lines = Lines::of(&ProbeCommand { interval: Duration::from_millis(100), ..rig.probe() });
    lines.all_answering(8).await;
    let stuck = |s: &Snapshot| matches!(condition(s, &hung), Some(Condition::Stuck { .. }));
    for round in 0..5 {
        rig.world.hang(0, None, None).unwrap();
        let late = lines.until("card 0 is silent", stuck).await;
        // Its call returns between two lines, and the next one hangs again.
        rig.world.release(0).unwrap();
        rig.world.hang(0, None, None).unwrap();
        for _ in 0..3 {
            let next = lines.until("a sweep", |s| s.sweep > late.sweep).await;
            no_reading_is_older_than_its_sweep(&next);
        }
        rig.world.release(0).unwrap();
        let back = lines.until("card 0 answers", |s| condition(s, &hung) == Some(Condition::Answering)).await;
        no_reading_is_older_than_its_sweep(&back);
        assert!(back.sweep > late.sweep, "round {round}");
    }
}

#[tokio::test]
async fn a_card_that_takes_nearly_the_interval_is_silent_and_not_of_the_sweep_before() {
    // Fourteen calls of 12 ms are 168 ms: beyond the deadline of 150, within the interval of 200.
    let rig = SimRig::of(&Setup { cards: Some(1), call_cost_us: 12_000, rentals: false, ..Setup::default() });
    let mut lines = Lines::of(&ProbeCommand { interval: Duration::from_millis(200), ..rig.probe() });
    let met = lines.until("the card is met", |s| !s.cards.is_empty()).await;
    for sweep in 1..=10 {
        let next = lines.until("the next sweep", |s| s.sweep >= met.sweep + sweep).await;
        no_reading_is_older_than_its_sweep(&next);
        if let Answer::Silent { since } = next.cards[0].answer {
            assert!(next.at.since(&since).is_some_and(|out| out < Duration::from_secs(10)), "{since:?}");
        }
    }
}

#[tokio::test]
async fn what_a_simulated_driver_reads_says_so_while_its_versions_hang() {
    for label in [Symbol::SystemGetNVMLVersion, Symbol::SystemGetCudaDriverVersionV2] {
        let rig = SimRig::still();
        rig.world.hang(Target::All, Some(label), None).unwrap();
        let seen = Lines::of(&rig.probe()).all_answering(8).await;
        let driver = seen.driver.expect("it is named before a figure is");
        assert!(driver.simulated);
        assert!(matches!(driver.cuda.reason(), Some(Reason::Stuck { .. })), "{driver:?}");
    }
}

#[tokio::test]
async fn a_simulated_driver_says_so_while_its_start_hangs() {
    let rig = SimRig::still();
    rig.world.hang(Target::All, Some(Symbol::InitV2), None).unwrap();
    let mut lines = Lines::of(&rig.probe());
    let seen = lines.until("it is named", |s| s.driver.is_some()).await;
    assert!(seen.driver.unwrap().simulated);
    assert!(!matches!(seen.roster, Roster::Read), "it has not started: {:?}", seen.roster);
    rig.world.release(Target::All).unwrap();
    lines.all_answering(8).await;
}

#[tokio::test]
async fn all_cards_hung_still_make_a_line_a_sweep() {
    let rig = SimRig::still();
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    rig.world.hang(Target::All, None, None).unwrap();
    let all_stuck = |s: &Snapshot| {
        s.cards.len() == 8 && s.cards.iter().all(|c| matches!(c.condition(), Condition::Stuck { .. }))
    };
    let first = lines.until("all eight are stuck", all_stuck).await;
    lines.until("five sweeps later", |s| s.sweep >= first.sweep + 5 && all_stuck(s)).await;
    // Quitting does not wait for a driver that hangs.
    let status = timeout(PATIENCE, lines.probe.stop()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(0), "it leaves by itself when its input ends");
}

#[tokio::test]
async fn a_driver_that_hangs_at_its_start_is_a_roster_that_is_stuck() {
    let rig = SimRig::still();
    rig.world.hang(Target::All, Some(Symbol::DeviceGetCountV2), None).unwrap();
    let mut lines = Lines::of(&rig.probe());
    let stuck = lines.until("the roster is stuck", |s| matches!(s.roster, Roster::Stuck { .. })).await;
    assert_eq!(stuck.cards, []);
    rig.world.release(Target::All).unwrap();
    lines.all_answering(8).await;
}

#[tokio::test]
async fn a_lost_card_says_so_and_seven_go_on_and_it_is_read_again_once_it_is_back() {
    let rig = SimRig::still();
    let lost = uuid(&rig.world, 6);
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    rig.world.lose(6).unwrap();
    let seen = lines
        .until("card 6 is lost", |s| condition(s, &lost) == Some(Condition::Lost) && answering(s) == 7)
        .await;
    assert_eq!(seen.cards.len(), 8, "a lost card is a fact, not a shorter list");
    rig.world.find(6).unwrap();
    lines.all_answering(8).await;
}

#[tokio::test]
async fn a_card_lost_before_the_start_is_unreachable_and_has_no_name() {
    let rig = SimRig::still();
    rig.world.lose(2).unwrap();
    let mut lines = Lines::of(&rig.probe());
    let seen = lines.until("seven answer", |s| s.roster == Roster::Read && answering(s) == 7).await;
    assert_eq!(seen.unreachable, [Unreachable { index: 2, reason: Reason::Lost }]);
}

#[tokio::test]
async fn a_card_taken_out_while_running_is_lost_and_one_put_in_is_met() {
    let rig = SimRig::still();
    let taken = uuid(&rig.world, 1);
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    rig.world.remove(1).unwrap();
    lines.until("it is lost", |s| condition(s, &taken) == Some(Condition::Lost) && answering(s) == 7).await;
    rig.world.add().unwrap();
    lines.until("eight answer again", |s| answering(s) == 8).await;
}

#[tokio::test]
async fn a_card_swapped_while_running_is_another_card() {
    let rig = SimRig::still();
    let old = uuid(&rig.world, 4);
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    rig.world.swap(4).unwrap();
    let new = uuid(&rig.world, 4);
    assert_ne!(old, new);
    let seen = lines
        .until("both are told apart", |s| {
            condition(s, &old) == Some(Condition::Lost) && condition(s, &new) == Some(Condition::Answering)
        })
        .await;
    let slot = |uuid: &str| card(&seen, uuid).unwrap().details.as_ref().unwrap().bus_id;
    assert_eq!(slot(&new), Reading::Measured("0000:05:00.0".parse().unwrap()));
}

#[tokio::test]
async fn a14_readings_follow_the_uuid_when_the_driver_changes_its_order() {
    let rig = SimRig::still();
    rig.world.temperature(0, Some(71)).unwrap();
    rig.world.temperature(1, Some(52)).unwrap();
    let hot = uuid(&rig.world, 0);
    let mut lines = Lines::of(&rig.probe());
    let read = |s: &Snapshot| card(s, &hot).unwrap().read(|sample| &sample.temperature).value().map(|t| t.0);
    assert_eq!(read(&lines.all_answering(8).await), Some(71));
    drop(lines);
    // The next boot lists them the other way round.
    rig.world.order(&[1, 0, 2, 3, 4, 5, 6, 7]).unwrap();
    assert_eq!(read(&Lines::of(&rig.probe()).all_answering(8).await), Some(71));
}

#[tokio::test]
async fn an_xid_names_its_card_once() {
    let rig = SimRig::still();
    let sick = uuid(&rig.world, 5);
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    // Only events after registration are delivered, and nothing tells when that is done; so one more is made until one arrives.
    let told = |s: &Snapshot| !s.events.is_empty();
    let mut made = 0;
    let events = loop {
        rig.world.xid(5, 79).unwrap();
        made += 1;
        let from = lines.until("a sweep", |_| true).await;
        let seen = lines.until("some sweeps, or an event", |s| told(s) || s.sweep >= from.sweep + 10).await;
        if let Some(heard) = [from, seen].into_iter().find(told) {
            break heard.events;
        }
        assert!(made < 100, "no event was ever told");
    };
    assert!(events.iter().all(|event| event.kind == EventKind::Xid(79)), "{events:?}");
    assert!(
        events.iter().all(|event| event.uuid.as_ref().is_some_and(|uuid| uuid.as_str() == sick)),
        "{events:?}"
    );
}

#[tokio::test]
async fn an_energy_counter_falls_when_the_driver_is_loaded_anew() {
    let rig = SimRig::still();
    rig.world.advance(Duration::from_secs(600)).unwrap();
    let mut lines = Lines::of(&rig.probe());
    let energy =
        |s: &Snapshot| s.cards[0].read(|sample| &sample.energy).value().map(|energy| energy.millijoules());
    let before = energy(&lines.all_answering(8).await).unwrap();
    rig.world.reload().unwrap();
    rig.world.advance(Duration::from_secs(1)).unwrap();
    lines.until("the counter fell", |s| energy(s).is_some_and(|now| now < before)).await;
}

#[tokio::test]
async fn a_library_that_is_not_there_is_absent() {
    let rig = SimRig::still();
    let command = ProbeCommand { nvml_lib: Some("/nonexistent/libnvidia-ml.so.1".into()), ..rig.probe() };
    assert_eq!(trouble(&command).await.code, TroubleCode::LibraryAbsent);
}

#[tokio::test]
async fn a_file_that_is_no_library_is_unusable() {
    let rig = SimRig::still();
    let file = rig.folder().join("libnvidia-ml.so.1");
    fs::write(&file, "this is no library").unwrap();
    let command = ProbeCommand { nvml_lib: Some(file), ..rig.probe() };
    assert_eq!(trouble(&command).await.code, TroubleCode::LibraryUnusable);
}

#[tokio::test]
async fn another_programs_library_is_unusable() {
    let rig = SimRig::still();
    let command = ProbeCommand { nvml_lib: Some("libm.so.6".into()), ..rig.probe() };
    let trouble = trouble(&command).await;
    assert_eq!(trouble.code, TroubleCode::LibraryUnusable);
    assert!(trouble.detail.contains("nvmlInit_v2"), "{}", trouble.detail);
}

#[tokio::test]
async fn a_library_updated_under_a_loaded_driver_is_a_mismatch() {
    let rig = SimRig::still();
    rig.world.mismatch(true).unwrap();
    let trouble = trouble(&rig.probe()).await;
    assert_eq!((trouble.code, trouble.nvml), (TroubleCode::VersionMismatch, Some(NvmlCode(18))));
}

#[tokio::test]
async fn every_error_of_the_drivers_start_is_told_with_its_code() {
    let rig = SimRig::still();
    let expected = |code| match code {
        4 => TroubleCode::NoPermission,
        9 => TroubleCode::DriverNotLoaded,
        12 => TroubleCode::LibraryAbsent,
        13 => TroubleCode::LibraryTooOld,
        18 => TroubleCode::VersionMismatch,
        _ => TroubleCode::DriverFailed,
    };
    for code in (2..=30).chain([999]) {
        rig.world.clear_errors().unwrap();
        rig.world.error(code, None, Some(Symbol::InitV2)).unwrap();
        let trouble = trouble(&rig.probe()).await;
        assert_eq!((trouble.code, trouble.nvml), (expected(code), Some(NvmlCode(code))), "code {code}");
    }
}

#[tokio::test]
async fn a_probe_that_is_killed_is_an_end_and_not_a_silence() {
    let rig = SimRig::still();
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    let pid = rustix::process::Pid::from_raw(i32::try_from(lines.probe.pid().unwrap()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let end = timeout(PATIENCE, async {
        loop {
            if let Err(error) = lines.next().await {
                return error;
            }
        }
    });
    let end = end.await.unwrap();
    let ProbeError::Ended { status: Some(status), .. } = end else { panic!("{end}") };
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
}

#[tokio::test]
async fn the_list_of_cards_may_fail_with_any_code_and_costs_no_card() {
    let rig = SimRig::still();
    let mut lines = Lines::of(&ProbeCommand { slow_every: 1, ..rig.probe() });
    for code in (2..=30).chain([999]) {
        rig.world.clear_errors().unwrap();
        lines.all_answering(8).await;
        rig.world.error(code, None, Some(Symbol::DeviceGetCountV2)).unwrap();
        let failed = Roster::Failed { code: NvmlCode(code) };
        lines.until("the list failed and eight answer", |s| s.roster == failed && answering(s) == 8).await;
    }
}

#[tokio::test]
async fn a_card_the_driver_will_not_hand_out_is_unreachable_with_any_code() {
    for call in [Symbol::DeviceGetHandleByIndexV2, Symbol::DeviceGetUUID] {
        // One code a card, from the second card on: 1 to 30 and 999.
        let codes: Vec<u32> = (1..=30).chain([999]).collect();
        let rig = SimRig::still_with(codes.len() + 1);
        for (slot, code) in (1..).zip(&codes) {
            rig.world.error(*code, Some(slot), Some(call)).unwrap();
        }
        let seen = Lines::of(&rig.probe())
            .until("the list was read", |s| s.roster == Roster::Read && answering(s) == 1)
            .await;
        let expected: Vec<Unreachable> = (1..)
            .zip(&codes)
            .map(|(index, code)| Unreachable { index, reason: NvmlCode(*code).into() })
            .collect();
        assert_eq!(seen.unreachable, expected, "{call}");
    }
}

/// A copy of the simulated driver without one of its functions: its name is altered where the loader looks for it.
fn library_without(rig: &SimRig, function: &str) -> PathBuf {
    let mut bytes = fs::read(library()).unwrap();
    let name = format!("\0{function}\0").into_bytes();
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    bytes[at + 1] = b'x';
    let copy = rig.folder().join("libnvidia-ml.so.1");
    fs::write(&copy, bytes).unwrap();
    copy
}

#[tokio::test]
async fn a_function_an_old_library_lacks_is_a_quantity_that_is_not_supported() {
    let rig = SimRig::still();
    let library = library_without(&rig, "nvmlDeviceGetFanSpeedRPM");
    let snapshot = Lines::of(&ProbeCommand { nvml_lib: Some(library), ..rig.probe() }).all_answering(8).await;
    for card in &snapshot.cards {
        let fans = card.details.as_ref().unwrap().fans.value().unwrap().clone();
        assert_eq!(fans.len(), 2);
        for fan in fans {
            assert_eq!((fan.speed.reason(), fan.manual.reason()), (Some(Reason::NotSupported), None));
        }
    }
}

#[tokio::test]
async fn a_library_without_an_indispensable_function_is_too_old() {
    for function in ["nvmlDeviceGetUUID", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"] {
        let rig = SimRig::still();
        let library = library_without(&rig, function);
        let trouble = trouble(&ProbeCommand { nvml_lib: Some(library), ..rig.probe() }).await;
        assert_eq!(trouble.code, TroubleCode::LibraryTooOld, "{function}");
        assert!(trouble.detail.contains(function), "{}", trouble.detail);
    }
}

/// The probe's threads that sweep or stand by.
fn crew(lines: &Lines) -> usize {
    let tasks = fs::read_dir(format!("/proc/{}/task", lines.probe.pid().unwrap())).unwrap();
    let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default());
    names.filter(|name| name.trim() == "sweep").count()
}

#[tokio::test]
async fn a_hang_costs_one_thread_and_its_end_gives_it_back() {
    let rig = SimRig::still();
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    for _ in 0..5 {
        rig.world.hang(Target::All, None, None).unwrap();
        lines.until("all eight are stuck", |s| answering(s) == 0).await;
        rig.world.release(Target::All).unwrap();
        lines.all_answering(8).await;
    }
    // Eight that hung, one that leads and one that stands by; a few more where the machine held one up for a patience at the
    // wrong moment. Threads that are not given back would be 40.
    let crew = crew(&lines);
    assert!((10..=14).contains(&crew), "{crew} threads after eight cards hung five times");
}

#[tokio::test]
async fn more_cards_that_hang_together_than_one_sweep_can_pass_hide_the_others_for_few_sweeps() {
    let rig = SimRig::still_with(64);
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(64).await;
    for slot in 0..40 {
        rig.world.hang(slot, None, None).unwrap();
    }
    // Fifteen patiences a sweep pass forty cards in three sweeps; those behind them answer in the third at the latest.
    let first = lines.until("the cards in front are stuck", |s| answering(s) < 64).await;
    let seen = lines.until("those behind them answer", |s| answering(s) == 24).await;
    assert!(seen.sweep <= first.sweep + 10, "it took from sweep {} to {}", first.sweep, seen.sweep);
    rig.world.release(Target::All).unwrap();
    lines.all_answering(64).await;
}

#[tokio::test]
async fn a_card_whose_look_up_hangs_hides_none_behind_it() {
    for call in [Symbol::DeviceGetHandleByIndexV2, Symbol::DeviceGetUUID] {
        let rig = SimRig::still();
        for slot in [0, 3] {
            rig.world.hang(slot, Some(call), None).unwrap();
        }
        let mut lines = Lines::of(&rig.probe());
        let seen = lines.until("six answer", |s| s.roster == Roster::Read && answering(s) == 6).await;
        let stuck = |card: &Unreachable| matches!(card.reason, Reason::Stuck { .. });
        assert!(seen.unreachable.iter().all(stuck), "{:?}", seen.unreachable);
        assert_eq!(seen.unreachable.iter().map(|card| card.index).collect::<Vec<_>>(), [0, 3], "{call}");
        rig.world.release(0).unwrap();
        rig.world.release(3).unwrap();
        lines.all_answering(8).await;
    }
}

#[tokio::test]
async fn a_card_that_fails_altogether_after_its_start_is_failing() {
    let rig = SimRig::still();
    let sick = uuid(&rig.world, 3);
    let mut lines = Lines::of(&rig.probe());
    lines.all_answering(8).await;
    rig.world.error(999, Some(3), None).unwrap();
    let failing = Some(Condition::Failing { code: NvmlCode(999) });
    lines
        .until("card 3 fails and seven answer", |s| condition(s, &sick) == failing && answering(s) == 7)
        .await;
}
