//! What the window looks like over the demo rig, in both languages and themes.
//!
//! With `FANFARE_SCREENSHOTS` naming a folder, the pictures of the window are written there (`make screenshots`).

use std::{
    env, fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use fantoccini::{Client, Locator};

use crate::{
    desk::{Desk, Session},
    page::{PATIENCE, Page, until_all_answer},
};

/// The most bytes of a picture with nothing on it, at 1366 x 768 (measured: 3.6 kB; with eight tiles 60 kB or more).
const BLANK_AT_MOST: usize = 8_000;

// The colours are --bg of ui/src/styles/tokens.css: #0d1117 is 13, 17, 23 and #f4f6f8 is 244, 246, 248.
const DARK: &str = "rgb(13, 17, 23)";
const LIGHT: &str = "rgb(244, 246, 248)";

/// A look, and what is seen of it.
struct Look {
    locale: &'static str,
    theme: &'static str,
    /// What its pictures' names end in.
    picture: Option<&'static str>,
    language: &'static str,
    background: &'static str,
    views: &'static str,
    banner: &'static str,
}

const ENGLISH_DARK: Look = Look {
    locale: "en_US.UTF-8",
    theme: "Adwaita:dark",
    picture: Some("en-dark"),
    language: "en",
    background: DARK,
    views: "Rig History Settings",
    banner: "Demo rig: every number here is simulated",
};
const ENGLISH_LIGHT: Look =
    Look { theme: "Adwaita", picture: Some("en-light"), background: LIGHT, ..ENGLISH_DARK };
const CHINESE_DARK: Look = Look {
    locale: "zh_CN.UTF-8",
    picture: Some("zh-dark"),
    language: "zh-CN",
    views: "主机 历史 设置",
    banner: "演示主机：这里的所有数字都是模拟的",
    ..ENGLISH_DARK
};
const CHINESE_LIGHT: Look =
    Look { theme: "Adwaita", picture: Some("zh-light"), background: LIGHT, ..CHINESE_DARK };
/// The web view then reports the language "C", on which number formatting throws: without the page's shim it stays blank.
const C_LOCALE: Look = Look { locale: "C", picture: None, ..ENGLISH_LIGHT };

/// Opens the window with a look, checks what is seen, keeps its pictures if they are wanted, and closes it.
async fn is_shown(look: Look) {
    let session = Session { locale: look.locale, theme: look.theme, ..Session::plain() };
    let Some(desk) = Desk::set_up(session) else { return };
    for program in ["fanfare-probe", "fanfare-sim"] {
        fanfare_testkit::program(program);
    }
    fanfare_testkit::library();
    let client = desk.open(&["--profile".as_ref(), "demo".as_ref()]).await;
    let page = until_all_answer(&client, 8).await;
    assert_look(&page, &look);
    let folder = env::var_os("FANFARE_SCREENSHOTS").map(PathBuf::from);
    if let (Some(name), Some(folder)) = (look.picture, folder) {
        keep_pictures(&client, &folder, name).await;
    }
    client.close().await.expect("the window closes");
}

fn assert_look(page: &Page, look: &Look) {
    let views = page.views.split_whitespace().collect::<Vec<_>>().join(" ");
    let banner = page.banner.as_deref().unwrap_or_default();
    assert_eq!((page.language.as_str(), page.background.as_str()), (look.language, look.background));
    assert_eq!(views, look.views);
    assert!(banner.starts_with(look.banner), "{banner}");
}

/// The Rig view in every look; a card's page and the settings in one of each language.
async fn keep_pictures(client: &Client, folder: &std::path::Path, name: &str) {
    fs::create_dir_all(folder).expect("the folder of the pictures");
    let keep = async |view: &str| {
        fs::write(folder.join(format!("{view}-{name}.png")), painted(client).await).expect("it is written");
    };
    // The temperatures of the last minutes come once in ten seconds.
    tokio::time::sleep(Duration::from_secs(25)).await;
    keep("rig").await;
    if !name.ends_with("dark") {
        return;
    }
    a_day_is_known(client).await;
    // The card whose fan was blocked on that day.
    client
        .execute("location.hash = document.querySelectorAll('article a')[6].hash", Vec::new())
        .await
        .expect("a card");
    client.wait().at_most(PATIENCE).for_element(Locator::Css("main canvas")).await.expect("a chart");
    keep("card").await;
    client.execute("location.hash = '#/cards/temperature'", Vec::new()).await.expect("all cards");
    client.wait().at_most(PATIENCE).for_element(Locator::Css("path.line[d^=M]")).await.expect("a line");
    keep("cards").await;
    client.execute("location.hash = '#/settings'", Vec::new()).await.expect("the settings");
    client
        .wait()
        .at_most(PATIENCE)
        .for_element(Locator::Css("main form, main select"))
        .await
        .expect("a section");
    keep("settings").await;
}

/// Waits until the account knows of 20 hours before now: the demo's past is told some seconds after its first start.
async fn a_day_is_known(client: &Client) {
    const ASK: &str = r"
        const now = Date.now();
        window.__TAURI_INTERNALS__.invoke('energy', { fromMs: now - 864e5, toMs: now }).then((report) => {
            window.knownHours = Math.min(...report.cards.map((card) => card.counted.ms / 36e5));
        });
        return (window.knownHours ?? 0) > 20;";
    let deadline = Instant::now() + PATIENCE;
    while client.execute(ASK, Vec::new()).await.expect("the page answers") != serde_json::Value::Bool(true) {
        assert!(Instant::now() < deadline, "the demo's past is never known");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// The picture of the window once it is painted: the words are in the page some frames before they are on the screen.
async fn painted(client: &Client) -> Vec<u8> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        // A live page never comes to rest; what was in it is on the screen after this.
        tokio::time::sleep(Duration::from_millis(500)).await;
        let png = client.screenshot().await.expect("a picture");
        if png.len() > BLANK_AT_MOST {
            return png;
        }
        assert!(Instant::now() < deadline, "the window stays blank: {} bytes", png.len());
    }
}

#[tokio::test]
async fn the_window_speaks_english_in_the_dark_and_the_light_theme() {
    is_shown(ENGLISH_DARK).await;
    is_shown(ENGLISH_LIGHT).await;
}

#[tokio::test]
async fn the_window_speaks_chinese_in_the_dark_and_the_light_theme() {
    is_shown(CHINESE_DARK).await;
    is_shown(CHINESE_LIGHT).await;
}

#[tokio::test]
async fn the_window_is_not_blank_in_the_c_locale() {
    is_shown(C_LOCALE).await;
}
