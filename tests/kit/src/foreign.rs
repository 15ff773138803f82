//! A data directory that its user may read and not write. As root a test of that would prove nothing, so it runs itself again as the
//! user that owns nothing.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{NOBODY, as_nobody, skip};

/// Names the directory to the run as nobody.
const DIRECTORY: &str = "FANFARE_TEST_DIRECTORY";

/// Runs the ignored test `name` of this executable as nobody over a data directory that is root's, after `arrange`; it is then as it
/// was.
pub fn over_foreign_data(name: &str, arrange: impl FnOnce(&Path)) {
    if !rustix::process::geteuid().is_root() {
        skip("only root can become another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    arrange(&data);
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    let before = listing(&data);
    let mut command = as_nobody(&env::current_exe().unwrap(), folder.path());
    let done = command.args(["--ignored", "--exact", name]).env(DIRECTORY, &data).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(listing(&data), before, "nothing was made, moved or changed");
}

/// That directory, in the run as nobody, once it is certain that this process may not write it.
pub fn foreign_data() -> PathBuf {
    assert_eq!(rustix::process::geteuid().as_raw(), NOBODY, "as root the test would prove nothing");
    let directory = PathBuf::from(env::var_os(DIRECTORY).unwrap());
    assert!(fs::write(directory.join("probe"), "").is_err(), "the directory can be written");
    directory
}

/// Every file with its bytes.
fn listing(data: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}
