//! Loading the driver library, and what a refusal means.

use std::ffi::OsStr;

use fanfare_rig::{Trouble, TroubleCode};
use nvml_wrapper::{Nvml, error::NvmlError};

use crate::codes;

/// Loads and starts the driver library.
///
/// It is kept for the life of the process: the cards' threads hold handles of it, one of them may be inside a call for ever, and
/// so there is no moment at which unloading it would be right.
pub fn load(library: &OsStr) -> Result<&'static Nvml, Trouble> {
    match Nvml::builder().lib_path(library).init() {
        Ok(nvml) => Ok(Box::leak(Box::new(nvml))),
        Err(error) => Err(trouble(library, error)),
    }
}

/// Functions without which no card can be named: a library that lacks one is of no use, whatever else it has.
pub(crate) fn indispensable(nvml: &Nvml) -> Result<(), Trouble> {
    let lib = nvml.lib();
    let missing = [
        ("nvmlDeviceGetCount_v2", lib.nvmlDeviceGetCount_v2.is_err()),
        ("nvmlDeviceGetHandleByIndex_v2", lib.nvmlDeviceGetHandleByIndex_v2.is_err()),
        ("nvmlDeviceGetUUID", lib.nvmlDeviceGetUUID.is_err()),
    ];
    match missing.into_iter().find(|(_, missing)| *missing) {
        None => Ok(()),
        Some((call, _)) => Err(Trouble {
            code: TroubleCode::LibraryTooOld,
            nvml: None,
            detail: format!("the library has no {call}"),
        }),
    }
}

fn trouble(library: &OsStr, error: NvmlError) -> Trouble {
    let detail = error.to_string();
    match error {
        NvmlError::LibloadingError(error) => {
            let code = of_loader(library, &loader_words(&error));
            Trouble { code, nvml: None, detail: loader_words(&error) }
        }
        // The one symbol looked up so far is `nvmlInit_v2`, which every NVML since 2011 has.
        NvmlError::FailedToLoadSymbol(detail) => {
            Trouble { code: TroubleCode::LibraryUnusable, nvml: None, detail }
        }
        error => {
            let code = codes::code(error);
            Trouble { code: TroubleCode::of_start(code), nvml: Some(code), detail }
        }
    }
}

/// The loader's own sentence, which the error hides behind its source.
fn loader_words(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Whether the loader found no file, or a file it could not use. It tells the two apart by its words alone (`dlopen(3)` has no
/// codes), and names first the file it could not find: a library that lacks another one of its own is not an absent one.
fn of_loader(library: &OsStr, words: &str) -> TroubleCode {
    let names_it = words.starts_with(&*library.to_string_lossy());
    if names_it && words.contains("No such file or directory") {
        TroubleCode::LibraryAbsent
    } else {
        TroubleCode::LibraryUnusable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_words_tell_an_absent_library_from_a_useless_one() {
        let name = OsStr::new("libnvidia-ml.so.1");
        let table = [
            (
                "libnvidia-ml.so.1: cannot open shared object file: No such file or directory",
                TroubleCode::LibraryAbsent,
            ),
            ("libnvidia-ml.so.1: invalid ELF header", TroubleCode::LibraryUnusable),
            ("libnvidia-ml.so.1: file too short", TroubleCode::LibraryUnusable),
            (
                "libnvidia-ml.so.1: cannot open shared object file: Permission denied",
                TroubleCode::LibraryUnusable,
            ),
            (
                "libother.so.2: cannot open shared object file: No such file or directory",
                TroubleCode::LibraryUnusable,
            ),
        ];
        for (words, code) in table {
            assert_eq!(of_loader(name, words), code, "{words}");
        }
    }
}
