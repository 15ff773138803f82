//! Readings depend on clock and inputs, never on who asked how often.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fanfare_sim_state::{Clock, Effect, Setup, World};
use proptest::prelude::*;

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

/// One thing that is done to a rig of four, or time that passes.
#[derive(Debug, Clone)]
enum Act {
    Do(Effect),
    Timed(Effect, Duration),
    Plan(Effect, Duration, Option<Duration>),
    Set(usize, u32),
    Wait(Duration),
}

fn acts() -> impl Strategy<Value = Act> {
    let card = || 0..4_usize;
    // Often on the grid, often beside it.
    let span = || prop_oneof![(0..40_u64).prop_map(|n| n * 100), 0..4000_u64].prop_map(Duration::from_millis);
    let effect = prop_oneof![
        (card(), proptest::option::of(0..=100_u32))
            .prop_map(|(card, percent)| Effect::Load { card, percent }),
        (card(), proptest::option::of(20..=105))
            .prop_map(|(card, celsius)| Effect::Temperature { card, celsius }),
        (10..=40).prop_map(|celsius| Effect::Ambient { celsius }),
        card().prop_map(|card| Effect::Lose { card }),
        card().prop_map(|card| Effect::Find { card }),
        card().prop_map(|card| Effect::Remove { card }),
        Just(Effect::Add),
        card().prop_map(|card| Effect::Swap { card }),
        Just(Effect::Reload),
        (card(), any::<bool>()).prop_map(|(card, on)| Effect::BlockFan { card, on }),
        (card(), 1..130_u32).prop_map(|(card, code)| Effect::Xid { card, code }),
    ];
    prop_oneof![
        effect.clone().prop_map(Act::Do),
        (effect.clone(), span(), proptest::option::of(span()))
            .prop_map(|(e, after, span)| Act::Plan(e, after, span)),
        (effect, span()).prop_map(|(effect, span)| Act::Timed(effect, span)),
        (card(), 30..=100_u32).prop_map(|(card, percent)| Act::Set(card, percent)),
        span().prop_map(Act::Wait),
        span().prop_map(Act::Wait),
    ]
}

fn act(world: &World, act: &Act) {
    match act {
        // Refused for an empty slot or for lack of one; then for every rig alike.
        Act::Do(effect) => drop(world.apply(effect)),
        Act::Timed(effect, span) => drop(world.apply_for(effect, Some(*span))),
        Act::Plan(effect, after, span) => drop(world.plan(effect, world.now() + *after, *span)),
        Act::Set(slot, percent) => world.session_at(*slot).unwrap().set_fan(*slot, 0, Some(*percent)),
        Act::Wait(span) => world.advance(*span).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_an_eager_and_a_lazy_reader_agree(acts in proptest::collection::vec(acts(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let rig = |name: &str| {
            let setup = Setup { clock: Clock::Manual, cards: Some(4), seed: 5, ..Setup::default() };
            World::create(&dir.path().join(name), &setup).unwrap()
        };
        let (eager, lazy) = (rig("eager"), rig("lazy"));
        for one in &acts {
            act(&eager, one);
            act(&lazy, one);
            eager.view().unwrap();
        }
        agree(&readings(&eager), &readings(&lazy));
        for card in lazy.cards().unwrap() {
            prop_assert!((-20..=130).contains(&card.temperature), "{card:?}");
            prop_assert!(card.power_mw.is_none_or(|mw| mw < 140_000), "{card:?}");
        }
    }
}
