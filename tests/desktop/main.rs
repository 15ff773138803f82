//! The real window, under its own X server and D-Bus session, read through the web driver.
//!
//! With `FANFARE_SCREENSHOTS` naming a folder, the pictures of the window are written there (`make screenshots`).

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod desk;

use std::{
    env, fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use desk::{Desk, Look};
use fantoccini::{Client, Locator};

/// How long the page may take to show its first words on a busy machine.
const FIRST_WORDS: Duration = Duration::from_secs(60);

/// The most bytes of a picture with nothing on it, at 1366 x 768 (measured: 3.6 kB; with the page's words 17 kB or more).
const BLANK_AT_MOST: usize = 8_000;

/// What a person sees in the window.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    name: String,
    version: String,
    live_table: String,
    language: String,
    /// The computed colour behind the page.
    background: String,
}

async fn text(client: &Client, css: &str) -> String {
    let element = client.wait().at_most(FIRST_WORDS).for_element(Locator::Css(css)).await.expect(css);
    element.text().await.expect(css)
}

async fn value(client: &Client, script: &str) -> String {
    let value = client.execute(&format!("return {script}"), Vec::new()).await.expect(script);
    value.as_str().unwrap_or_default().to_owned()
}

async fn read(client: &Client) -> Page {
    Page {
        // The name is there once the shell has answered.
        version: text(client, ".version").await,
        name: text(client, "h1").await,
        live_table: text(client, ".live").await,
        language: value(client, "document.documentElement.lang").await,
        background: value(client, "getComputedStyle(document.body).backgroundColor").await,
    }
}

/// Opens the window with a look, reads it, keeps its picture if it has a name and pictures are wanted, and closes it.
async fn shown(look: Look, picture: Option<&str>) -> Option<Page> {
    let desk = Desk::set_up(look)?;
    let client = desk.open(env!("CARGO_BIN_EXE_fanfare")).await;
    let page = read(&client).await;
    let folder = env::var_os("FANFARE_SCREENSHOTS").map(PathBuf::from);
    if let (Some(picture), Some(folder)) = (picture, folder) {
        let png = painted(&client).await;
        fs::create_dir_all(&folder).expect("the folder of the pictures");
        fs::write(folder.join(picture), png).expect("the picture is written");
    }
    client.close().await.expect("the window closes");
    Some(page)
}

/// The picture of the window once it is painted: the words are in the page some frames before they are on the screen.
async fn painted(client: &Client) -> Vec<u8> {
    let deadline = Instant::now() + FIRST_WORDS;
    let mut last = Vec::new();
    loop {
        let png = client.screenshot().await.expect("a picture");
        // One colour packs into a few kilobytes. Two pictures that are equal show a page that has come to rest.
        if png.len() > BLANK_AT_MOST && png == last {
            return png;
        }
        assert!(Instant::now() < deadline, "the window stays blank: {} bytes", png.len());
        last = png;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

// The colours are --bg of ui/src/styles/tokens.css: #0d1117 is 13, 17, 23 and #f4f6f8 is 244, 246, 248.
const DARK: &str = "rgb(13, 17, 23)";
const LIGHT: &str = "rgb(244, 246, 248)";

fn english(background: &str) -> Page {
    Page {
        name: "Fanfare".to_owned(),
        version: format!("Version {}", env!("CARGO_PKG_VERSION")),
        live_table: "The rig’s live table is in the terminal: fanfarectl watch".to_owned(),
        language: "en".to_owned(),
        background: background.to_owned(),
    }
}

fn chinese(background: &str) -> Page {
    Page {
        version: format!("版本 {}", env!("CARGO_PKG_VERSION")),
        live_table: "整机实时状态表在终端里： fanfarectl watch".to_owned(),
        language: "zh-CN".to_owned(),
        ..english(background)
    }
}

#[tokio::test]
async fn the_window_speaks_english_in_the_dark_and_the_light_theme() {
    let looks = [
        (Look { locale: "en_US.UTF-8", theme: "Adwaita:dark" }, "window-en-dark.png", DARK),
        (Look { locale: "en_US.UTF-8", theme: "Adwaita" }, "window-en-light.png", LIGHT),
    ];
    for (look, picture, background) in looks {
        let Some(page) = shown(look, Some(picture)).await else { return };
        assert_eq!(page, english(background), "{look:?}");
    }
}

#[tokio::test]
async fn the_window_speaks_chinese_in_the_dark_and_the_light_theme() {
    let looks = [
        (Look { locale: "zh_CN.UTF-8", theme: "Adwaita:dark" }, "window-zh-dark.png", DARK),
        (Look { locale: "zh_CN.UTF-8", theme: "Adwaita" }, "window-zh-light.png", LIGHT),
    ];
    for (look, picture, background) in looks {
        let Some(page) = shown(look, Some(picture)).await else { return };
        assert_eq!(page, chinese(background), "{look:?}");
    }
}

// The web view then reports the language "C", on which number formatting throws: without the page's shim it stays blank.
#[tokio::test]
async fn the_window_is_not_blank_in_the_c_locale() {
    let look = Look { locale: "C", theme: "Adwaita" };
    let Some(page) = shown(look, None).await else { return };
    assert_eq!(page, english(LIGHT));
}
