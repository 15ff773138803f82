//! What the tests of the command line share.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use fanfare_testkit::{SimRig, library, program};

/// `fanfarectl` over `rig` as its demo, with its data in `data`, in English. (Under the owner's own profile a simulated card would
/// not be remembered.)
pub(crate) fn ctl(rig: &SimRig, data: &Path) -> Command {
    // These lie beside it, and are looked for there.
    program("fanfare-probe");
    program("fanfare-sim");
    library();
    let demo = data.join("demo");
    fs::create_dir_all(&demo).unwrap();
    let _ = symlink(rig.state(), demo.join("rig.sim"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_fanfarectl"));
    command
        .env("LC_ALL", "en_US.UTF-8")
        .env_remove("XDG_RUNTIME_DIR")
        .args(["--profile", "demo", "--data-dir"])
        .arg(data);
    command
}
