//! The package: what is in it, that it installs and starts, and that it goes without a trace but for the owner's data.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use fanfare_testkit::skip;
use rustix::process::geteuid;

use crate::{
    desk::{Desk, Session},
    page::until_all_answer,
};

/// What the package puts on the system, besides icons.
const FILES: [&str; 6] = [
    "/usr/bin/fanfare",
    "/usr/bin/fanfarectl",
    "/usr/lib/fanfare/fanfare-probe",
    "/usr/lib/fanfare/fanfare-sim",
    "/usr/lib/fanfare/libfanfare_sim_nvml.so",
    "/usr/share/applications/Fanfare.desktop",
];

/// The package on this system; removed on drop, so that a test that fails leaves nothing behind.
struct Installed;

impl Drop for Installed {
    fn drop(&mut self) {
        let _ = Command::new("dpkg").args(["--purge", "fanfare"]).output();
    }
}

fn dpkg(arguments: &[&OsStr]) -> Output {
    Command::new("dpkg").args(arguments).env("LC_ALL", "C").output().expect("dpkg runs")
}

/// The debug package: the one that `FANFARE_PACKAGE` names, or one that is built now.
fn package() -> PathBuf {
    if let Some(package) = env::var_os("FANFARE_PACKAGE") {
        return package.into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = Command::new(root.join("scripts/package.sh")).arg("debug").current_dir(root).output();
    let built = built.expect("the script runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let folder = Path::new(crate::desk::WINDOW).with_file_name("bundle").join("deb");
    let packages: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of the packages")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new("deb")))
        .collect();
    assert_eq!(packages.len(), 1, "{packages:?}");
    packages.into_iter().next().expect("there is one")
}

#[tokio::test]
async fn the_package_installs_starts_and_is_removed() {
    if !geteuid().is_root() {
        return skip("only root installs packages");
    }
    if dpkg(&["--status".as_ref(), "fanfare".as_ref()]).status.success() {
        return skip("Fanfare is installed here, and stays as it is");
    }
    let Some(desk) = Desk::set_up(Session::plain()) else { return };
    let package = package();
    let installed = Installed;
    let done = dpkg(&["--install".as_ref(), package.as_os_str()]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let listed = dpkg(&["--listfiles".as_ref(), "fanfare".as_ref()]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for file in FILES {
        assert!(listed.lines().any(|line| line == file), "{file}: {listed}");
        assert!(Path::new(file).is_file(), "{file}");
    }
    let client = desk.open_program(Path::new(FILES[0]), &["--profile".as_ref(), "demo".as_ref()]).await;
    until_all_answer(&client, 8).await;
    client.close().await.expect("the window closes");
    let removed = dpkg(&["--remove".as_ref(), "fanfare".as_ref()]);
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    for file in FILES {
        assert!(!Path::new(file).exists(), "{file} is left behind");
    }
    assert!(desk.home().join("data/fanfare/demo").is_dir(), "the owner's data stay");
    drop(installed);
}
