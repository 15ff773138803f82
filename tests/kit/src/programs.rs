//! The programs and libraries under test, as the build left them.
//!
//! A test of one crate does not make cargo build another crate's binary or library, so what is not there is built once; with all
//! of the workspace built beforehand, as `make test` does, nothing is.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

/// One build at a time; cargo would otherwise only wait for itself.
static BUILD: Mutex<()> = Mutex::new(());

/// A program of the workspace, by its binary's name, which is also its package's.
pub fn program(name: &str) -> PathBuf {
    built(name, name)
}

/// The simulated driver.
pub fn library() -> PathBuf {
    built("libfanfare_sim_nvml.so", "fanfare-sim-nvml")
}

fn built(file: &str, package: &str) -> PathBuf {
    let path = profile_folder().join(file);
    let _guard = BUILD.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", package]);
        if profile_folder().ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo runs").success(), "{package} does not build");
    }
    assert!(path.is_file(), "{} was not built", path.display());
    path
}

/// `target/debug` or `target/release`: a test runs from the `deps` folder below it, a bench from it.
fn profile_folder() -> PathBuf {
    let running = std::env::current_exe().expect("the test knows its own file");
    let folder = running.parent().expect("a file lies in a folder");
    if folder.ends_with("deps") {
        folder.parent().map(Path::to_path_buf).expect("deps lies in a folder")
    } else {
        folder.to_path_buf()
    }
}
