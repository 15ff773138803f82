//! Scenario files, right and wrong.

use super::*;
use crate::effects::Target;
use crate::symbols::Symbol;

fn refused(text: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("night.toml");
    std::fs::write(&file, text).unwrap();
    let error = read(&file, 8).unwrap_err().to_string();
    error.strip_prefix(&format!("{}:", dir.path().join("night.toml").display())).unwrap().to_owned()
}

#[test]
fn each_mistake_is_told_with_its_line_and_word() {
    let entry = |rest: &str| format!("# a comment\n\n[[at]]\ntime = \"5s\"\n{rest}\n");
    let cases = [
        ("[[at]\n".to_owned(), "1: "),
        ("speed = 3\n".to_owned(), "1: unknown key `speed`"),
        ("at = 3\n".to_owned(), "1: `at` must be a list of tables, [[at]], not `integer`"),
        (entry("do = \"loose\"\ncard = 1"), "5: unknown verb `loose` (there are: load, temp,"),
        (entry("do = \"lose\"\ncrad = 1"), "6: unknown key `crad` for `lose`"),
        (entry("do = \"find\"\ncard = 1\nfor = \"3s\""), "7: unknown key `for` for `find`"),
        (entry("card = 1"), "3: `do` is missing"),
        (entry("do = \"lose\""), "3: `card` is missing"),
        ("[[at]]\ndo = \"reload\"\n".to_owned(), "1: `time` is missing"),
        (entry("do = \"lose\"\ncard = 8"), "6: no card 8: the rig has slots 0 to 7"),
        (entry("do = \"lose\"\ncard = -1"), "6: no card -1: the rig has slots 0 to 7"),
        (entry("do = \"lose\"\ncard = \"two\""), "6: `card` must be a slot, a whole number, not `two`"),
        (entry("do = \"lose\"\ncard = 1\nfor = \"5 parsecs\""), "7: `for` must be a span of time such as"),
        ("[[at]]\ntime = 5\ndo = \"reload\"\n".to_owned(), "2: `time` must be a span of time such as"),
        (entry("do = \"xid\"\ncard = 1\ncode = 0"), "7: Xid must lie in 1..=999, not 0"),
        (entry("do = \"load\"\ncard = 1\npercent = 101"), "7: load must lie in 0..=100, not 101"),
        (entry("do = \"load\"\ncard = 1\npercent = \"full\""), "7: `percent` must be a whole number, or"),
        (
            entry("do = \"hang\"\ncard = \"all\"\nsymbol = \"nvmlMagic\""),
            "7: the simulated driver has no symbol `nvmlMagic`",
        ),
        (
            entry("do = \"link\"\ncard = 1\ngeneration = 4\nwidth = 0"),
            "8: link width must lie in 1..=32, not 0",
        ),
        (entry("do = \"mismatch\"\non = \"yes\""), "6: `on` must be true or false, not `yes`"),
        (entry("do = \"order\"\nslots = [0, 0]"), "6: an order names each slot at most once"),
        (entry("do = \"order\"\nslots = [0, 9]"), "6: no card 9: the rig has slots 0 to 7"),
        (entry("do = \"writes\"\nwho = \"root\""), "6: `who` must be `anyone` or `privileged`, not `root`"),
    ];
    for (text, expected) in cases {
        let error = refused(&text);
        assert!(error.starts_with(expected), "{text}gave\n{error}\nnot\n{expected}");
    }
}

#[test]
fn every_verb_is_read_and_entries_are_put_in_order_of_time() {
    let text = r#"
        at = [
            { time = "2s", do = "find", card = 1 },
            { time = "1s", do = "lose", card = 1 },
            { time = "3s", do = "hang", card = "all", symbol = "nvmlDeviceGetName", for = "1.5m" },
            { time = "4s", do = "error", code = 999, card = 2, symbol = "field:185", for = "10ms" },
            { time = "5s", do = "error", code = "none" },
            { time = "6s", do = "load", card = 0, percent = "schedule" },
            { time = "7s", do = "temp", card = 0, celsius = 95 },
            { time = "8s", do = "order", slots = [1, 0] },
            { time = "9s", do = "add" },
            { time = "10s", do = "xid", card = 8, code = 79 },
        ]"#;
    let planned = parse(text, 8).unwrap();
    let seconds: Vec<u64> = planned.iter().map(|one| one.at.as_secs()).collect();
    assert_eq!(seconds, (1..=10).collect::<Vec<_>>());
    let effect = |index: usize| planned[index].effect.clone();
    assert_eq!(effect(0), Effect::Lose { card: 1 });
    let symbol = Some(Symbol::DeviceGetName);
    assert_eq!(effect(2), Effect::Hang { target: Target::All, symbol });
    assert_eq!(planned[2].span, Some(Duration::from_secs(90)));
    assert_eq!(effect(3), Effect::Error { code: 999, card: Some(2), symbol: Some(Symbol::Field185) });
    assert_eq!(effect(4), Effect::ClearErrors { card: None, symbol: None });
    assert_eq!(effect(5), Effect::Load { card: 0, percent: None });
    assert_eq!(effect(7), Effect::Order { slots: vec![1, 0] });
    // Slot 8 exists only because of the `add`.
    assert_eq!(effect(9), Effect::Xid { card: 8, code: 79 });
}

#[test]
fn durations_have_a_number_and_a_unit() {
    for (text, millis) in [
        ("500ms", Some(500)),
        ("1.5s", Some(1500)),
        ("2m", Some(120_000)),
        ("3h", Some(10_800_000)),
        ("1d", Some(86_400_000)),
        ("2000us", Some(2)),
        ("5", None),
        ("s", None),
        ("-5s", None),
        ("5 s", None),
        ("1.2.3s", None),
        ("5y", None),
        ("", None),
        ("1001d", None),
    ] {
        assert_eq!(parse_duration(text), millis.map(Duration::from_millis), "{text}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = read(Path::new("/nonexistent/night.toml"), 8).unwrap_err().to_string();
    assert!(error.starts_with("/nonexistent/night.toml: "), "{error}");
}
