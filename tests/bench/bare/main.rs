//! The bare window that Fanfare's is measured against: Tauri as it comes, one text node, and the message that Fanfare's page is sent
//! for eight cards, once a second over a channel of the same kind: each with a number and a time of its own, as there. It reads no
//! card and keeps nothing.

use std::{
    process::ExitCode,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;
use tauri::ipc::Channel;

/// A frame of eight cards, as it was sent to Fanfare's page.
const FRAME: &str = include_str!("frame.json");

/// Named like Fanfare's own, because the list of what a window may call is the same one.
#[tauri::command]
fn rig_subscribe(channel: Channel<Value>) {
    let mut part: Value = serde_json::from_str(FRAME).unwrap_or_default();
    thread::spawn(move || {
        for number in 1_u64.. {
            if let Some(frame) = part.get_mut("frame") {
                frame["number"] = number.into();
                frame["at_ms"] = since_1970_ms().into();
            }
            // The window is closed.
            if channel.send(part.clone()).is_err() {
                return;
            }
            thread::sleep(Duration::from_secs(1));
        }
    });
}

fn since_1970_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
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
