//! Opening a rig: whose it is, and the watch over it.

use fanfare_engine::{
    Opening, Places, RigView, RigWatch, Wish,
    profile::{Profile, Why},
};

pub(crate) use fanfare_engine::Pace;

use crate::{args::RigArgs, failure::Failure};

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
        let wish = Wish { profile: args.profile.map(Profile::from), nvml_library: args.nvml_lib.clone() };
        let opening = Opening::decide(wish, Places::of_user(args.data_dir.clone())?)?;
        let command = opening.command(pace).await?;
        let watch = RigWatch::start(&opening.directory, opening.profile, &command)?;
        Ok(Self { watch, profile: opening.profile, why: opening.why })
    }
}

/// Whether a look is simulated: the demo's always, and any other that the simulated driver answered.
pub(crate) fn is_simulated(profile: Profile, view: &RigView) -> bool {
    profile == Profile::Demo || view.snapshot.driver.as_ref().is_some_and(|driver| driver.simulated)
}
