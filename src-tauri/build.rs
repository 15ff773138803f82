//! Tauri's build step, told where this house keeps its capabilities and permissions.

use std::{fs, io};

use tauri_build::{AppManifest, Attributes};

/// The page, as `tauri.conf.json` names it: relative to the repository's root, where Cargo runs this script.
const PAGE: &str = "ui/dist";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in [PAGE, "src-tauri/capabilities", "src-tauri/permissions", "icons"] {
        println!("cargo:rerun-if-changed={path}");
    }
    ensure_page()?;
    let attributes = Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(AppManifest::new().permissions_path_pattern("./src-tauri/permissions/**/*.toml"));
    tauri_build::try_build(attributes)?;
    Ok(())
}

/// Lets the Rust side compile, lint and test on a machine that has not built the page yet: Tauri's macro panics without the
/// folder. A page that exists is left alone.
fn ensure_page() -> io::Result<()> {
    fs::create_dir_all(PAGE)
}
