//! Dying at a chosen store, for the crash test: the process is killed by SIGKILL, not by a panic.
//!
//! The tests here start this very test binary again as a child, which changes the rig round by round and dies
//! in the midst of one store. Every value of round k is k, so a torn or lost change shows.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static ARMED: OnceLock<u64> = OnceLock::new();
static STORES: AtomicU64 = AtomicU64::new(0);

/// From here on stores count, and store `fatal` is the last.
fn arm(fatal: u64) {
    let _ = ARMED.set(fatal);
}

/// Called after each store into the map, and after half of each long one.
pub(crate) fn point() {
    let Some(fatal) = ARMED.get() else { return };
    if STORES.fetch_add(1, Ordering::SeqCst) + 1 == *fatal {
        die();
    }
}

fn die() -> ! {
    let me = rustix::process::getpid();
    let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    // The signal is on its way; nothing more may be stored.
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use super::*;
    use crate::effects::Effect;
    use crate::layout::MAX_EFFECTS;
    use crate::{Clock, Setup, Symbol, World};

    const STATE: &str = "FANFARE_SIM_TEST_STATE";
    const FATAL_STORE: &str = "FANFARE_SIM_TEST_FATAL_STORE";
    const STEP: Duration = Duration::from_millis(100);

    /// One round: every value that changes becomes `k`.
    fn round(world: &World, k: u32) {
        world.advance(STEP).unwrap();
        world.temperature(0, i32::try_from(k % 100).ok()).unwrap();
        let mut session = world.session_at(0).unwrap();
        session.set_power_limit(0, 90_000 + k);
        let k = i64::from(k);
        session.log_set(Symbol::DeviceSetPowerManagementLimit, Some(0), [k, k, k], 0);
    }

    fn world(dir: &Path) -> World {
        let setup = Setup { clock: Clock::Manual, cards: Some(2), rentals: false, ..Setup::default() };
        World::create(&dir.join("state"), &setup).unwrap()
    }

    fn child(test: &str, dir: &Path, fatal: Option<u64>) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("crash::tests::{test}"), "--nocapture"]);
        command.env(STATE, dir.join("state")).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(fatal) = fatal {
            command.env(FATAL_STORE, fatal.to_string());
        }
        command.spawn().unwrap()
    }

    /// Not a test of its own: the child of [`a_killed_writer_leaves_a_whole_state`].
    #[test]
    fn child_that_dies_in_a_store() {
        let (Ok(path), Ok(fatal)) = (std::env::var(STATE), std::env::var(FATAL_STORE)) else { return };
        let world = World::open(Path::new(&path)).unwrap();
        let first = u32::try_from(world.now().as_millis() / 100).unwrap() + 1;
        arm(fatal.parse().unwrap());
        // Ends long before, by SIGKILL.
        (first..first + 10_000).for_each(|k| round(&world, k));
    }

    /// Not a test of its own: the child of [`a_waiting_process_gets_the_lock_of_a_killed_holder`].
    #[test]
    fn child_that_holds_the_lock() {
        let Ok(path) = std::env::var(STATE) else { return };
        if std::env::var_os(FATAL_STORE).is_some() {
            return;
        }
        let world = World::open(Path::new(&path)).unwrap();
        let _held = world.session().unwrap();
        println!("\nheld");
        loop {
            std::thread::park();
        }
    }

    /// Every value is that of the last whole round, or of the one that was cut short.
    fn check(world: &World, fatal: u64) {
        let k = u32::try_from(world.now().as_millis() / 100).unwrap();
        let told = format!("store {fatal}, round {k}");
        let card = world.card(0).unwrap().unwrap();
        let recent = |found: u32| found == k || found + 1 == k;
        assert!(recent(card.power_limit_mw.saturating_sub(90_000)), "{told}: {}", card.power_limit_mw);
        let pinned = u32::try_from(card.temperature).unwrap();
        assert!(pinned == k % 100 || pinned == (k - 1) % 100, "{told}: pinned at {pinned}");
        let sets = world.sets().unwrap();
        assert!(recent(u32::try_from(sets.len()).unwrap()), "{told}: {} sets", sets.len());
        for (index, set) in sets.iter().enumerate() {
            assert_eq!(set.args, [i64::try_from(index).unwrap() + 1], "{told}");
            assert_eq!((set.symbol, set.card), (Symbol::DeviceSetPowerManagementLimit, Some(0)), "{told}");
        }
    }

    fn killed_at(dir: &Path, world: &World, fatal: u64) {
        let before = world.lock_recoveries();
        let status = child("child_that_dies_in_a_store", dir, Some(fatal)).wait().unwrap();
        assert_eq!(status.signal(), Some(9), "store {fatal}: the child ended otherwise: {status}");
        check(world, fatal);
        assert_eq!(world.lock_recoveries(), before + 1, "store {fatal}: died without the lock");
    }

    #[test]
    fn a_killed_writer_leaves_a_whole_state() {
        let dir = tempfile::tempdir().unwrap();
        // A round has about 25 points; 90 of them pass through three rounds, each at another place.
        for fatal in 1..=90 {
            let world = world(dir.path());
            (1..=3).for_each(|k| round(&world, k));
            killed_at(dir.path(), &world, fatal);
            // Life goes on: another caller finishes the round and does more.
            let k = u32::try_from(world.now().as_millis() / 100).unwrap();
            round(&world, k + 1);
            assert_eq!(world.card(0).unwrap().unwrap().power_limit_mw, 90_000 + k + 1);
        }
    }

    /// A rig whose table of effects is full: 30 loads planned from an hour on, and pins that are past but one.
    fn full(dir: &Path, hour: Duration) -> World {
        let world = world(dir);
        for minute in 0..30 {
            let at = hour + Duration::from_secs(60 * minute);
            world.plan(&Effect::Load { card: 1, percent: Some(70) }, at, None).unwrap();
        }
        (1..i32::try_from(MAX_EFFECTS).unwrap() - 30)
            .for_each(|k| world.temperature(0, Some(k % 100)).unwrap());
        round(&world, 1);
        world
    }

    #[test]
    fn a_writer_killed_in_a_compaction_loses_no_effect() {
        let dir = tempfile::tempdir().unwrap();
        let hour = Duration::from_secs(3600);
        let (state, template) = (dir.path().join("state"), dir.path().join("template"));
        drop(full(dir.path(), hour));
        std::fs::rename(&state, &template).unwrap();
        // The compaction copies 31 records at two points each, among the first points of the round.
        for fatal in 1..=80 {
            std::fs::copy(&template, &state).unwrap();
            let world = World::open(&state).unwrap();
            killed_at(dir.path(), &world, fatal);
            world.advance(hour).unwrap();
            world.advance(Duration::from_secs(2)).unwrap();
            assert_eq!(
                world.card(1).unwrap().unwrap().utilization,
                70,
                "store {fatal}: a planned effect is gone"
            );
        }
    }

    #[test]
    fn a_waiting_process_gets_the_lock_of_a_killed_holder() {
        use std::io::{BufRead, BufReader};
        let dir = tempfile::tempdir().unwrap();
        let world = world(dir.path());
        let mut holder = child("child_that_holds_the_lock", dir.path(), None);
        let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line == "held")), "the child did not get the lock");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| world.session().map(|session| session.now()));
            holder.kill().unwrap();
            holder.wait().unwrap();
            assert_eq!(waiting.join().unwrap().unwrap(), 0);
        });
        assert_eq!(world.lock_recoveries(), 1);
    }
}
