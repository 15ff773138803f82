//! Where things lie: the data of each profile, and the programs that come with this one.

use std::{
    env, fs, io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::profile::Profile;

/// Where things lie.
#[derive(Debug, Clone)]
pub struct Places {
    data: PathBuf,
    runtime: Option<PathBuf>,
    programs: Vec<PathBuf>,
}

/// Something is not where it must be.
#[derive(Debug, thiserror::Error)]
pub enum PlacesError {
    /// Neither `XDG_DATA_HOME` nor `HOME` says where the user's data lie.
    #[error("no home directory is known: set HOME, or name a data directory")]
    NoHome,
    /// What is there cannot be looked at: it is another user's.
    #[error("the data directory {path} cannot be entered: {source}")]
    Closed {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The data directory cannot be made.
    #[error("the data directory {path} cannot be made: {source}")]
    Make {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl Places {
    /// The user's own places; `data` in place of the usual data directory where given.
    ///
    /// # Errors
    /// No home directory is known and `data` is not given.
    pub fn of_user(data: Option<PathBuf>) -> Result<Self, PlacesError> {
        let data =
            data.or_else(|| dirs::data_dir().map(|data| data.join("fanfare"))).ok_or(PlacesError::NoHome)?;
        let beside = env::current_exe().ok().and_then(|program| program.parent().map(Path::to_path_buf));
        // Installed, the helpers lie in a library folder; from a build they lie beside this program.
        let programs =
            beside.iter().flat_map(|beside| [beside.clone(), beside.join("../lib/fanfare")]).collect();
        Ok(Self { data, runtime: dirs::runtime_dir(), programs })
    }

    /// The data directory of a profile, whether it exists or not.
    pub fn data(&self, profile: Profile) -> PathBuf {
        self.data.join(profile.to_string())
    }

    /// The data directory of a profile, made if it is not there, open to its owner alone.
    ///
    /// # Errors
    /// It cannot be made, or is another user's.
    pub fn make_data(&self, profile: Profile) -> Result<PathBuf, PlacesError> {
        let path = self.data(profile);
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map(|()| path.clone()).map_err(|source| match fs::metadata(&path) {
            // Where nothing is, the place is closed to writing; here even to looking.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                PlacesError::Closed { path, source }
            }
            _ => PlacesError::Make { path, source },
        })
    }

    /// The system's directory for this user's sockets, if the session has one.
    pub fn runtime(&self) -> Option<&Path> {
        self.runtime.as_deref()
    }

    /// A program or library that comes with this one: where it is, or where it should be.
    pub fn companion(&self, name: &str) -> PathBuf {
        let candidates = || self.programs.iter().map(|folder| folder.join(name));
        candidates()
            .find(|path| is_file(path))
            .or_else(|| candidates().next())
            .unwrap_or_else(|| PathBuf::from(name))
    }
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o444 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_has_a_directory_of_its_own_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::of_user(Some(folder.path().join("fanfare"))).unwrap();
        let real = places.make_data(Profile::Real).unwrap();
        let demo = places.make_data(Profile::Demo).unwrap();
        assert_ne!(real, demo);
        let mode = fs::metadata(&real).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700);
    }

    #[test]
    fn a_companion_that_is_nowhere_is_named_where_it_should_be() {
        let places = Places {
            data: PathBuf::new(),
            runtime: None,
            programs: vec!["/nowhere/bin".into(), "/nowhere/lib".into()],
        };
        assert_eq!(places.companion("fanfare-probe"), PathBuf::from("/nowhere/bin/fanfare-probe"));
    }
}
