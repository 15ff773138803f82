//! Opening a rig: whose it is, and the watch over it.

use std::{path::Path, time::Duration};

use fanfare_engine::{
    DemoRig, Places, RigView, RigWatch,
    probe::ProbeCommand,
    profile::{self, Acquaintance, Evidence, Profile, Why},
    state_db::StateDb,
};

use crate::{
    args::{ProfileArg, RigArgs},
    failure::Failure,
};

/// The kernel's list of PCI devices.
const PCI_DEVICES: &str = "/sys/bus/pci/devices";

/// How often to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Time between two sweeps.
    pub(crate) interval: Duration,
    /// How many sweeps lie between two reads of the slow facts.
    pub(crate) slow_every: u32,
}

/// An opened rig.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) watch: RigWatch,
    pub(crate) profile: Profile,
    pub(crate) why: Why,
}

impl Session {
    /// Decides whose rig it is and starts to read it.
    pub(crate) async fn open(args: &RigArgs, pace: Pace) -> Result<Self, Failure> {
        if args.nvml_lib.is_some() && matches!(args.profile, Some(ProfileArg::Demo)) {
            return Err(Failure::LibraryAndDemo);
        }
        let places = Places::of_user(args.data_dir.clone())?;
        let (profile, why) = profile::choose(evidence(args, &places));
        let directory = places.make_data(profile)?;
        let mut command = ProbeCommand {
            nvml_lib: args.nvml_lib.clone(),
            interval: pace.interval,
            slow_every: pace.slow_every,
            ..ProbeCommand::of(places.companion("fanfare-probe"))
        };
        if profile == Profile::Demo {
            let demo = DemoRig::prepare(&places, &directory).await?;
            command.environment = demo.environment();
            command.nvml_lib = Some(demo.library);
        }
        let watch = RigWatch::start(&directory, profile, &command)?;
        Ok(Self { watch, profile, why })
    }
}

/// Whether a look is simulated: the demo's always, and any other that the simulated driver answered.
pub(crate) fn is_simulated(profile: Profile, view: &RigView) -> bool {
    profile == Profile::Demo || view.snapshot.driver.as_ref().is_some_and(|driver| driver.simulated)
}

fn evidence(args: &RigArgs, places: &Places) -> Evidence {
    let remembered =
        StateDb::read(&places.data(Profile::Real)).and_then(|db| db.map(|db| db.inventory()).transpose());
    let acquaintance = match remembered {
        Ok(Some(inventory)) if inventory.members().next().is_some() => Acquaintance::Met,
        Ok(_) => Acquaintance::None,
        Err(_) => Acquaintance::Unreadable,
    };
    Evidence {
        // Whoever names a library wants it read.
        asked: args.profile.map(Profile::from).or(args.nvml_lib.as_ref().map(|_| Profile::Real)),
        pci: profile::look_for_nvidia(Path::new(PCI_DEVICES)),
        acquaintance,
    }
}
