//! Opening a rig: whose it is, where its data lie, and how it is read. The same for every program that shows one.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    api::Kind,
    demo::{DemoError, DemoRig, RentalSource},
    engine::EngineSetup,
    hub::Limits,
    places::{Places, PlacesError},
    probe::ProbeCommand,
    profile::{self, Acquaintance, Evidence, Profile, Why},
    settings::Settings,
    state_db::StateDb,
};

/// The kernel's list of PCI devices.
const PCI_DEVICES: &str = "/sys/bus/pci/devices";

/// What the user says of the rig on the command line.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// Whose rig.
    pub profile: Option<Profile>,
    /// A driver library in place of the system's. Whoever names one wants it read: the rig is the owner's then.
    pub nvml_library: Option<PathBuf>,
}

/// How often a rig is read.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Time between two sweeps.
    pub interval: Duration,
    /// How many sweeps lie between two reads of the slow facts.
    pub slow_every: u32,
}

/// Why a rig cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// A library was named for the demo, which has its own.
    #[error("--nvml-lib with --profile demo")]
    LibraryAndDemo,
    /// Its data have no place.
    #[error(transparent)]
    Places(#[from] PlacesError),
    /// The simulated rig cannot be made.
    #[error(transparent)]
    Demo(#[from] DemoError),
}

/// A rig that is about to be read.
#[derive(Debug)]
pub struct Opening {
    /// Whose rig it is.
    pub profile: Profile,
    /// Why it is that.
    pub why: Why,
    /// Its data directory, which is there.
    pub directory: PathBuf,
    places: Places,
    nvml_library: Option<PathBuf>,
}

impl Opening {
    /// Decides whose rig it is and makes its data directory. Starts nothing.
    ///
    /// # Errors
    /// The wish contradicts itself, or the directory cannot be made.
    pub fn decide(wish: Wish, places: Places) -> Result<Self, OpeningError> {
        if wish.nvml_library.is_some() && wish.profile == Some(Profile::Demo) {
            return Err(OpeningError::LibraryAndDemo);
        }
        let (profile, why) = profile::choose(Evidence {
            asked: wish.profile.or(wish.nvml_library.as_ref().map(|_| Profile::Real)),
            pci: profile::look_for_nvidia(Path::new(PCI_DEVICES)),
            acquaintance: acquaintance(&places),
        });
        let directory = places.make_data(profile)?;
        Ok(Self { profile, why, directory, places, nvml_library: wish.nvml_library })
    }

    /// What the engine over it is started with, by a program of this `kind`. Makes the simulated rig for the demo, which takes some
    /// 40 ms.
    ///
    /// # Errors
    /// The simulated rig cannot be made.
    pub async fn engine(&self, kind: Kind, pace: Pace) -> Result<EngineSetup, OpeningError> {
        let mut setup = EngineSetup {
            directory: self.directory.clone(),
            profile: self.profile,
            kind,
            runtime: self.places.runtime().map(Path::to_path_buf),
            command: ProbeCommand {
                nvml_lib: self.nvml_library.clone(),
                interval: pace.interval,
                slow_every: pace.slow_every,
                ..ProbeCommand::of(self.places.companion("fanfare-probe"))
            },
            rentals: RentalSource::Nobody,
            past: None,
            limits: Limits::default(),
        };
        if self.profile == Profile::Demo {
            let demo = DemoRig::prepare(&self.places, &self.directory).await?;
            setup.command.environment = demo.environment();
            setup.rentals = demo.rentals();
            setup.past = Some(demo.past());
            setup.command.nvml_lib = Some(demo.library);
        } else if setup.command.nvml_lib.is_none() {
            setup.command.nvml_lib = self.settings().reading.nvml_library.map(PathBuf::from);
        }
        Ok(setup)
    }

    /// The settings as they are on disk, for what must be known before an engine runs; the defaults where they cannot be read.
    pub fn settings(&self) -> Settings {
        let kept = StateDb::read(&self.directory).and_then(|db| db.map(|db| db.settings()).transpose());
        kept.ok().flatten().unwrap_or_default()
    }
}

/// Whether the owner's profile ever met a card.
fn acquaintance(places: &Places) -> Acquaintance {
    let remembered =
        StateDb::read(&places.data(Profile::Real)).and_then(|db| db.map(|db| db.inventory()).transpose());
    match remembered {
        Ok(Some(inventory)) if inventory.members().next().is_some() => Acquaintance::Met,
        Ok(_) => Acquaintance::None,
        Err(_) => Acquaintance::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ReadingSettings, SettingsPatch};

    fn wish(profile: Option<Profile>, library: Option<&str>) -> Wish {
        Wish { profile, nvml_library: library.map(PathBuf::from) }
    }

    #[test]
    fn whoever_names_a_library_wants_the_owners_rig_and_may_not_name_the_demo() {
        let folder = tempfile::tempdir().unwrap();
        let places = || Places::of_user(Some(folder.path().into())).unwrap();
        let named = Opening::decide(wish(None, Some("/lib/nvml.so")), places()).unwrap();
        assert_eq!((named.profile, named.why), (Profile::Real, Why::Asked));
        assert_eq!(named.directory, folder.path().join("real"));
        assert!(named.directory.is_dir());
        let refused = Opening::decide(wish(Some(Profile::Demo), Some("/lib/nvml.so")), places());
        assert!(matches!(refused, Err(OpeningError::LibraryAndDemo)), "{refused:?}");
    }

    #[tokio::test]
    async fn the_probe_reads_the_library_that_was_named_at_the_pace_that_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::of_user(Some(folder.path().into())).unwrap();
        let opening = Opening::decide(wish(None, Some("/lib/nvml.so")), places).unwrap();
        let pace = Pace { interval: Duration::from_millis(250), slow_every: 7 };
        let setup = opening.engine(Kind::Command, pace).await.unwrap();
        assert_eq!(setup.command.nvml_lib.as_deref(), Some(Path::new("/lib/nvml.so")));
        assert_eq!((setup.command.interval, setup.command.slow_every), (Duration::from_millis(250), 7));
        assert!(matches!(setup.rentals, RentalSource::Nobody), "the owner's rig asks no simulation");
    }

    #[tokio::test]
    async fn the_library_of_the_settings_is_read_unless_another_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let pace = Pace { interval: Duration::from_secs(1), slow_every: 60 };
        let library = async |named: Option<&str>| {
            let places = Places::of_user(Some(folder.path().into())).unwrap();
            let opening = Opening::decide(wish(Some(Profile::Real), named), places).unwrap();
            opening.engine(Kind::Command, pace).await.unwrap().command.nvml_lib
        };
        assert_eq!(library(None).await, None);
        let reading = ReadingSettings { nvml_library: Some("/opt/nvml.so".into()) };
        let patch = SettingsPatch { reading: Some(reading), ..SettingsPatch::default() };
        StateDb::open(&folder.path().join("real")).unwrap().change_settings(&patch).unwrap();
        assert_eq!(library(None).await.as_deref(), Some(Path::new("/opt/nvml.so")));
        assert_eq!(library(Some("/lib/nvml.so")).await.as_deref(), Some(Path::new("/lib/nvml.so")));
    }

    #[tokio::test]
    async fn a_demo_that_is_not_installed_is_an_error_that_names_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        // The test runs from the folder of the build's parts, where nothing of the demo lies.
        let places = Places::of_user(Some(folder.path().into())).unwrap();
        let opening = Opening::decide(wish(Some(Profile::Demo), None), places).unwrap();
        let pace = Pace { interval: Duration::from_secs(1), slow_every: 60 };
        let refused = opening.engine(Kind::Command, pace).await.unwrap_err();
        assert!(matches!(refused, OpeningError::Demo(DemoError::NotInstalled(_))), "{refused}");
    }
}
