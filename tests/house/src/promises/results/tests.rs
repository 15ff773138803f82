//! Records of test runs, as the runners write them.

use std::fs;

use super::*;

/// One line of Cargo's list of executables: a test executable of a package's target.
fn artifact(id: &str, kind: &str, name: &str, file: &str) -> String {
    serde_json::json!({
        "reason": "compiler-artifact",
        "package_id": id,
        "manifest_path": "/x/Cargo.toml",
        "target": {
            "kind": [kind], "crate_types": ["bin"], "name": name, "src_path": "/x/src/lib.rs",
            "edition": "2024", "doc": false, "doctest": false, "test": true,
        },
        "profile": {
            "opt_level": "0", "debuginfo": 1, "debug_assertions": true, "overflow_checks": true, "test": true,
        },
        "features": [],
        "filenames": [format!("/x/target/debug/deps/{file}")],
        "executable": format!("/x/target/debug/deps/{file}"),
        "fresh": true,
    })
    .to_string()
}

fn binaries() -> Binaries {
    let lines = [
        artifact("path+file:///x/rig#fanfare-rig@0.1.0", "lib", "fanfare_rig", "fanfare_rig-01"),
        artifact("path+file:///x/fanfarectl#0.1.0", "test", "cli", "cli-02"),
        artifact("path+file:///x/probe#fanfare-probe@0.1.0", "test", "cli", "cli-03"),
    ];
    Binaries::parse(&lines.join("\n"))
}

fn outcomes(log: &str) -> Vec<(Proof, Outcome)> {
    let mut results = Results::default();
    results.add_cargo_log(log, &binaries());
    results.outcomes.into_iter().collect()
}

#[test]
fn a_test_is_told_by_its_executable_not_by_its_files_name() {
    let log = "
     Running unittests src/lib.rs (target/debug/deps/fanfare_rig-01)
test card::tests::lost ... ok
test card::tests::panics - should panic ... ok
test card::tests::broken ... FAILED
test card::tests::slow ... ignored, takes an hour
     Running tests/cli.rs (/elsewhere/debug/deps/cli-02)
test resizes ... ok
     Running tests/cli.rs (target/debug/deps/cli-03)
test resizes ... FAILED
   Doc-tests fanfare_rig
test src/lib.rs - (line 3) ... ok
";
    assert_eq!(
        outcomes(log),
        [
            (Proof::test("fanfare-probe", "cli::resizes"), Outcome::Failed),
            (Proof::test("fanfare-rig", "card::tests::broken"), Outcome::Failed),
            (Proof::test("fanfare-rig", "card::tests::lost"), Outcome::Passed),
            (Proof::test("fanfare-rig", "card::tests::panics"), Outcome::Passed),
            (Proof::test("fanfare-rig", "card::tests::slow"), Outcome::Ignored),
            (Proof::test("fanfarectl", "cli::resizes"), Outcome::Passed),
        ]
    );
}

#[test]
fn a_test_that_says_it_skipped_is_skipped_though_it_passed() {
    let log = "
     Running tests/cli.rs (target/debug/deps/cli-02)
skipped: peers_agree: nvitop is not installed
test peers_agree ... ok
";
    assert_eq!(outcomes(log), [(Proof::test("fanfarectl", "cli::peers_agree"), Outcome::Skipped)]);
}

#[test]
fn a_skip_that_is_said_in_the_middle_of_another_tests_line_is_seen() {
    // The runner writes a line in pieces; the kit's `skip` begins a line of its own.
    let log = "
     Running tests/cli.rs (target/debug/deps/cli-02)
test resizes ... 
skipped: peers_agree: nvitop is not installed
ok
test peers_agree ... ok
";
    assert_eq!(
        outcomes(log),
        [
            (Proof::test("fanfarectl", "cli::peers_agree"), Outcome::Skipped),
            (Proof::test("fanfarectl", "cli::resizes"), Outcome::Passed),
        ]
    );
}

#[test]
fn a_test_that_the_run_with_the_peers_ran_is_judged_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let log = |file: &str, outcomes: &str| format!("     Running tests/cli.rs (x/{file})\n{outcomes}");
    for (list, file) in [("binaries.json", "cli-02"), ("binaries-peers.json", "cli-09")] {
        fs::write(at(list), artifact("path+file:///x/fanfarectl#0.1.0", "test", "cli", file)).unwrap();
    }
    fs::write(at("vitest.json"), r#"{"testResults": []}"#).unwrap();
    fs::write(at("cargo.log"), log("cli-02", "test agrees ... ignored, needs it\ntest left ... ignored\n"))
        .unwrap();
    fs::write(at("cargo-peers.log"), log("cli-09", "test agrees ... ok\n")).unwrap();
    let files = ResultFiles { folder: folder.path().into(), bench: at("bench.json"), page: "/x/ui".into() };
    let results = Results::read(&files).unwrap();
    assert_eq!(results.outcome(&Proof::test("fanfarectl", "cli::agrees")), Some(Outcome::Passed));
    assert_eq!(results.outcome(&Proof::test("fanfarectl", "cli::left")), Some(Outcome::Ignored));
}

#[test]
fn words_between_a_tests_name_and_its_end_do_not_hide_it() {
    let log = "
     Running unittests src/lib.rs (target/debug/deps/fanfare_rig-01)
test speaks ... a warning of the system
ok
test silent ... ok
";
    assert_eq!(
        outcomes(log),
        [
            (Proof::test("fanfare-rig", "silent"), Outcome::Passed),
            (Proof::test("fanfare-rig", "speaks"), Outcome::Passed),
        ]
    );
}

#[test]
fn scripts_page_tests_and_benches_are_read_from_their_records() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("binaries.json"), "").unwrap();
    fs::write(at("cargo.log"), "script scripts/a.sh ... ok\n").unwrap();
    fs::write(
        at("vitest.json"),
        r#"{"testResults": [{"name": "/x/ui/src/a.test.ts", "assertionResults": [
            {"title": "holds", "status": "passed"}, {"title": "waits", "status": "pending"}]}]}"#,
    )
    .unwrap();
    fs::write(at("bench.json"), r#"[{"name": "fast", "pass": true}, {"name": "slow", "pass": false},
            {"name": "both 5 us", "pass": true}, {"name": "both 50 us", "pass": false}, {"name": "faster", "pass": false}]"#)
        .unwrap();
    let files = ResultFiles { folder: folder.path().into(), bench: at("bench.json"), page: "/x/ui".into() };
    let results = Results::read(&files).unwrap();
    let outcome = |text: &str| results.outcome(&text.parse().unwrap());
    assert_eq!(outcome("script:scripts/a.sh"), Some(Outcome::Passed));
    assert_eq!(outcome("script:scripts/b.sh"), None);
    assert_eq!(outcome("vitest:src/a.test.ts#holds"), Some(Outcome::Passed));
    assert_eq!(outcome("vitest:src/a.test.ts#waits"), Some(Outcome::Skipped));
    assert_eq!(outcome("bench:fast"), Some(Outcome::Passed));
    assert_eq!(outcome("bench:slow"), Some(Outcome::Failed));
    assert_eq!(outcome("bench:both"), Some(Outcome::Failed));
    assert_eq!(outcome("bench:absent"), None);
}
