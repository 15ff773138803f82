//! What a window may call, and how its calls are answered, tested against the real access lists under Tauri's mock runtime; and the
//! types that cross to the page, compared with their committed TypeScript.

use std::{collections::BTreeSet, fs, path::Path};

use fanfare_rig::clock::Clock;
use serde::Deserialize;
use serde_json::{Value, json};
use tauri::{
    App, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    ipc::{CallbackFn, InvokeBody},
    test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder},
    webview::InvokeRequest,
};
use ts_rs::TS;

use crate::{
    commands::{self, about::About},
    ending::Ending,
    exports::Exports,
    rig::Rig,
    stream,
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const CARD: &str = "GPU-00000000-0000-0000-0000-000000000001";

/// The app over a rig whose engine did not start: its commands are all there, and say so.
fn app() -> App<MockRuntime> {
    app_with(Exports::at(None))
}

/// The same, with files for the owner going there.
fn app_with(exports: Exports) -> App<MockRuntime> {
    let app = mock_builder()
        .invoke_handler(commands::handler())
        .build(crate::context())
        .expect("the mock app builds");
    let (page, _) = stream::page();
    app.manage(Rig::failed("the disk is gone"));
    app.manage(page);
    app.manage(Clock::of_this_boot().expect("a clock"));
    app.manage(Ending::default());
    app.manage(exports);
    app
}

/// A window of the app. The mock runtime opens none from the configuration by itself.
fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default()).build().expect("the mock window opens")
}

/// The answer to a call from a window: the command's value, or the shell's refusal.
fn call(window: &WebviewWindow<MockRuntime>, command: &str, arguments: Value) -> Result<Value, Value> {
    call_with(window, command, InvokeBody::Json(arguments), &[])
}

/// The same with any body and with headers.
fn call_with(
    window: &WebviewWindow<MockRuntime>,
    command: &str,
    body: InvokeBody,
    headers: &[(&'static str, &'static str)],
) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.into(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().expect("a URL"),
        body,
        headers: headers
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize().expect("the answer is JSON"))
}

/// Whether the answer is Tauri's refusal, which no command makes.
fn is_denied(answer: &Result<Value, Value>) -> bool {
    answer.as_ref().is_err_and(|refusal| refusal.as_str().is_some_and(|words| words.contains("not allowed")))
}

#[derive(Deserialize)]
struct PermissionFile {
    permission: Vec<Permission>,
}

#[derive(Deserialize)]
struct Permission {
    identifier: String,
    commands: Commands,
}

#[derive(Deserialize)]
struct Commands {
    allow: Vec<String>,
}

fn permissions() -> Vec<Permission> {
    let text = fs::read_to_string(Path::new(ROOT).join("src-tauri/permissions/app.toml")).expect("the file");
    toml::from_str::<PermissionFile>(&text).expect("it is TOML").permission
}

#[test]
fn the_main_window_learns_name_and_version() {
    let app = app();
    let window = window(&app, "main");
    let about = json!({"name": "Fanfare", "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(call(&window, "about", json!({})), Ok(about));
}

#[test]
fn every_command_is_denied_to_a_window_that_no_capability_lists() {
    let app = app();
    let stranger = window(&app, "stranger");
    for command in commands::NAMES {
        let answer = call(&stranger, command, json!({}));
        assert!(is_denied(&answer), "{command}: {answer:?}");
    }
}

#[test]
fn no_command_is_denied_to_the_main_window() {
    let app = app();
    let window = window(&app, "main");
    for command in commands::NAMES {
        let answer = call(&window, command, json!({}));
        assert!(!is_denied(&answer), "{command}: {answer:?}");
    }
}

#[test]
fn tauris_own_commands_are_denied_to_the_main_window() {
    let app = app();
    let window = window(&app, "main");
    for command in ["plugin:event|emit", "plugin:event|listen", "plugin:window|close", "plugin:app|version"] {
        let answer = call(&window, command, json!({}));
        assert!(is_denied(&answer), "{command}: {answer:?}");
    }
}

#[test]
fn the_permission_file_names_exactly_the_registered_commands() {
    let permissions = permissions();
    let named: Vec<&str> =
        permissions.iter().flat_map(|one| &one.commands.allow).map(String::as_str).collect();
    let named_once: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!(named.len(), named_once.len(), "a command is named twice: {named:?}");
    assert_eq!(named_once, commands::NAMES.iter().copied().collect());
}

#[test]
fn the_capability_is_for_the_main_window_and_grants_the_permissions_of_the_file_alone() {
    let text =
        fs::read_to_string(Path::new(ROOT).join("src-tauri/capabilities/main.json")).expect("the file");
    let capability: Value = serde_json::from_str(&text).expect("it is JSON");
    let permitted: Vec<String> = permissions().into_iter().map(|one| one.identifier).collect();
    assert_eq!(capability["windows"], json!(["main"]));
    assert_eq!(capability["permissions"], json!(permitted));
    assert_eq!(capability.get("remote"), None);
}

#[test]
fn a_command_without_its_argument_names_the_argument() {
    let app = app();
    let window = window(&app, "main");
    let table = [
        ("rig_subscribe", json!({}), "channel"),
        ("rig_acknowledge", json!({}), "number"),
        ("page_visible", json!({}), "visible"),
        ("card_page", json!({}), "uuid"),
        ("mark_own_job", json!({"own": true}), "uuid"),
        ("mark_own_job", json!({"uuid": CARD}), "own"),
        ("forget_card", json!({}), "uuid"),
        ("change_settings", json!({}), "patch"),
        ("reset_settings", json!({}), "section"),
        ("reset_settings", json!({"section": "everything"}), "section"),
        ("show_profile", json!({}), "profile"),
        ("show_profile", json!({"profile": "other"}), "profile"),
    ];
    for (command, arguments, missing) in table {
        let answer = call(&window, command, arguments);
        let words = answer.as_ref().err().and_then(Value::as_str).unwrap_or_default();
        assert!(words.contains(&format!("invalid args `{missing}`")), "{command}: {answer:?}");
    }
}

#[test]
fn an_engine_that_did_not_start_is_said_by_every_command_that_needs_one_in_the_one_shape_of_errors() {
    let app = app();
    let window = window(&app, "main");
    let table = [
        ("rig_subscribe", json!({"channel": "__CHANNEL__:1"})),
        ("recent", json!({})),
        ("card_page", json!({"uuid": CARD})),
        ("settings", json!({})),
        ("engine_info", json!({})),
        ("mark_own_job", json!({"uuid": CARD, "own": true})),
        ("forget_card", json!({"uuid": CARD})),
        ("change_settings", json!({"patch": {}})),
        ("reset_settings", json!({"section": "money"})),
    ];
    let not_started = json!({
        "code": "not_started",
        "message": "the engine did not start",
        "detail": "the disk is gone",
    });
    for (command, arguments) in table {
        assert_eq!(call(&window, command, arguments), Err(not_started.clone()), "{command}");
    }
}

#[test]
fn a_file_for_the_owner_is_of_bytes_with_a_name_and_a_kind_and_is_told_where_it_lies() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = app_with(Exports::at(Some(folder.path())));
    let window = window(&app, "main");
    let named = [("Fanfare-Name", "rig"), ("Fanfare-Kind", "csv")];
    let bytes = || InvokeBody::Raw(b"time".to_vec());
    for (body, headers, why) in [
        (InvokeBody::Json(json!({})), &named[..], "the body is not bytes"),
        (bytes(), &named[1..], "no name was given"),
        (bytes(), &named[..1], "\"\" is no kind of file: csv or png"),
    ] {
        let refusal = call_with(&window, "keep_export", body, headers).expect_err(why);
        assert_eq!((&refusal["code"], &refusal["detail"]), (&json!("not_exported"), &json!(why)));
    }
    let path = folder.path().join("rig.csv");
    assert_eq!(call_with(&window, "keep_export", bytes(), &named), Ok(json!(path)));
    assert_eq!(fs::read(path).expect("it is there"), b"time");
}

#[test]
fn what_is_no_cards_name_is_the_name_of_no_card() {
    let app = app();
    let window = window(&app, "main");
    for (command, arguments) in
        [("card_page", json!({"uuid": "7"})), ("forget_card", json!({"uuid": "../../etc"}))]
    {
        let refusal = call(&window, command, arguments).expect_err("it is no UUID");
        assert_eq!(refusal["code"], "unknown_card", "{command}: {refusal}");
    }
}

#[test]
fn the_committed_typescript_is_what_the_types_say() {
    let path = Path::new(ROOT).join("ui/src/backend/types/About.ts");
    let committed = fs::read_to_string(&path).expect("the committed type");
    let generated = About::export_to_string(&ts_rs::Config::new()).expect("the type exports");
    assert_eq!(committed, generated, "write the right-hand text to {}", path.display());
}
