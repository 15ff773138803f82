//! What a window may call, tested against the real access lists under Tauri's mock runtime; and the types that cross to the
//! page, compared with their committed TypeScript.

use std::{collections::BTreeSet, fs, path::Path};

use serde::Deserialize;
use serde_json::{Value, json};
use tauri::{
    App, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    ipc::{CallbackFn, InvokeBody},
    test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder},
    webview::InvokeRequest,
};
use ts_rs::TS;

use crate::commands::{self, about::About};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn app() -> App<MockRuntime> {
    mock_builder().invoke_handler(commands::handler()).build(crate::context()).expect("the mock app builds")
}

/// A window of the app. The mock runtime opens none from the configuration by itself.
fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default()).build().expect("the mock window opens")
}

/// The answer to a call from a window: the command's value, or the shell's refusal.
fn call(window: &WebviewWindow<MockRuntime>, command: &str) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.into(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().expect("a URL"),
        body: InvokeBody::default(),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize().expect("the answer is JSON"))
}

#[derive(Deserialize)]
struct PermissionFile {
    permission: Vec<Permission>,
}

#[derive(Deserialize)]
struct Permission {
    commands: Commands,
}

#[derive(Deserialize)]
struct Commands {
    allow: Vec<String>,
}

#[test]
fn the_main_window_learns_name_and_version() {
    let app = app();
    let window = window(&app, "main");
    assert_eq!(call(&window, "about"), Ok(json!({"name": "Fanfare", "version": env!("CARGO_PKG_VERSION")})));
}

#[test]
fn a_window_that_no_capability_lists_is_denied() {
    let app = app();
    let stranger = window(&app, "stranger");
    let refusal = call(&stranger, "about").expect_err("only the window `main` is listed");
    assert!(refusal.as_str().is_some_and(|words| words.contains("not allowed")), "{refusal}");
}

#[test]
fn tauris_own_commands_are_denied_to_the_main_window() {
    let app = app();
    let window = window(&app, "main");
    let refusal = call(&window, "plugin:event|emit").expect_err("the capability lists own commands alone");
    assert!(refusal.as_str().is_some_and(|words| words.contains("not allowed")), "{refusal}");
}

#[test]
fn the_permission_file_names_exactly_the_registered_commands() {
    let text = fs::read_to_string(Path::new(ROOT).join("src-tauri/permissions/app.toml")).expect("the file");
    let file: PermissionFile = toml::from_str(&text).expect("it is TOML");
    let named: Vec<&str> =
        file.permission.iter().flat_map(|one| &one.commands.allow).map(String::as_str).collect();
    let named_once: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!(named.len(), named_once.len(), "a command is named twice: {named:?}");
    assert_eq!(named_once, commands::NAMES.iter().copied().collect());
}

#[test]
fn the_committed_typescript_is_what_the_types_say() {
    let path = Path::new(ROOT).join("ui/src/backend/types/About.ts");
    let committed = fs::read_to_string(&path).expect("the committed type");
    let generated = About::export_to_string(&ts_rs::Config::new()).expect("the type exports");
    assert_eq!(committed, generated, "write the right-hand text to {}", path.display());
}
