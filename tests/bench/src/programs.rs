//! What is measured, as the release build left it, and the peers.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::failure::Failure;

/// A file of the release build, beside this program.
pub(crate) fn built(name: &str) -> Result<PathBuf, Failure> {
    let folder = env::current_exe()?.parent().map(Path::to_path_buf).unwrap_or_default();
    let path = folder.join(name);
    match fs::metadata(&path) {
        Ok(_) => Ok(path),
        Err(source) => Err(Failure::NotBuilt { path, source }),
    }
}

/// The Python that has the peers.
pub(crate) fn peers_python() -> PathBuf {
    env::var_os("FANFARE_PEERS_PYTHON")
        .map_or_else(|| PathBuf::from("target/peers/bin/python"), PathBuf::from)
}
