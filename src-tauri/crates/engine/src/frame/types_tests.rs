//! The types that cross to the page, compared with their committed TypeScript. `FANFARE_WRITE_TYPES=1` writes them.

use std::{env, fs, path::Path};

use ts_rs::{Config, TS};

use super::{CardPage, FramePart, Recent, RigFrame};
use crate::{
    api::{ApiError, CourseQuestion, EnergyReport, EngineInfo, HistoryUsage, Marks, WeekReport},
    settings::{Section, Settings, SettingsPatch},
};

#[test]
fn the_committed_typescript_is_what_the_types_say() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/backend/types");
    let fresh = tempfile::tempdir().unwrap();
    let write = env::var_os("FANFARE_WRITE_TYPES").is_some();
    let config = Config::new().with_out_dir(if write { committed.as_path() } else { fresh.path() });
    RigFrame::export_all(&config).unwrap();
    Recent::export_all(&config).unwrap();
    FramePart::export_all(&config).unwrap();
    CardPage::export_all(&config).unwrap();
    EngineInfo::export_all(&config).unwrap();
    CourseQuestion::export_all(&config).unwrap();
    Marks::export_all(&config).unwrap();
    HistoryUsage::export_all(&config).unwrap();
    EnergyReport::export_all(&config).unwrap();
    WeekReport::export_all(&config).unwrap();
    ApiError::export_all(&config).unwrap();
    Settings::export_all(&config).unwrap();
    SettingsPatch::export_all(&config).unwrap();
    Section::export_all(&config).unwrap();
    for file in fs::read_dir(fresh.path()).unwrap() {
        let file = file.unwrap();
        let generated = fs::read_to_string(file.path()).unwrap();
        let kept = fs::read_to_string(committed.join(file.file_name())).unwrap_or_default();
        assert_eq!(
            kept,
            generated,
            "{} differs: run this test with FANFARE_WRITE_TYPES=1",
            file.file_name().display()
        );
    }
}
