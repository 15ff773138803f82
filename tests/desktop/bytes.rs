//! Bytes between page and shell, through the real web view: a file for the owner goes one way, a course of the past the other.

use std::{ffi::OsStr, fs};

use fantoccini::Client;
use serde_json::{Value, json};

use crate::{
    desk::{Desk, Session},
    page::until_all_answer,
    rig::rig,
};

/// Calls a command as the page does, and tells what came of it; of bytes, their number and the first four.
const CALL: &str = r"
const [command, words, filler, done] = arguments;
const body = filler === null ? words : new Uint8Array(filler).fill(65);
const headers = filler === null ? undefined : words;
const told = (answer) => answer instanceof ArrayBuffer
  ? { length: answer.byteLength, begins: String.fromCharCode(...new Uint8Array(answer, 0, 4)) }
  : answer;
window.__TAURI_INTERNALS__.invoke(command, body, { headers }).then(
  (answer) => done({ answer: told(answer) }),
  (refusal) => done({ refusal }),
);";

/// A command with arguments, or with headers and so many bytes.
async fn call(client: &Client, command: &str, words: Value, bytes: Option<usize>) -> Value {
    client.execute_async(CALL, vec![command.into(), words, json!(bytes)]).await.expect("the page answers")
}

#[tokio::test]
async fn a_file_goes_from_the_page_into_the_download_directory_and_a_course_comes_as_bytes() {
    let rig = rig();
    let Some(desk) = Desk::set_up(Session::over(&rig)) else { return };
    let downloads = desk.home().join("Saved");
    fs::create_dir(&downloads).expect("the home is ours");
    fs::write(desk.home().join("config/user-dirs.dirs"), "XDG_DOWNLOAD_DIR=\"$HOME/Saved\"\n")
        .expect("the home is ours");
    let library = fanfare_testkit::library();
    let client = desk.open(&[OsStr::new("--nvml-lib"), library.as_os_str()]).await;
    until_all_answer(&client, 8).await;

    let headers = json!({"Fanfare-Name": "rig-temperature", "Fanfare-Kind": "csv"});
    // The largest that may be, and once more under the same name.
    for (bytes, name) in [(32 << 20, "rig-temperature.csv"), (1, "rig-temperature-2.csv")] {
        let path = downloads.join(name);
        let told = call(&client, "keep_export", headers.clone(), Some(bytes)).await;
        assert_eq!(told, json!({"answer": path}));
        assert!(fs::read(path).expect("it is there") == vec![b'A'; bytes], "{name}");
    }
    let refused = call(&client, "keep_export", json!({"Fanfare-Kind": "csv"}), Some(1)).await;
    assert_eq!(refused["refusal"]["code"], "not_exported", "{refused}");

    let card = rig.world.card(0).expect("the rig is there").expect("a card").uuid;
    let question =
        json!({"uuids": [card], "quantities": ["power"], "from_ms": 0, "to_ms": 60_000, "points": 2_000});
    let told = call(&client, "course", json!({"question": question}), None).await;
    // Nothing was recorded in 1970: a head of 24 bytes.
    assert_eq!(told, json!({"answer": {"length": 24, "begins": "FHQ1"}}));
    client.close().await.expect("the window closes");
}
