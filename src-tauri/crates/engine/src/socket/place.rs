//! Where the socket lies, and that nobody but its user comes near it.
//!
//! The runtime directory is the place the system gives a user for sockets. Where there is none, or it is another user's (as under
//! `sudo` with the environment kept), a folder beside the data serves. Either way the socket lies in a folder that only its user
//! may enter. The folder is opened once and the socket reached through it: its path may be longer than the 107 bytes that a
//! socket's address holds, and nobody can put another folder in its place in between.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirBuilder, Permissions},
    hash::Hasher,
    io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{
            ffi::OsStrExt,
            fs::{DirBuilderExt, PermissionsExt},
        },
    },
    path::{Path, PathBuf},
};

use fnv::FnvHasher;
use rustix::{
    fs::{AtFlags, Mode, OFlags, fchmod, fstat, open, stat, unlinkat},
    io::Errno,
    process::geteuid,
};
use tokio::net::{UnixListener, UnixStream};

use crate::profile::Profile;

/// The socket's name in its folder.
const FILE: &str = "engine.sock";

/// Where the socket of `data`, the directory of `profile`, lies: in the user's `runtime` directory, if that is the user's, or else
/// beside the data.
pub(crate) fn place(data: &Path, profile: Profile, runtime: Option<&Path>) -> PathBuf {
    // Clients read it in the lock, wherever they were started. Only an empty path has no absolute one.
    let data = &std::path::absolute(data).unwrap_or_else(|_| data.to_path_buf());
    match runtime.filter(|runtime| is_ours(runtime)) {
        Some(runtime) => runtime.join("fanfare").join(folder_name(data, profile)).join(FILE),
        None => data.join("run").join(FILE),
    }
}

/// A data directory's name among others in one runtime directory. Clients need not make it up again: the lock names the socket.
fn folder_name(data: &Path, profile: Profile) -> String {
    let mut hasher = FnvHasher::default();
    hasher.write(data.as_os_str().as_bytes());
    format!("{profile}-{:016x}", hasher.finish())
}

fn is_ours(directory: &Path) -> bool {
    stat(directory).is_ok_and(|found| found.st_uid == geteuid().as_raw())
}

/// A socket that was made, in its folder. Dropping it takes it away.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) listener: UnixListener,
    folder: OwnedFd,
    name: OsString,
}

impl Bound {
    /// Makes the socket at `path`, in place of one that a dead holder left: so only whoever holds the lock may call it.
    ///
    /// # Errors
    /// Its folder cannot be made or is another user's, or the socket cannot be made.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_os_string();
        let folder = private_folder(path)?;
        match unlinkat(&folder, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let address = through(&folder, &name);
        let listener = UnixListener::bind(&address)?;
        fs::set_permissions(&address, Permissions::from_mode(0o600))?;
        Ok(Self { listener, folder, name })
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // What cannot be taken away is a leftover, and the next holder's to remove.
        let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
    }
}

/// Connects to the socket at `path`.
///
/// # Errors
/// There is none, or nobody listens.
pub(crate) async fn connect(path: &Path) -> io::Result<UnixStream> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = open_folder(path)?;
    UnixStream::connect(through(&folder, name)).await
}

fn through(folder: &OwnedFd, name: &OsStr) -> PathBuf {
    Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name)
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(open(folder, flags, Mode::empty())?)
}

/// The folder of `path`, made if it is not there, and closed to all but this user.
fn private_folder(path: &Path) -> io::Result<OwnedFd> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let opened = open_folder(path)?;
    let found = fstat(&opened)?;
    if found.st_uid != geteuid().as_raw() {
        let words = format!("{} belongs to another user", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
    }
    fchmod(&opened, Mode::RWXU)?;
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_socket_lies_in_the_users_runtime_directory_or_else_beside_the_data() {
        let runtime = tempfile::tempdir().unwrap();
        let data = Path::new("/data/real");
        let named = runtime.path().join("fanfare").join(folder_name(data, Profile::Real)).join(FILE);
        assert_eq!(place(data, Profile::Real, Some(runtime.path())), named);
        assert_ne!(
            place(data, Profile::Real, Some(runtime.path())),
            place(Path::new("/other/real"), Profile::Real, Some(runtime.path()))
        );
        let beside = PathBuf::from("/data/real/run/engine.sock");
        assert_eq!(place(data, Profile::Real, None), beside);
        assert_eq!(place(data, Profile::Real, Some(Path::new("/nonexistent"))), beside);
    }

    #[tokio::test]
    async fn only_its_user_comes_near_the_socket() {
        let data = tempfile::tempdir().unwrap();
        let path = place(data.path(), Profile::Demo, None);
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
        let bound = Bound::at(&path).unwrap();
        assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
        drop(bound);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_path_longer_than_an_address_serves_all_the_same() {
        let data = tempfile::tempdir().unwrap();
        let path = place(&data.path().join("x".repeat(120)), Profile::Real, None);
        let bound = Bound::at(&path).unwrap();
        let (client, accepted) = tokio::join!(connect(&path), bound.listener.accept());
        client.unwrap();
        accepted.unwrap();
    }

    #[tokio::test]
    async fn what_a_dead_holder_left_is_replaced() {
        let data = tempfile::tempdir().unwrap();
        let path = place(data.path(), Profile::Real, None);
        let dead = Bound::at(&path).unwrap();
        // Its listener ends without taking the file away, as under SIGKILL.
        let leftover = data.path().join("run/leftover");
        fs::rename(&path, &leftover).unwrap();
        drop(dead);
        fs::rename(&leftover, &path).unwrap();
        assert_eq!(connect(&path).await.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        let _bound = Bound::at(&path).unwrap();
        connect(&path).await.unwrap();
    }
}
