//! The programs and libraries under test, as the build left them.
//!
//! A test of one crate does not make cargo build another crate's binary or library, so each is built before its first use in a
//! test process; that takes 0.3 s where nothing is to be done. `make test` builds the workspace beforehand and says so by
//! `FANFARE_BUILT`, and then nothing is built here.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

use crate::is_set;

/// Packages that this process has built; one build at a time.
static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A program of the workspace, by its binary's name, which is also its package's.
pub fn program(name: &str) -> PathBuf {
    built(name, name)
}

/// The simulated driver.
pub fn library() -> PathBuf {
    built("libfanfare_sim_nvml.so", "fanfare-sim-nvml")
}

fn built(file: &str, package: &str) -> PathBuf {
    let folder = profile_folder();
    let mut packages = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !is_set("FANFARE_BUILT") && packages.insert(package.to_owned()) {
        build(package, folder.ends_with("release"));
    }
    drop(packages);
    let path = folder.join(file);
    assert!(path.is_file(), "{} was not built", path.display());
    path
}

fn build(package: &str, release: bool) {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", package]);
    if release {
        build.arg("--release");
    }
    assert!(build.status().expect("cargo runs").success(), "{package} does not build");
}

/// `target/debug` or `target/release`: a test runs from the `deps` folder below it, a program from it.
fn profile_folder() -> PathBuf {
    let running = env::current_exe().expect("the test knows its own file");
    let folder = running.parent().expect("a file lies in a folder");
    if folder.ends_with("deps") {
        folder.parent().map(Path::to_path_buf).expect("deps lies in a folder")
    } else {
        folder.into()
    }
}
