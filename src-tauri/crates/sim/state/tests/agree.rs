//! Readings depend on clock and inputs, never on who asked how often.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fanfare_sim_state::{Clock, Setup, World};

const STATE: &str = "FANFARE_SIM_TEST_STATE";

fn world(path: &Path) -> World {
    World::create(path, &Setup { clock: Clock::Manual, seed: 4, ..Setup::default() }).unwrap()
}

/// The same inputs at the same times for every rig; `look` comes between.
fn night(world: &World, look: &(dyn Fn() + Sync)) {
    let wait = |seconds: f64| {
        look();
        world.advance(Duration::from_secs_f64(seconds)).unwrap();
        look();
    };
    wait(61.03);
    world.load(2, Some(100)).unwrap();
    wait(400.0);
    world.lose(3).unwrap();
    world.block_fan(2, true).unwrap();
    // Between two points of the grid.
    wait(0.05);
    world.reload().unwrap();
    world.swap(5).unwrap();
    wait(0.02);
    world.session_at(1).unwrap().set_fan(1, 0, Some(80));
    world.ambient(31).unwrap();
    // On a point of the grid: 1361.1 s.
    wait(900.0);
    world.remove(6).unwrap();
    world.find(3).unwrap();
    wait(33.33);
    world.add().unwrap();
    // 36 000 steps: many stretches of catch-up.
    wait(3600.0);
}

fn readings(world: &World) -> String {
    serde_json::to_string_pretty(&world.view().unwrap()).unwrap()
}

/// Compares line by line, so that a difference is told by its own line.
fn agree(one: &str, other: &str) {
    for (number, (one, other)) in one.lines().zip(other.lines()).enumerate() {
        assert_eq!(one, other, "line {number} of the rig");
    }
    assert_eq!(one.len(), other.len());
}

fn once(dir: &Path) -> String {
    let world = world(&dir.join("once"));
    night(&world, &|| {});
    readings(&world)
}

#[test]
fn one_reader_at_the_end_and_a_hundred_threads_throughout_agree() {
    let dir = tempfile::tempdir().unwrap();
    let world = world(&dir.path().join("often"));
    night(&world, &|| {
        std::thread::scope(|scope| {
            for thread in 0..100 {
                let world = &world;
                scope.spawn(move || world.card(thread % 8).unwrap());
            }
        });
    });
    agree(&readings(&world), &once(dir.path()));
}

#[test]
fn processes_that_read_all_the_time_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shared");
    let world = world(&path);
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child_that_reads"])
                .env(STATE, &path)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    night(&world, &|| {});
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    agree(&readings(&world), &once(dir.path()));
}

/// Not a test of its own: reads until it is killed.
#[test]
fn child_that_reads() {
    let Ok(path) = std::env::var(STATE) else { return };
    let world = World::open(Path::new(&path)).unwrap();
    loop {
        world.cards().unwrap();
    }
}

#[test]
fn small_and_large_steps_of_the_clock_agree() {
    let dir = tempfile::tempdir().unwrap();
    let (fine, coarse) = (world(&dir.path().join("fine")), world(&dir.path().join("coarse")));
    for _ in 0..1200 {
        fine.advance(Duration::from_millis(50)).unwrap();
        fine.cards().unwrap();
    }
    coarse.advance(Duration::from_secs(60)).unwrap();
    agree(&readings(&fine), &readings(&coarse));
}
