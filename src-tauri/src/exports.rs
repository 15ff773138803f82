//! Files that the owner asks for: written whole or not at all, into the download directory, over nothing that is there.
//!
//! The page has no other way to a file, and this one leads nowhere else: a name is a name and no path, and at most 32 MiB long is
//! what it names. A file is first written under a name of its own, flushed, and then given the wanted name, for which the kernel
//! refuses one that is taken; of 999 names one is free, or it is said that none is.

use std::{
    fs::Permissions,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    str::FromStr,
};

use fanfare_engine::api::{ApiError, ErrorCode};
use tempfile::{Builder, NamedTempFile};

/// The largest file. A picture of a whole screen is 1 MB, a table of eight cards with 2,000 rows each 3 MB.
const LARGEST: usize = 32 << 20;
/// The longest name, without its ending.
const LONGEST_NAME: usize = 100;
/// So many files may have one name, told apart by numbers.
const MOST_OF_ONE_NAME: u32 = 999;
/// A file of the owner's, as other programs make one; what the owner's mask forbids is taken away.
const MODE: u32 = 0o666;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportKind {
    /// A table.
    Csv,
    /// A picture.
    Png,
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    /// It has no name.
    #[error("no name was given")]
    Unnamed,
    /// Its name is none, or could be a path.
    #[error("{0:?} is no name for a file: letters, digits, '.', '_' and '-', up to 100, the first no '.'")]
    BadName(String),
    /// It is neither a table nor a picture.
    #[error("{0:?} is no kind of file: csv or png")]
    BadKind(String),
    /// What came is not bytes.
    #[error("the body is not bytes")]
    NoBytes,
    /// It is too large.
    #[error("{0} bytes are too many: 32 MiB are the most")]
    TooLarge(usize),
    /// There is no directory for it.
    #[error("no home directory is known")]
    NoHome,
    /// Every name is taken.
    #[error("{0} has 999 files of this name")]
    Taken(PathBuf),
    /// The directory or the disk does not take it.
    #[error("{path}: {source}")]
    Disk {
        /// The file, or its directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The program is ending.
    #[error("the program is ending")]
    GivenUp,
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        Self {
            code: ErrorCode::NotExported,
            message: "the file was not written".into(),
            detail: Some(error.to_string()),
        }
    }
}

impl ExportKind {
    const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Png => "png",
        }
    }
}

impl FromStr for ExportKind {
    type Err = ExportError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kinds = [Self::Csv, Self::Png];
        let kind = kinds.into_iter().find(|kind| kind.ending() == text);
        kind.ok_or_else(|| ExportError::BadKind(text.chars().take(16).collect()))
    }
}

/// Where files for the owner go.
#[derive(Debug, Clone)]
pub(crate) struct Exports {
    directory: Option<PathBuf>,
}

impl Exports {
    /// The user's download directory, or the home directory where the system names none or the one it names is gone.
    pub(crate) fn of_user() -> Self {
        Self {
            directory: dirs::download_dir().filter(|downloads| downloads.is_dir()).or_else(dirs::home_dir),
        }
    }

    /// Another directory, or none.
    #[cfg(test)]
    pub(crate) fn at(directory: Option<&Path>) -> Self {
        Self { directory: directory.map(Path::to_path_buf) }
    }

    /// Writes a file, and tells where it lies: `name.csv`, or `name-2.csv` and so on where that is taken.
    ///
    /// # Errors
    /// The name or the size cannot serve, or the disk does not take it; then nothing is left behind.
    pub(crate) fn keep(&self, name: &str, kind: ExportKind, bytes: &[u8]) -> Result<PathBuf, ExportError> {
        check_name(name)?;
        if bytes.len() > LARGEST {
            return Err(ExportError::TooLarge(bytes.len()));
        }
        let directory = self.directory.as_deref().ok_or(ExportError::NoHome)?;
        let file = written(directory, bytes)
            .map_err(|source| ExportError::Disk { path: directory.to_path_buf(), source })?;
        name_it(file, directory, name, kind)
    }
}

/// A file under a name of its own; it goes when it is dropped.
fn written(directory: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = Builder::new()
        .prefix(".fanfare-")
        .permissions(Permissions::from_mode(MODE))
        .tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Gives the file the first wanted name that is free.
fn name_it(
    mut file: NamedTempFile,
    directory: &Path,
    name: &str,
    kind: ExportKind,
) -> Result<PathBuf, ExportError> {
    for number in 1..=MOST_OF_ONE_NAME {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let path = directory.join(format!("{name}{number}.{}", kind.ending()));
        match file.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
            Err(failed) => return Err(ExportError::Disk { path, source: failed.error }),
        }
    }
    Err(ExportError::Taken(directory.to_path_buf()))
}

fn check_name(name: &str) -> Result<(), ExportError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let serves =
        (1..=LONGEST_NAME).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(plain);
    if serves { Ok(()) } else { Err(ExportError::BadName(name.chars().take(LONGEST_NAME).collect())) }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt};

    use tempfile::tempdir;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_whole_and_over_none_that_is_there() {
        let folder = tempdir().unwrap();
        let exports = Exports::at(Some(folder.path()));
        let first = exports.keep("card-1_a.b", ExportKind::Csv, b"time\n1\n").unwrap();
        let second = exports.keep("card-1_a.b", ExportKind::Csv, b"time\n2\n").unwrap();
        let picture = exports.keep("card-1_a.b", ExportKind::Png, b"\x89PNG").unwrap();
        assert_eq!(names(folder.path()), ["card-1_a.b-2.csv", "card-1_a.b.csv", "card-1_a.b.png"]);
        assert_eq!(first, folder.path().join("card-1_a.b.csv"));
        assert_eq!(fs::read(first).unwrap(), b"time\n1\n");
        assert_eq!(fs::read(second).unwrap(), b"time\n2\n");
        assert_eq!(fs::read(&picture).unwrap(), b"\x89PNG");
        // As any file that this process makes: all but what its mask takes away, and nothing is executable.
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        assert_eq!(fs::metadata(picture).unwrap().mode(), fs::metadata(plain).unwrap().mode());
    }

    #[test]
    fn what_is_a_link_to_another_file_is_not_written_through() {
        let folder = tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "kept").unwrap();
        std::os::unix::fs::symlink(&precious, folder.path().join("a.csv")).unwrap();
        let path = Exports::at(Some(folder.path())).keep("a", ExportKind::Csv, b"new").unwrap();
        assert_eq!(
            (fs::read_to_string(precious).unwrap().as_str(), path),
            ("kept", folder.path().join("a-2.csv"))
        );
    }

    #[test]
    fn a_name_that_could_be_a_path_and_a_file_too_large_are_refused_and_leave_nothing() {
        let folder = tempdir().unwrap();
        let exports = Exports::at(Some(folder.path()));
        let long = "x".repeat(101);
        for name in ["", ".", "..", ".hidden", "../up", "a/b", "a\\b", "a b", "a\0", "温度", "a\n", &long] {
            let refused = exports.keep(name, ExportKind::Csv, b"x").unwrap_err();
            assert!(matches!(refused, ExportError::BadName(_)), "{name:?}: {refused}");
        }
        // A byte more than 32 MiB.
        let refused = exports.keep("a", ExportKind::Png, &vec![0; 33_554_433]).unwrap_err();
        assert!(matches!(refused, ExportError::TooLarge(33_554_433)), "{refused}");
        assert_eq!(names(folder.path()), Vec::<String>::new());
        exports.keep(&"x".repeat(100), ExportKind::Png, &vec![0; 33_554_432]).unwrap();
    }

    #[test]
    fn of_a_thousand_files_of_one_name_the_last_is_refused() {
        let folder = tempdir().unwrap();
        let exports = Exports::at(Some(folder.path()));
        fs::write(folder.path().join("a.csv"), "").unwrap();
        for number in 2..=998 {
            fs::write(folder.path().join(format!("a-{number}.csv")), "").unwrap();
        }
        assert_eq!(exports.keep("a", ExportKind::Csv, b"x").unwrap(), folder.path().join("a-999.csv"));
        let refused = exports.keep("a", ExportKind::Csv, b"x").unwrap_err();
        assert!(matches!(refused, ExportError::Taken(_)), "{refused}");
        assert_eq!(names(folder.path()).len(), 999);
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let folder = tempdir().unwrap();
        let gone = folder.path().join("gone");
        let refused = ApiError::from(Exports::at(Some(&gone)).keep("a", ExportKind::Csv, b"x").unwrap_err());
        assert_eq!(refused.code, ErrorCode::NotExported);
        assert!(refused.detail.unwrap().contains("/gone"));
        let homeless = Exports::at(None).keep("a", ExportKind::Csv, b"x").unwrap_err();
        assert!(matches!(homeless, ExportError::NoHome), "{homeless}");
    }
}
