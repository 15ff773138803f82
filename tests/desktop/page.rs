//! The page as a person sees it, read out of the real web view.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use fantoccini::Client;
use serde::Deserialize;
use tokio::time::sleep;

/// How long anything may take to show on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What is on the screen.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Page {
    /// In slot order.
    pub(crate) tiles: Vec<Tile>,
    /// The line that says what is wrong.
    pub(crate) status: String,
    /// What says that the figures are simulated.
    pub(crate) banner: Option<String>,
    /// The views' names.
    pub(crate) views: String,
    /// The language of the page.
    pub(crate) language: String,
    /// The computed colour behind the page.
    pub(crate) background: String,
}

/// A card's tile.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Tile {
    pub(crate) seat: u32,
    pub(crate) state: String,
    /// Whether its values are grey.
    pub(crate) stale: bool,
    /// Degrees, as written; empty without a number.
    pub(crate) temperature: String,
    /// All that it says.
    pub(crate) text: String,
}

const READ: &str = r"
const text = (of, css) => of.querySelector(css)?.innerText ?? '';
return {
  tiles: [...document.querySelectorAll('article[data-seat]')].map((tile) => ({
    seat: Number(tile.dataset.seat),
    state: tile.dataset.state,
    stale: tile.classList.contains('stale'),
    temperature: text(tile, '[data-quantity=temperature] .number'),
    text: tile.innerText,
  })),
  status: text(document, '[role=status]'),
  banner: document.querySelector('.banner')?.innerText ?? null,
  views: text(document, 'nav'),
  language: document.documentElement.lang,
  background: getComputedStyle(document.body).backgroundColor,
};";

/// What is on the screen now; nothing while the page's process has just died.
async fn read(client: &Client) -> Option<Page> {
    let page = client.execute(READ, Vec::new()).await.ok()?;
    Some(serde_json::from_value(page).expect("it is what the script returns"))
}

/// The page once `wanted` holds.
pub(crate) async fn until(client: &Client, what: &str, wanted: impl Fn(&Page) -> bool) -> Page {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let page = read(client).await;
        if let Some(page) = page.as_ref().filter(|page| wanted(page)) {
            return page.clone();
        }
        assert!(Instant::now() < deadline, "never seen: {what}; last seen: {page:#?}");
        sleep(Duration::from_millis(100)).await;
    }
}

/// The page once all of `cards` cards answer.
pub(crate) async fn until_all_answer(client: &Client, cards: usize) -> Page {
    until(client, "every card answers", |page| {
        page.tiles.len() == cards && page.tiles.iter().all(|tile| tile.state == "answering" && !tile.stale)
    })
    .await
}

/// Calls a command of the shell as the page does. Whether it was called is for the caller to see: this one may end the window,
/// and with it the script, before the web driver has an answer.
pub(crate) async fn order(client: &Client, command: &str, arguments: serde_json::Value) {
    let script = "window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1])";
    let _ = client.execute(script, vec![command.into(), arguments]).await;
}

/// The bytes of a process that are in memory.
pub(crate) fn resident_bytes(process: i32) -> u64 {
    let status = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status"));
    let status = status.expect("the process is there");
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    kib.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}
