use std::fs;

use super::*;
use crate::settings::{Language, Theme};

fn now() -> Timestamp {
    Timestamp::from_second(1_000).unwrap()
}

fn appearance() -> Appearance {
    Appearance { language: Language::ZhCn, theme: Theme::Dark, safe_rendering: true }
}

fn money() -> MoneySettings {
    let tariff = serde_json::json!({
        "currency": "CNY", "zone": "Asia/Shanghai", "valid_from": "2026-01-01", "valid_to": null,
        "rate": {"kind": "single", "per_kwh": "0.6359"}, "surcharge_per_kwh": "0.16", "monthly_fee": "0",
    });
    MoneySettings {
        currency: "CNY".into(),
        zone: "Asia/Shanghai".into(),
        day_begins: 8,
        tariff: serde_json::from_value(tariff).unwrap(),
    }
}

fn patch() -> SettingsPatch {
    let reading = ReadingSettings { nvml_library: Some("/opt/libnvidia-ml.so.1".into()) };
    SettingsPatch {
        appearance: Some(appearance()),
        reading: Some(reading),
        money: Some(money()),
        ..SettingsPatch::default()
    }
}

/// Writes a row as no program of ours would.
fn put(db: &StateDb, section: &str, version: i64, json: &[u8]) {
    db.connection
        .execute("INSERT OR REPLACE INTO setting VALUES (?1, ?2, CAST(?3 AS TEXT))", (section, version, json))
        .unwrap();
}

fn stored(db: &StateDb, section: &str) -> Value {
    let json: String = db
        .connection
        .query_row("SELECT json FROM setting WHERE section = ?1", [section], |row| row.get(0))
        .unwrap();
    serde_json::from_str(&json).unwrap()
}

#[test]
fn settings_outlive_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    assert_eq!(db.settings().unwrap(), Settings::default());
    let changed = db.change_settings(&patch()).unwrap();
    assert_eq!((&changed.appearance, &changed.money), (&appearance(), &money()));
    assert_eq!(changed.reading.nvml_library.as_deref(), Some("/opt/libnvidia-ml.so.1"));
    drop(db);
    assert_eq!(StateDb::open(folder.path()).unwrap().settings().unwrap(), changed);
    assert_eq!(StateDb::read(folder.path()).unwrap().unwrap().settings().unwrap(), changed);
}

#[test]
fn a_change_touches_its_own_sections_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    let before = db.change_settings(&patch()).unwrap();
    let light = Appearance { theme: Theme::Light, ..appearance() };
    let after = db
        .change_settings(&SettingsPatch { appearance: Some(light.clone()), ..SettingsPatch::default() })
        .unwrap();
    assert_eq!(after, Settings { appearance: light, ..before });
}

#[test]
fn a_patch_with_one_bad_value_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    let bad = SettingsPatch { money: Some(MoneySettings { day_begins: 24, ..money() }), ..patch() };
    let refused = ApiError::from(db.change_settings(&bad).unwrap_err());
    assert_eq!((refused.code, refused.detail.as_deref()), (ErrorCode::BadSetting, Some("money.day_begins")));
    assert_eq!(db.settings().unwrap(), Settings::default());
}

#[test]
fn a_section_is_reset_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    let changed = db.change_settings(&patch()).unwrap();
    let reset = db.reset_settings(Section::Appearance).unwrap();
    assert_eq!(reset, Settings { appearance: Appearance::default(), ..changed });
    assert_eq!(db.settings().unwrap(), reset);
}

#[test]
fn a_damaged_section_is_reset_alone_and_its_text_kept() {
    let broken: [(i64, &[u8]); 9] = [
        (1, b""),
        (1, b"{\"currency\":\"CN"),
        (1, b"[1,2]"),
        (1, b"{\"currency\":5}"),
        (1, b"{\"currency\":\"XXX\"}"),
        (1, b"{\"day_begins\":24}"),
        (1, b"{\"tariff\":{\"currency\":\"CNY\"}}"),
        (1, b"\xff\xfe\x00"),
        (2, b"{\"currency\":\"CNY\"}"),
    ];
    for (version, json) in broken {
        let folder = tempfile::tempdir().unwrap();
        let mut db = StateDb::open(folder.path()).unwrap();
        let whole = db.change_settings(&patch()).unwrap();
        put(&db, "money", version, json);
        let expected = Settings { money: MoneySettings::default(), ..whole };
        assert_eq!(db.settings().unwrap(), expected, "a reader sees defaults: {json:?}");
        assert_eq!(db.reset_damaged_settings(now()).unwrap(), [Section::Money], "{json:?}");
        assert_eq!(db.settings().unwrap(), expected);
        let kept: (String, String, i64, Vec<u8>) = db
            .connection
            .query_row("SELECT at, section, version, CAST(json AS BLOB) FROM setting_damaged", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .unwrap();
        assert_eq!(kept, (now().to_string(), "money".into(), version, json.to_vec()));
        assert_eq!(db.reset_damaged_settings(now()).unwrap(), [], "once");
    }
}

#[test]
fn a_section_too_long_to_be_ours_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    let long = format!("{{\"currency\":\"CNY\",\"note\":\"{}\"}}", "x".repeat(LONGEST_JSON));
    put(&db, "money", 1, long.as_bytes());
    assert_eq!(db.settings().unwrap().money, MoneySettings::default());
    assert_eq!(db.reset_damaged_settings(now()).unwrap(), [Section::Money]);
}

#[test]
fn sixteen_damaged_texts_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    for number in 0..20 {
        put(&db, "money", 1, format!("broken {number}").as_bytes());
        db.reset_damaged_settings(now()).unwrap();
    }
    let kept: (i64, String) = db
        .connection
        .query_row(
            "SELECT count(*), (SELECT json FROM setting_damaged ORDER BY id LIMIT 1) FROM setting_damaged",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!(kept, (16, "broken 4".into()));
}

#[test]
fn a_field_of_a_later_build_is_kept_by_a_change_and_goes_with_a_reset() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    put(&db, "appearance", 1, br#"{"language":"en","theme":"dark","safe_rendering":false,"accent":"teal"}"#);
    assert_eq!(db.settings().unwrap().appearance.theme, Theme::Dark);
    db.change_settings(&SettingsPatch { appearance: Some(appearance()), ..SettingsPatch::default() })
        .unwrap();
    assert_eq!(stored(&db, "appearance")["accent"], "teal");
    assert_eq!(stored(&db, "appearance")["language"], "zh-cn");
    db.reset_settings(Section::Appearance).unwrap();
    db.change_settings(&SettingsPatch { appearance: Some(appearance()), ..SettingsPatch::default() })
        .unwrap();
    assert_eq!(stored(&db, "appearance").get("accent"), None);
}

#[test]
fn a_field_that_an_earlier_build_did_not_have_has_its_default() {
    let folder = tempfile::tempdir().unwrap();
    let db = StateDb::open(folder.path()).unwrap();
    put(&db, "money", 1, br#"{"currency":"EUR"}"#);
    let expected = MoneySettings { currency: "EUR".into(), ..MoneySettings::default() };
    assert_eq!(db.settings().unwrap().money, expected);
}

#[test]
fn a_change_that_cannot_be_written_is_said_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    let before = db.settings().unwrap();
    db.connection.pragma_update(None, "query_only", true).unwrap();
    let refused = ApiError::from(db.change_settings(&patch()).unwrap_err());
    assert_eq!(refused.code, ErrorCode::NotStored);
    assert_eq!(db.settings().unwrap(), before);
    assert!(fs::exists(folder.path().join(StateDb::FILE)).unwrap());
}
