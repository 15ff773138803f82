//! The command line of the window: which rig, as `fanfarectl` has it, and how to draw.

use std::path::PathBuf;

use clap::Parser;
use fanfare_engine::profile::Profile;

/// The rig in a window. One window a session: a second start raises the first.
#[derive(Debug, Parser)]
#[command(
    name = "fanfare",
    version,
    after_help = "Exit codes: 0 closed, 1 failed, 2 wrong usage, 69 no display."
)]
pub(crate) struct Args {
    /// Whose rig: yours, or the simulated one. By itself the simulated one is taken only on a machine without any NVIDIA device
    /// on which no card was ever met.
    #[arg(long, value_name = "real|demo")]
    pub(crate) profile: Option<Profile>,

    /// Where the data lie, in place of the usual directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// The driver library to load in place of the system's.
    #[arg(long, value_name = "PATH")]
    pub(crate) nvml_lib: Option<PathBuf>,

    /// Draw without the graphics card, for drivers on which the window stays blank or freezes.
    #[arg(long)]
    pub(crate) safe_rendering: bool,
}
