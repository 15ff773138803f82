//! Starts and ends of the window: without a bus, without the tray's library, a second time, drawn on the CPU, over the other rig.

use std::{
    ffi::OsStr,
    fs,
    os::unix::process::ExitStatusExt,
    process::Stdio,
    time::{Duration, Instant},
};

use fanfare_sim_state::Target;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use crate::{
    desk::{Desk, Session, WINDOW, wait_until},
    page::{self, PATIENCE, until, until_all_answer},
    rig::rig,
};

/// The variables that a running process was started with.
fn environment(process: i32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{process}/environ")).expect("the process is there");
    bytes.split(|byte| *byte == 0).map(|variable| String::from_utf8_lossy(variable).into_owned()).collect()
}

#[tokio::test]
async fn without_a_session_bus_the_window_shows_the_rig() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session { bus: false, ..Session::over(&rig) }) else { return };
    let library = fanfare_testkit::library();
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str()]).await;
    until_all_answer(&client, 8).await;
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn the_window_needs_no_library_of_a_tray() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let library = fanfare_testkit::library();
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str()]).await;
    until_all_answer(&client, 8).await;
    let loaded =
        fs::read_to_string(format!("/proc/{}/maps", desk.process("fanfare"))).expect("its libraries");
    assert!(loaded.contains("libwebkit2gtk"), "the list is that of the window");
    assert!(!loaded.contains("appindicator"), "a machine without it could not start the window");
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn a_second_start_raises_the_first_window_and_ends() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let library = fanfare_testkit::library();
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str()]).await;
    until_all_answer(&client, 8).await;
    let first = desk.process("fanfare");
    client.minimize_window().await.expect("the window is minimised");
    let hidden = "return document.visibilityState";
    let deadline = Instant::now() + PATIENCE;
    while client.execute(hidden, Vec::new()).await.expect("the page answers") != "hidden" {
        assert!(Instant::now() < deadline, "the window is not minimised");
        sleep(Duration::from_millis(100)).await;
    }
    let second =
        desk.command(WINDOW).stdout(Stdio::null()).stderr(Stdio::piped()).output().expect("it starts");
    assert!(second.status.success(), "{second:?}");
    rig.world.temperature(0, Some(73)).expect("the first card is warm");
    until(&client, "the newest temperature", |page| page.tiles[0].temperature == "73").await;
    let visible = client.execute(hidden, Vec::new()).await.expect("the page answers");
    assert_eq!(visible, "visible");
    assert_eq!(desk.process("fanfare"), first);
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn safe_rendering_starts_the_program_once_more_with_another_environment() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let library = fanfare_testkit::library();
    let safe = OsStr::new("--safe-rendering");
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str(), safe]).await;
    until_all_answer(&client, 8).await;
    let environment = environment(desk.process("fanfare"));
    for expected in ["WEBKIT_DISABLE_COMPOSITING_MODE=1", "FANFARE_RENDERING=steady"] {
        assert!(environment.iter().any(|variable| variable == expected), "{expected}: {environment:?}");
    }
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn an_accelerated_start_is_marked_until_it_has_lived() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let library = fanfare_testkit::library();
    let marker = desk.home().join("data/fanfare/real/window-start");
    // As on a machine whose graphics card draws.
    let start = || {
        let mut window = desk.command(WINDOW);
        window.arg("--nvml-lib").arg(&library).env("FANFARE_RENDERING", "accelerated");
        window.spawn().expect("the window starts")
    };
    let mut window = start();
    wait_until("the marker stands", || marker.exists());
    wait_until("the marker is taken away", || !marker.exists());
    assert!(window.try_wait().expect("its state").is_none(), "by a window that lives");
    // One that is killed before leaves it, and the next start draws without the graphics card.
    window.kill().expect("it is ours");
    window.wait().expect("it is ours");
    fs::write(&marker, "").expect("the directory is ours");
    let mut killed = start();
    wait_until("the marker stands", || fs::read_to_string(&marker).is_ok_and(|text| !text.is_empty()));
    killed.kill().expect("it is ours");
    killed.wait().expect("it is ours");
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str()]).await;
    until_all_answer(&client, 8).await;
    let environment = environment(desk.process("fanfare"));
    // The safe path has it, and no other that this machine could take.
    let safe = "WEBKIT_DMABUF_RENDERER_FORCE_SHM=1";
    assert!(environment.iter().any(|variable| variable == safe), "{environment:?}");
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn a_second_start_while_the_first_has_not_proved_itself_takes_it_for_no_death() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let library = fanfare_testkit::library();
    let marker = desk.home().join("data/fanfare/real/window-start");
    let mut first = desk.command(WINDOW);
    first.arg("--nvml-lib").arg(&library).env("FANFARE_RENDERING", "accelerated");
    let mut first = first.spawn().expect("the window starts");
    wait_until("the marker stands", || fs::read_to_string(&marker).is_ok_and(|text| !text.is_empty()));
    let mut second = desk.command(WINDOW);
    let second = second.arg("--nvml-lib").arg(&library).stderr(Stdio::piped()).output().expect("it starts");
    let told = String::from_utf8_lossy(&second.stderr);
    assert!(second.status.success() && !told.contains("the last start died"), "{told}");
    first.kill().expect("it is ours");
    first.wait().expect("it is ours");
}

#[tokio::test]
async fn the_demo_is_shown_by_the_same_process_once_it_is_asked_for() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    fanfare_testkit::program("fanfare-sim");
    let library = fanfare_testkit::library();
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str()]).await;
    until_all_answer(&client, 8).await;
    let window = desk.process("fanfare");
    page::order(&client, "show_profile", serde_json::json!({"profile": "demo"})).await;
    let arguments = || fs::read_to_string(format!("/proc/{window}/cmdline")).unwrap_or_default();
    wait_until("the program runs again over the demo", || arguments().contains("--profile=demo"));
    assert!(!arguments().contains("--nvml-lib"), "{}", arguments());
    wait_until("the demo rig is there", || desk.home().join("data/fanfare/demo/rig.sim").is_file());
    wait_until("one probe reads it", || desk.processes("fanfare-probe").len() == 1);
}

#[tokio::test]
async fn a_window_that_is_told_to_end_ends_in_order_even_while_the_driver_hangs() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let library = fanfare_testkit::library();
    let mut window = desk.command(WINDOW);
    let mut window =
        window.args([OsStr::new("--nvml-lib"), library.as_os_str()]).spawn().expect("the window starts");
    wait_until("a probe reads", || desk.processes("fanfare-probe").len() == 1);
    wait_until("a page runs", || desk.processes("WebKitWebProcess").len() == 1);
    rig.world.hang(Target::All, None, None).expect("the driver hangs");
    sleep(Duration::from_secs(3)).await;
    let process = Pid::from_child(&window);
    kill_process(process, Signal::TERM).expect("it is ours");
    wait_until("the window ends", || window.try_wait().expect("its state").is_some());
    let status = window.wait().expect("its status");
    assert_eq!((status.code(), status.signal()), (Some(0), None));
    wait_until("its probe is gone", || desk.processes("fanfare-probe").is_empty());
    wait_until("its page is gone", || desk.processes("WebKitWebProcess").is_empty());
}

#[tokio::test]
async fn a_page_that_is_stopped_is_not_left_behind_by_a_window_that_ends() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let library = fanfare_testkit::library();
    let mut window = desk.command(WINDOW);
    let mut window =
        window.args([OsStr::new("--nvml-lib"), library.as_os_str()]).spawn().expect("the window starts");
    wait_until("a probe reads", || desk.processes("fanfare-probe").len() == 1);
    wait_until("a page runs", || desk.processes("WebKitWebProcess").len() == 1);
    let page = Pid::from_raw(desk.process("WebKitWebProcess")).expect("a process id");
    kill_process(page, Signal::STOP).expect("it is there");
    kill_process(Pid::from_child(&window), Signal::TERM).expect("it is ours");
    wait_until("the window ends", || window.try_wait().expect("its state").is_some());
    assert_eq!(window.wait().expect("its status").code(), Some(0));
    wait_until("its page is gone", || desk.processes("WebKitWebProcess").is_empty());
}
