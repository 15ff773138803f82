//! How large the page is.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{failure::Failure, figure::Figure};

/// The built page.
const PAGE: &str = "ui/dist";

/// What the whole page may take since it has charts, which are loaded with the first card's page; before, all of it had 120 kB.
const ALL_MOST_KB: f64 = 140.0;

/// `ui_bundle_kb`, of what the first view loads, and `ui_bundle_kb_all`.
pub(crate) fn measure() -> Result<Vec<Figure>, Failure> {
    let index = fs::read_to_string(Path::new(PAGE).join("index.html"))?;
    let (mut first, mut all) = (0, 0);
    for file in files(Path::new(PAGE))? {
        let bytes = compressed(&file)?;
        all += bytes;
        // The page's first file names all that is loaded with it: script, styles and font.
        let is_first = file
            .file_name()
            .is_some_and(|name| name == "index.html" || index.contains(name.to_string_lossy().as_ref()));
        first += if is_first { bytes } else { 0 };
    }
    let how = "each compressed by gzip -9, in thousands of bytes";
    let kilobytes = |bytes: usize| vec![bytes as f64 / 1e3];
    Ok(Vec::from([
        Figure::alone(
            "ui_bundle_kb",
            kilobytes(first),
            120.0,
            "kB",
            &format!("the files that the first view loads, {how}"),
        ),
        Figure::alone(
            "ui_bundle_kb_all",
            kilobytes(all),
            ALL_MOST_KB,
            "kB",
            &format!("every file of the built page, {how}"),
        ),
    ]))
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
