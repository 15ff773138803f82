//! Whether an open file still lies where it was opened. Somebody may delete it, or put another in its place, while it is open: what is
//! written then goes to a file that has no name, and is gone with the program.

use std::{fs, io, os::unix::fs::MetadataExt, path::PathBuf};

/// Where a file was opened, and which one that was.
#[derive(Debug, Clone)]
pub struct Place {
    path: PathBuf,
    /// Its device and number; none if it could not be looked at.
    file: Option<(u64, u64)>,
}

impl Place {
    /// The file that lies at `path` now.
    pub fn of(path: PathBuf) -> Self {
        let file = file_at(&path).ok();
        Self { path, file }
    }

    /// Whether the file is certainly not there any more. Costs a look into its directory.
    pub fn is_lost(&self) -> bool {
        match file_at(&self.path) {
            Ok(there) => self.file.is_some_and(|file| file != there),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

fn file_at(path: &PathBuf) -> io::Result<(u64, u64)> {
    fs::metadata(path).map(|there| (there.dev(), there.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_lost_if_it_was_deleted_or_another_lies_there_and_not_if_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        fs::write(&path, "1").unwrap();
        let place = Place::of(path.clone());
        fs::write(&path, "2").unwrap();
        assert!(!place.is_lost());
        // Kept under another name, so that its number is not given to the next.
        fs::rename(&path, folder.path().join("b.db")).unwrap();
        assert!(place.is_lost());
        fs::write(&path, "3").unwrap();
        assert!(place.is_lost());
        assert!(!Place::of(path).is_lost());
    }
}
