//! The Rig view over the simulated driver, in the owner's profile: what it shows when cards and driver fail, and when the page does.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::PathBuf,
    time::Duration,
};

use fanfare_sim_state::{Setup, Target};
use fanfare_testkit::SimRig;
use fantoccini::Client;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use crate::{
    desk::{Desk, Session, WINDOW, wait_until},
    page::{self, until, until_all_answer},
};

/// The most that the window's own process may grow while its page is stopped (measured: nothing).
const GROWTH_AT_MOST: u64 = 16 << 20;

/// Eight cards that compute nothing, on the machine's own clock.
pub(crate) fn rig() -> SimRig {
    SimRig::of(&Setup { rentals: false, ..Setup::default() })
}

/// A desk with a window over `rig`, as the owner's rig.
async fn window_over(rig: &SimRig) -> Option<(Desk, Client)> {
    let desk = Desk::set_up(Session::over(rig))?;
    let library = fanfare_testkit::library();
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str()]).await;
    Some((desk, client))
}

fn signal(process: i32, signal: Signal) {
    let process = Pid::from_raw(process).expect("a process id");
    kill_process(process, signal).expect("the process is there");
}

#[tokio::test]
async fn eight_tiles_are_read_in_the_web_view_and_a_lost_card_says_so_while_seven_go_on() {
    let rig = rig();
    let Some((_desk, client)) = window_over(&rig).await else { return };
    let page = until_all_answer(&client, 8).await;
    let seats: Vec<u32> = page.tiles.iter().map(|tile| tile.seat).collect();
    assert_eq!(seats, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(
        page.banner.as_deref().map(str::trim),
        Some("Simulated driver: every number here is simulated")
    );
    rig.world.lose(3).expect("the fourth card is lost");
    let page = until(&client, "the fourth is lost", |page| page.tiles[3].state == "lost").await;
    assert!(page.tiles[3].text.contains("fell off the bus"), "{page:#?}");
    assert!(page.status.contains("fell off the bus"), "{page:#?}");
    // The seven go on: what the driver says from now on is what they show.
    rig.world.temperature(0, Some(71)).expect("the first card is warm");
    let page =
        until(&client, "the first card's new temperature", |page| page.tiles[0].temperature == "71").await;
    let others = page.tiles.iter().filter(|tile| tile.state == "answering" && !tile.stale);
    assert_eq!(others.count(), 7, "{page:#?}");
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn a_driver_that_hangs_leaves_the_last_values_grey_with_their_age() {
    let rig = rig();
    let Some((_desk, client)) = window_over(&rig).await else { return };
    until_all_answer(&client, 8).await;
    rig.world.hang(Target::All, None, None).expect("the driver hangs");
    let hung = |page: &page::Page| {
        page.tiles.len() == 8 && page.tiles.iter().all(|tile| tile.state == "stuck" && tile.stale)
    };
    let page = until(&client, "every card is stuck and grey", hung).await;
    for tile in &page.tiles {
        assert!(tile.text.contains("does not answer"), "{tile:?}");
        assert!(tile.text.contains("Last values") && tile.text.contains("old"), "{tile:?}");
        assert!(tile.text.contains("°C"), "the last values stay: {tile:?}");
    }
    assert!(page.status.contains("The driver hangs"), "{page:#?}");
    rig.world.release(Target::All).expect("the driver goes on");
    until_all_answer(&client, 8).await;
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn a_page_that_reloads_in_mid_stream_shows_the_rig_again() {
    let rig = rig();
    let Some((_desk, client)) = window_over(&rig).await else { return };
    for warm in [61, 62, 63] {
        until_all_answer(&client, 8).await;
        client.refresh().await.expect("the page reloads");
        rig.world.temperature(0, Some(warm)).expect("the first card is warm");
        let wanted = warm.to_string();
        until(&client, "the new temperature", |page| {
            page.tiles.first().is_some_and(|tile| tile.temperature == wanted)
        })
        .await;
    }
    client.close().await.expect("the window closes");
}

#[tokio::test]
async fn a_page_that_is_stopped_costs_no_memory_and_is_given_the_newest_when_it_goes_on() {
    let rig = rig();
    let Some((desk, client)) = window_over(&rig).await else { return };
    until_all_answer(&client, 8).await;
    let (window, page) = (desk.process("fanfare"), desk.process("WebKitWebProcess"));
    signal(page, Signal::STOP);
    let before = page::resident_bytes(window);
    let asked = || rig.world.calls().iter().map(|call| call.count).sum::<u64>();
    let asked_before = asked();
    sleep(Duration::from_secs(15)).await;
    rig.world.temperature(0, Some(72)).expect("the first card is warm");
    let grown = page::resident_bytes(window).saturating_sub(before);
    assert!(asked() > asked_before, "the reading goes on");
    assert!(grown < GROWTH_AT_MOST, "{grown} bytes");
    signal(page, Signal::CONT);
    until(&client, "the newest temperature", |page| page.tiles[0].temperature == "72").await;
    client.close().await.expect("the window closes");
}

// Without the web driver, whose session ends with the page's process: the page that comes back is seen by its process alone.
#[tokio::test]
async fn a_page_whose_process_dies_is_loaded_again_in_the_same_window() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let told = desk.home().join("told");
    let mut command = desk.command(WINDOW);
    command.arg("--nvml-lib").arg(fanfare_testkit::library());
    command.stderr(File::create(&told).expect("a file for its words"));
    let mut window = command.spawn().expect("the window starts");
    let mut killed = Vec::new();
    for _ in 0..2 {
        wait_until("a page process runs that was not killed", || {
            desk.processes("WebKitWebProcess").iter().any(|process| !killed.contains(process))
        });
        let running = desk.processes("WebKitWebProcess");
        let page = *running.iter().find(|process| !killed.contains(process)).expect("it was there");
        // WebKit tells the death of a page that was loaded, not that of a process it is still starting.
        sleep(Duration::from_secs(3)).await;
        signal(page, Signal::KILL);
        killed.push(page);
    }
    wait_until("a third page process runs", || {
        desk.processes("WebKitWebProcess").iter().any(|process| !killed.contains(process))
    });
    assert!(window.try_wait().expect("its state").is_none(), "it is the same window");
    let told = fs::read_to_string(&told).expect("its words");
    assert_eq!(told.matches("the page's process ended").count(), 2, "{told}");
    window.kill().expect("it is ours");
    window.wait().expect("it is ours");
}

/// Every view, walked through; what the page's console has said by then.
#[tokio::test]
async fn no_view_breaks_the_content_security_policy_nor_says_anything_on_the_console() {
    let rig = rig();
    let Some((desk, client)) = window_over(&rig).await else { return };
    let page = until_all_answer(&client, 8).await;
    let uuid = rig.world.cards().expect("the cards")[0].uuid.clone();
    for view in [format!("#/card/{uuid}"), "#/settings".to_owned(), "#/".to_owned()] {
        let go = format!("location.hash = '{view}'");
        client.execute(&go, Vec::new()).await.expect("the view opens");
        sleep(Duration::from_secs(1)).await;
    }
    until_all_answer(&client, page.tiles.len()).await;
    assert!(!desk.console().contains("CONSOLE"), "{}", desk.console());
    // The test would have seen one: an element with a style of its own is refused.
    let forbidden = "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')";
    client.execute(forbidden, Vec::new()).await.expect("the script runs");
    wait_until("the refusal is on the console", || desk.console().contains("Content Security Policy"));
    client.close().await.expect("the window closes");
}

/// A place for the data of a rig that was met before.
pub(crate) fn remembered(desk: &Desk) -> PathBuf {
    desk.home().join("data/fanfare/real")
}
