//! The client against programs that are no probe, or a broken one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::{path::PathBuf, time::Duration};

use fanfare_engine::probe::{Heard, ProbeClient, ProbeCommand, ProbeError};
use fanfare_testkit::{PATIENCE, script};
use tempfile::TempDir;
use tokio::time::timeout;

/// A line as a probe without cards writes it.
const EMPTY_SWEEP: &str = r#"{"v":1,"line":{"sweep":{"sweep":1,"at":{"wall":"2026-11-30T00:00:00Z","boottime_us":1,"boot":"0123456789abcdef0123456789abcdef"},"driver":null,"roster":"starting","cards":[],"unreachable":[],"events":[],"events_dropped":0}}}"#;

/// A "probe" that runs this shell script, with its folder.
fn probe_of(body: &str) -> (TempDir, ProbeCommand) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("probe");
    script(body, &path);
    let command = ProbeCommand { interval: Duration::from_millis(50), ..ProbeCommand::of(path) };
    (folder, command)
}

async fn hear(client: &mut ProbeClient) -> Result<Heard, ProbeError> {
    timeout(PATIENCE, client.hear()).await.unwrap()
}

/// What is heard until the end, sweeps and garbage counted, and how it ended.
async fn hear_out(client: &mut ProbeClient) -> (usize, usize, ProbeError) {
    let (mut sweeps, mut garbage) = (0, 0);
    loop {
        match hear(client).await {
            Ok(Heard::Sweep(_)) => sweeps += 1,
            Ok(Heard::Garbage(_)) => garbage += 1,
            Ok(Heard::Silence(_)) => {}
            Err(error) => return (sweeps, garbage, error),
        }
    }
}

#[tokio::test]
async fn a_line_of_garbage_between_good_ones_is_passed_over() {
    let (_folder, command) =
        probe_of(&format!("echo '{EMPTY_SWEEP}'; echo 'ERR!'; printf '\\377\\376\\n'; echo '{EMPTY_SWEEP}'"));
    let (sweeps, garbage, end) = hear_out(&mut ProbeClient::start(&command).unwrap()).await;
    assert_eq!((sweeps, garbage), (2, 2));
    assert!(matches!(end, ProbeError::Ended { .. }), "{end}");
}

#[tokio::test]
async fn ten_lines_of_garbage_in_a_row_are_no_probe() {
    let (_folder, command) = probe_of("while echo garbage; do :; done");
    let mut client = ProbeClient::start(&command).unwrap();
    let (sweeps, garbage, end) = hear_out(&mut client).await;
    assert_eq!((sweeps, garbage), (0, 9));
    assert!(matches!(end, ProbeError::Babble(_)), "{end}");
}

#[tokio::test]
async fn half_a_line_at_the_end_is_garbage_and_not_a_sweep() {
    let half = &EMPTY_SWEEP[..EMPTY_SWEEP.len() / 2];
    let (_folder, command) = probe_of(&format!("echo '{EMPTY_SWEEP}'; printf '%s' '{half}'"));
    let (sweeps, garbage, _) = hear_out(&mut ProbeClient::start(&command).unwrap()).await;
    assert_eq!((sweeps, garbage), (1, 1));
}

#[tokio::test]
async fn a_line_without_end_is_not_held_in_memory() {
    let (_folder, command) = probe_of("exec tr '\\0' x < /dev/zero");
    let (_, _, end) = hear_out(&mut ProbeClient::start(&command).unwrap()).await;
    assert!(matches!(end, ProbeError::Output(_)), "{end}");
}

#[tokio::test]
async fn a_newer_version_is_named_even_in_a_shape_nobody_knows() {
    let (_folder, command) = probe_of(r#"echo '{"v":2,"stream":["something","else"]}'"#);
    let end = hear(&mut ProbeClient::start(&command).unwrap()).await.unwrap_err();
    assert!(matches!(end, ProbeError::Version { theirs: 2 }), "{end}");
}

#[tokio::test]
async fn a_field_that_a_later_build_added_is_ignored() {
    let added = EMPTY_SWEEP.replace(r#""cards":[]"#, r#""cards":[],"weather":"fine""#);
    let (_folder, command) = probe_of(&format!("echo '{added}'"));
    let (sweeps, garbage, _) = hear_out(&mut ProbeClient::start(&command).unwrap()).await;
    assert_eq!((sweeps, garbage), (1, 0));
}

#[tokio::test]
async fn a_probe_that_says_nothing_is_silent_and_stays_so() {
    let (_folder, command) = probe_of("exec sleep 600");
    let mut client = ProbeClient::start(&command).unwrap();
    let mut spans = Vec::new();
    for _ in 0..3 {
        match hear(&mut client).await.unwrap() {
            Heard::Silence(span) => spans.push(span),
            other => panic!("{other:?}"),
        }
    }
    // Three intervals of 50 ms before the first word of it, one more before each next.
    assert!(spans[0] >= Duration::from_millis(150), "{spans:?}");
    assert!(spans.is_sorted(), "{spans:?}");
}

#[tokio::test]
async fn a_probe_that_dies_tells_its_last_words() {
    let (_folder, command) = probe_of("echo 'something broke' >&2; exit 70");
    let end = hear(&mut ProbeClient::start(&command).unwrap()).await.unwrap_err();
    let ProbeError::Ended { status, words } = &end else { panic!("{end}") };
    assert_eq!(status.unwrap().code(), Some(70));
    assert_eq!(words, &["something broke"]);
}

#[tokio::test]
async fn a_probe_that_ignores_its_input_and_sigterm_is_killed() {
    let (_folder, command) = probe_of("trap '' TERM; while :; do sleep 600 & wait; done");
    let client = ProbeClient::start(&command).unwrap();
    let status = timeout(PATIENCE, client.stop()).await.unwrap().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
}

#[tokio::test]
async fn a_probe_that_is_nowhere_is_said_to_be() {
    let command = ProbeCommand::of("/nonexistent/fanfare-probe".into());
    let error = ProbeClient::start(&command).unwrap_err();
    assert!(matches!(error, ProbeError::Absent(_)), "{error}");
}
