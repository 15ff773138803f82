//! How large the page is.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{failure::Failure, figure::Figure};

/// The built page.
const PAGE: &str = "ui/dist";

/// `ui_bundle_kb`.
pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let mut bytes = 0;
    for file in files(Path::new(PAGE))? {
        bytes += compressed(&file)?;
    }
    let how = "every file of the built page, each compressed by gzip -9, in thousands of bytes";
    Ok(vec![Figure::alone("ui_bundle_kb", vec![bytes as f64 / 1e3], 120.0, "kB", how)])
}

/// All files below a folder. Folders of the page lie one in another a few deep.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { folders.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    Ok(found)
}

fn compressed(file: &Path) -> Result<usize, Failure> {
    let done =
        Command::new("gzip").args(["-9", "-c"]).stdin(File::open(file)?).stderr(Stdio::inherit()).output()?;
    Ok(done.stdout.len())
}
