use std::{fs, sync::mpsc, thread, time::Duration};

use fanfare_dbfile::DbError;
use fanfare_rig::{CardUuid, Member, Seen, Standing};
use jiff::Timestamp;

use super::*;

fn uuid(digit: char) -> CardUuid {
    let digits = |n: usize| digit.to_string().repeat(n);
    format!("GPU-{}-{}-{}-{}-{}", digits(8), digits(4), digits(4), digits(4), digits(12)).parse().unwrap()
}

fn member(digit: char, standing: Standing) -> Member {
    Member {
        uuid: uuid(digit),
        slot: Some("0000:01:00.0".parse().unwrap()),
        name: Some("NVIDIA GeForce RTX 4060".into()),
        first_seen: Timestamp::from_second(100).unwrap(),
        last_seen: Timestamp::from_second(200).unwrap(),
        standing,
    }
}

#[test]
fn an_inventory_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let inventory = Inventory::of([
        member('a', Standing::Expected),
        member('b', Standing::Replaced { by: uuid('a') }),
        Member { slot: None, name: None, ..member('c', Standing::Forgotten) },
    ]);
    StateDb::open(folder.path()).unwrap().store_inventory(&inventory).unwrap();
    assert_eq!(StateDb::open(folder.path()).unwrap().inventory().unwrap(), inventory);
    assert_eq!(StateDb::read(folder.path()).unwrap().unwrap().inventory().unwrap(), inventory);
}

#[test]
fn when_a_card_was_first_met_never_changes() {
    let folder = tempfile::tempdir().unwrap();
    let mut db = StateDb::open(folder.path()).unwrap();
    db.store_inventory(&Inventory::of([member('a', Standing::Expected)])).unwrap();
    let later = Timestamp::from_second(900).unwrap();
    let mut inventory = db.inventory().unwrap();
    inventory.observe(&[Seen { uuid: uuid('a'), slot: None, name: None, heard: true }], later);
    db.store_inventory(&inventory).unwrap();
    let stored = db.inventory().unwrap().member(&uuid('a')).cloned().unwrap();
    assert_eq!((stored.first_seen.as_second(), stored.last_seen.as_second()), (100, 900));
}

#[test]
fn a_reader_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    assert!(StateDb::read(folder.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
    let before = fs::read(&path).unwrap();
    for refused in [StateDb::open(folder.path()).err(), StateDb::read(folder.path()).err()] {
        assert!(
            matches!(refused, Some(StateDbError::File(DbError::Newer { theirs, .. })) if theirs == VERSION + 1),
            "{refused:?}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), before, "a refused file is not touched");
}

#[test]
fn a_file_is_backed_up_before_its_migration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    let mut old = Connection::open(&path).unwrap();
    old.execute_batch("CREATE TABLE precious (words TEXT); INSERT INTO precious VALUES ('kept');").unwrap();
    let step = Migrations::new(vec![M::up("SELECT 1"), M::up("ALTER TABLE precious RENAME TO moved")]);
    old.pragma_update(None, "user_version", 1).unwrap();
    fanfare_dbfile::copy_of_version(&old, &path, 1).unwrap();
    step.to_latest(&mut old).unwrap();
    let backup = Connection::open(folder.path().join("state.db.v1")).unwrap();
    let words: String = backup.query_row("SELECT words FROM precious", [], |row| row.get(0)).unwrap();
    assert_eq!((words.as_str(), FILE.version_of(&backup).unwrap()), ("kept", 1));
}

#[test]
fn the_migrations_are_sound_and_as_many_as_the_version_says() {
    FILE.migrations.validate().unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(FILE.version_of(&StateDb::open(folder.path()).unwrap().connection).unwrap(), VERSION);
}

#[test]
fn what_no_version_wrote_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let db = StateDb::open(folder.path()).unwrap();
    db.connection
        .execute("INSERT INTO card VALUES ('GPU-1', NULL, NULL, 'x', 'y', 'expected', NULL)", [])
        .unwrap();
    let refused = db.inventory().unwrap_err();
    assert!(matches!(refused, StateDbError::Nonsense { what: "uuid", .. }), "{refused}");
}

#[test]
fn a_file_that_is_no_database_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    fs::write(&path, [0x55; 8_192]).unwrap();
    assert!(matches!(StateDb::open(folder.path()), Err(StateDbError::File(DbError::Sqlite { .. }))));
    assert_eq!(fs::read(&path).unwrap(), [0x55; 8_192]);
}

#[test]
fn a19_a_lock_held_for_a_second_and_a_half_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    let (locked, is_locked) = mpsc::channel();
    let holder = thread::spawn(move || {
        let other = Connection::open(path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        locked.send(()).unwrap();
        thread::sleep(Duration::from_millis(1_500));
        other.execute_batch("COMMIT").unwrap();
    });
    is_locked.recv().unwrap();
    StateDb::open(folder.path()).unwrap();
    holder.join().unwrap();
}

#[test]
fn many_programs_may_begin_on_one_new_directory() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_path_buf();
        let opened: Vec<_> = (0..8)
            .map(|_| {
                let path = path.clone();
                thread::spawn(move || StateDb::open(&path).map(drop))
            })
            .collect();
        for result in opened {
            result.join().unwrap().unwrap();
        }
    }
}

#[test]
fn a_file_of_the_first_version_keeps_its_cards_and_is_backed_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(StateDb::FILE);
    let first_version = Migrations::new(vec![M::up(inventory::SCHEMA)]);
    let mut old = Connection::open(&path).unwrap();
    first_version.to_latest(&mut old).unwrap();
    let cards = Inventory::of([member('a', Standing::Expected)]);
    inventory::write(&mut old, &cards).unwrap();
    drop(old);
    let db = StateDb::open(folder.path()).unwrap();
    assert_eq!(db.inventory().unwrap(), cards);
    assert_eq!(db.settings().unwrap(), crate::settings::Settings::default());
    let backup = Connection::open(folder.path().join("state.db.v1")).unwrap();
    assert_eq!((FILE.version_of(&backup).unwrap(), inventory::read(&backup).unwrap()), (1, cards));
}
