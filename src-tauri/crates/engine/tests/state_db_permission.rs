//! `state.db` in a directory that this user may not write. As root these tests would prove nothing: they run themselves again as
//! the user that owns nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::fs;

use fanfare_engine::{
    settings::{Appearance, SettingsPatch, Theme},
    state_db::StateDb,
};
use fanfare_testkit::{foreign_data, over_foreign_data};
use jiff::Timestamp;

#[test]
fn without_a_file_a_directory_that_may_not_be_written_is_an_error_with_a_reason() {
    over_foreign_data("nothing_can_be_begun", |_| {});
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn nothing_can_be_begun() {
    let refused = StateDb::open_or_begin(&foreign_data(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(refused.to_string().contains("unable to open database file"), "{refused}");
    assert!(StateDb::read(&foreign_data()).unwrap().is_none());
}

#[test]
fn a_file_that_may_not_be_written_is_read_and_not_taken_for_damaged() {
    over_foreign_data("what_is_stored_can_be_read", |data| {
        let mut db = StateDb::open(data).unwrap();
        let appearance = Appearance { theme: Theme::Dark, ..Appearance::default() };
        db.change_settings(&SettingsPatch { appearance: Some(appearance), ..SettingsPatch::default() })
            .unwrap();
    });
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn what_is_stored_can_be_read() {
    StateDb::open_or_begin(&foreign_data(), Timestamp::UNIX_EPOCH).unwrap_err();
    let mut db = StateDb::read(&foreign_data()).unwrap().unwrap();
    assert_eq!(db.settings().unwrap().appearance.theme, Theme::Dark);
    assert_eq!(db.inventory().unwrap().members().count(), 0);
    db.change_settings(&SettingsPatch {
        appearance: Some(Appearance::default()),
        ..SettingsPatch::default()
    })
    .unwrap_err();
}

#[test]
fn a_damaged_file_that_may_not_be_moved_is_said_and_left() {
    over_foreign_data("damage_stays_where_it_is", |data| {
        fs::write(data.join(StateDb::FILE), [0x55; 8_192]).unwrap();
    });
}

#[test]
#[ignore = "run by the one above, as nobody"]
fn damage_stays_where_it_is() {
    let refused = StateDb::open_or_begin(&foreign_data(), Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(refused.to_string().contains("could not be set aside"), "{refused}");
}
