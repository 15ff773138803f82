//! The end of the window, and what may come after it.
//!
//! The order is: the page and its window, then the engine (which ends probe and writing within 1.7 s, whatever the driver does),
//! then what is left of the page, then the process, or in its place the same program over the other rig.

use std::{env, ffi::OsString, io, os::unix::process::CommandExt, process::Command, sync::OnceLock};

use fanfare_engine::profile::Profile;
use tauri::AppHandle;
use tokio::signal::unix::{SignalKind, signal};

use crate::rendering;

/// What comes after the window.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    next: OnceLock<Profile>,
}

impl Ending {
    /// The same program over this rig comes next. The first word counts; the window is closing from then on.
    pub(crate) fn then_show(&self, profile: Profile) {
        let _ = self.next.set(profile);
    }

    /// The rig that is to be shown next, if any.
    pub(crate) fn next(&self) -> Option<Profile> {
        self.next.get().copied()
    }
}

/// Closes the window when the system asks the program to end.
pub(crate) async fn at_a_signal(app: AppHandle) {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        // Then the signals end the process themselves; the kernel takes back lock and socket, and the probe ends with its input.
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    app.exit(0);
}

/// Replaces this process by the same program over the rig of `profile`. Returns only if that fails.
pub(crate) fn show(profile: Profile) -> io::Error {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return error,
    };
    let mut command = Command::new(program);
    command.args(with_profile(env::args_os().skip(1), profile));
    rendering::forget(&mut command);
    command.exec()
}

/// The arguments with this profile in place of what they said of it, and without the library that belongs to the rig it was
/// named for.
fn with_profile(mut arguments: impl Iterator<Item = OsString>, profile: Profile) -> Vec<OsString> {
    const OF_THE_RIG: [&str; 2] = ["--profile", "--nvml-lib"];
    let mut kept = vec![OsString::from(format!("--profile={profile}"))];
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let (name, has_value) = text.split_once('=').map_or((&*text, false), |(name, _)| (name, true));
        if !OF_THE_RIG.contains(&name) {
            kept.push(argument);
        } else if !has_value {
            // Its value is a word of its own.
            arguments.next();
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_start_names_its_rig_once_and_no_library_of_the_other() {
        let table: [(&[&str], &[&str]); 4] = [
            (&[], &["--profile=demo"]),
            (&["--profile", "real", "--safe-rendering"], &["--profile=demo", "--safe-rendering"]),
            (&["--data-dir", "/data", "--profile=real"], &["--profile=demo", "--data-dir", "/data"]),
            (&["--nvml-lib", "/lib/nvml.so", "--data-dir=/data"], &["--profile=demo", "--data-dir=/data"]),
        ];
        for (given, expected) in table {
            let given = given.iter().map(OsString::from);
            assert_eq!(with_profile(given, Profile::Demo), expected);
        }
    }

    #[test]
    fn the_first_word_on_what_comes_next_counts() {
        let ending = Ending::default();
        assert_eq!(ending.next(), None);
        ending.then_show(Profile::Demo);
        ending.then_show(Profile::Real);
        assert_eq!(ending.next(), Some(Profile::Demo));
    }
}
