//! The rig: one state file, mapped.

use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::advance::{Cache, Rig};
use crate::clock::{self, boottime_ns};
use crate::error::StateError;
use crate::layout::{self, ClockRecord, Config, FILE_SIZE, Header, MAGIC, MAX_CARDS, VERSION};
use crate::map::Map;
use crate::physics::vacant;
use crate::profile::{self, Profile};
use crate::quantise::small;
use crate::session::Session;
use crate::setup::{Setup, speed_milli};
use crate::table::{self, CallCount, SetCall};

/// A simulated rig. Cheap to share between threads; every process opens its own.
#[derive(Debug)]
pub struct World {
    map: Map,
    rig: Rig,
    path: PathBuf,
    cache: Mutex<Cache>,
}

impl World {
    /// Makes a new state file at `path` and opens it. One that is there is replaced as a whole; processes that
    /// have it open keep the old one.
    ///
    /// The file's mode is 0666 whatever the umask: a reader of another uid must be able to take the lock and
    /// to move the model on. Who may *set* something is the simulated driver's decision, not the file's.
    ///
    /// # Errors
    /// When the setup or its scenario is wrong, or the file cannot be made.
    pub fn create(path: &Path, setup: &Setup) -> Result<Self, StateError> {
        let io = |source| StateError::Io { path: path.to_owned(), source };
        let config = setup.config(wall_us())?;
        let speed = setup.clock_speed()?;
        // Read first: a wrong scenario must leave no file behind.
        let script = setup.scenario.as_deref().map(|file| crate::scenario::load(file, setup)).transpose()?;
        let fresh = path.with_extension(format!("new.{}", std::process::id()));
        let made = Self::make(&fresh, path, &config, speed).and_then(|world| {
            script.map_or(Ok(()), |script| script.apply(&world))?;
            std::fs::rename(&fresh, path).map_err(io)?;
            Ok(world)
        });
        if made.is_err() {
            // What could not be made whole is not left lying about; that it may not even exist is no matter.
            let _ = std::fs::remove_file(&fresh);
        }
        made
    }

    fn make(fresh: &Path, path: &Path, config: &Config, speed_milli: u64) -> Result<Self, StateError> {
        let io = |source| StateError::Io { path: fresh.to_owned(), source };
        let map = Map::new(&create_file(fresh).map_err(io)?, path)?;
        fill(&map, config, speed_milli)?;
        Ok(Self::new(map, path))
    }

    /// Opens the state file at `path`.
    ///
    /// # Errors
    /// [`StateError::Io`] when it cannot be opened or mapped; [`StateError::NotAState`],
    /// [`StateError::Version`] or [`StateError::Size`] when it is not a state file of this version.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        let io = |source| StateError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io)?;
        check(&file, path)?;
        Ok(Self::new(Map::new(&file, path)?, path))
    }

    fn new(map: Map, path: &Path) -> Self {
        let config = map.read(layout::CONFIG);
        let rig = Rig { config, profile: profile::by_number(config.profile) };
        Self { map, rig, path: path.to_owned(), cache: Mutex::new(Cache::new()) }
    }

    pub(crate) fn map(&self) -> &Map {
        &self.map
    }

    pub(crate) fn rig(&self) -> &Rig {
        &self.rig
    }

    /// Choices made at creation.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.rig.config
    }

    /// The kind of card.
    #[must_use]
    pub fn profile(&self) -> &'static Profile {
        self.rig.profile
    }

    /// The state file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock.
    ///
    /// # Errors
    /// [`StateError::LockTimeout`] or [`StateError::Lock`].
    pub fn session(&self) -> Result<Session<'_>, StateError> {
        // A thread that panicked in a session left a cache that is checked anew in any case.
        Session::open(self, self.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A session in which the card of `slot` is up to date.
    ///
    /// # Errors
    /// As [`World::session`].
    pub fn session_at(&self, slot: usize) -> Result<Session<'_>, StateError> {
        // Ends: each round works off a stretch of the debt, a thousand times faster than it can grow.
        loop {
            let mut session = self.session()?;
            if session.bring_up(slot) {
                return Ok(session);
            }
        }
    }

    /// Brings every slot up to date.
    pub(crate) fn bring_all_up(&self) -> Result<(), StateError> {
        (0..MAX_CARDS).try_for_each(|slot| self.session_at(slot).map(drop))
    }

    /// Simulated time since the rig was set up.
    #[must_use]
    pub fn now(&self) -> Duration {
        Duration::from_nanos(clock::now(&crate::session::clock(&self.map), boottime_ns()))
    }

    /// Moves a manual clock on.
    ///
    /// # Errors
    /// [`StateError::ClockIsReal`], or the lock's errors.
    pub fn advance(&self, by: Duration) -> Result<(), StateError> {
        self.change_clock(|clock| clock::advanced(clock, by).ok_or(StateError::ClockIsReal))
    }

    /// Stops the clock: from here on only [`World::advance`] moves it.
    ///
    /// # Errors
    /// The lock's errors.
    pub fn clock_manual(&self) -> Result<(), StateError> {
        self.change_clock(|clock| Ok(clock::rebase(clock, boottime_ns(), 0)))
    }

    /// Lets the clock run, `speed` times as fast as real time, from its present instant on.
    ///
    /// # Errors
    /// [`StateError::Range`] for a speed out of 0.001..=1000, or the lock's errors.
    pub fn clock_real(&self, speed: f64) -> Result<(), StateError> {
        let speed = speed_milli(speed)?;
        self.change_clock(|clock| Ok(clock::rebase(clock, boottime_ns(), speed)))
    }

    /// Speed of the clock against real time; `None` for a manual clock.
    #[must_use]
    pub fn speed(&self) -> Option<f64> {
        let milli = crate::session::clock(&self.map).speed_milli;
        (milli > 0).then(|| crate::quantise::float(milli) / 1000.0)
    }

    fn change_clock(
        &self,
        change: impl Fn(&ClockRecord) -> Result<ClockRecord, StateError>,
    ) -> Result<(), StateError> {
        let _session = self.session()?;
        let active = self.map.word(layout::CLOCK_ACTIVE).load(Ordering::Acquire) % 2;
        let changed = change(&crate::session::clock(&self.map))?;
        self.map.write(layout::CLOCKS.nth(1 - active as usize), &changed);
        self.map.commit(layout::CLOCK_ACTIVE, 1 - active);
        crate::news::announce(&self.map);
        Ok(())
    }

    /// Calls so far, by symbol and card; those never made are left out.
    #[must_use]
    pub fn calls(&self) -> Vec<CallCount> {
        table::counts(&self.map)
    }

    /// Sets every call counter to 0.
    pub fn reset_calls(&self) {
        table::reset_counts(&self.map);
    }

    /// The newest Set calls, oldest first; at most 1023.
    ///
    /// # Errors
    /// The lock's errors.
    pub fn sets(&self) -> Result<Vec<SetCall>, StateError> {
        Ok(table::sets(&self.map, self.session()?.held()))
    }

    /// How often the lock of a process that died holding it was taken over.
    #[must_use]
    pub fn lock_recoveries(&self) -> u64 {
        self.map.long(layout::RECOVERIES).load(Ordering::Acquire)
    }
}

fn wall_us() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(0))
}

fn create_file(path: &Path) -> std::io::Result<File> {
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o666).open(path)?;
    file.set_permissions(Permissions::from_mode(0o666))?;
    file.set_len(FILE_SIZE as u64)?;
    Ok(file)
}

/// Fills a new, empty file; its header comes last.
fn fill(map: &Map, config: &Config, speed_milli: u64) -> Result<(), StateError> {
    map.init_lock()?;
    map.write(layout::CONFIG, config);
    let clock = ClockRecord { base_sim_ns: 0, base_boot_ns: boottime_ns(), speed_milli };
    map.write(layout::CLOCKS.nth(0), &clock);
    map.write(layout::NEXT_BOARD, &config.cards);
    let empty = vacant(profile::by_number(config.profile), 0);
    (0..2 * MAX_CARDS).for_each(|index| map.write(layout::CARDS.nth(index), &empty));
    let header = Header { magic: MAGIC, size: FILE_SIZE as u64, version: VERSION, spare: 0 };
    map.write(layout::HEADER, &header);
    Ok(())
}

/// Whether `file` is a state file of this version and whole.
fn check(file: &File, path: &Path) -> Result<(), StateError> {
    use std::os::unix::fs::FileExt;
    let path = || path.to_owned();
    let mut header = <Header as bytemuck::Zeroable>::zeroed();
    match file.read_exact_at(bytemuck::bytes_of_mut(&mut header), 0) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            return Err(StateError::NotAState { path: path() });
        }
        Err(source) => return Err(StateError::Io { path: path(), source }),
    }
    if header.magic != MAGIC {
        return Err(StateError::NotAState { path: path() });
    }
    if header.version != VERSION {
        return Err(StateError::Version { path: path(), found: header.version, expected: VERSION });
    }
    let length = file.metadata().map_err(|source| StateError::Io { path: path(), source })?.len();
    for found in [header.size, length] {
        if found != FILE_SIZE as u64 {
            return Err(StateError::Size { path: path(), found, expected: FILE_SIZE as u64 });
        }
    }
    Ok(())
}

/// The number for the next board that is put in.
pub(crate) fn next_board(map: &Map) -> u32 {
    map.word(layout::NEXT_BOARD).fetch_add(1, Ordering::AcqRel).min(small(i32::MAX as usize))
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<World>();
};
