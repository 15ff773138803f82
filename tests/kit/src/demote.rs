//! Running a program without root's privileges: a test of permissions that runs as root proves nothing.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use crate::executable::install;

/// The user that owns nothing.
pub const NOBODY: u32 = 65_534;

/// A command that runs a copy of `program` as [`NOBODY`], with every capability gone.
///
/// The copy lies in `folder`, which is opened to all, because a build folder under a home directory is not. Only root can do
/// this; the caller asserts first, by what the program prints or by its `/proc` entry, that the user changed.
pub fn as_nobody(program: &Path, folder: &Path) -> Command {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("the folder is ours");
    let copy: PathBuf = folder.join(program.file_name().expect("a program has a name"));
    install(program, &copy);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--"]).arg(copy);
    command
}
