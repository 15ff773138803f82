//! The bare window that Fanfare's is measured against: Tauri as it comes, one text node, and the message that Fanfare's page is sent
//! for eight cards, once a second over a channel of the same kind. It reads no card and keeps nothing.

use std::{process::ExitCode, thread, time::Duration};

use serde_json::Value;
use tauri::ipc::Channel;

/// A frame of eight cards, as it was sent to Fanfare's page.
const FRAME: &str = include_str!("frame.json");

/// Named like Fanfare's own, because the list of what a window may call is the same one.
#[tauri::command]
fn rig_subscribe(channel: Channel<Value>) {
    let frame: Value = serde_json::from_str(FRAME).unwrap_or_default();
    thread::spawn(move || {
        // Ends with the window, whose channel then refuses.
        while channel.send(frame.clone()).is_ok() {
            thread::sleep(Duration::from_secs(1));
        }
    });
}

fn main() -> ExitCode {
    let ran = tauri::Builder::default()
        .invoke_handler(tauri::generate_handler![rig_subscribe])
        .run(tauri::generate_context!("tests/bench/bare/tauri.conf.json"));
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare: {error}");
            ExitCode::FAILURE
        }
    }
}
