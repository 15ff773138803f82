//! `fanfarectl status`: which program holds the data directory, and whether it answers. It takes and starts nothing.
//!
//! Worst case: 5 s, where the holder was stopped or hangs.

use std::io::{Write, stdout};

use fanfare_engine::{EngineError, api::Kind, hold::Holding, visit};

use crate::{
    args::RigArgs,
    failure::Failure,
    session,
    words::{Language, holder},
};

pub(crate) async fn run(rig: &RigArgs, language: Language) -> Result<(), Failure> {
    let opening = session::decide(rig)?;
    let directory = opening.directory.to_string_lossy();
    let line = match visit(&opening.directory, Kind::Command).await.map_err(EngineError::from)? {
        Holding::Free => holder::free(&directory, language),
        Holding::Held(None) => holder::unnamed(&directory, language),
        Holding::Held(Some(by)) => holder::held_by(&directory, &by, language),
    };
    Ok(writeln!(stdout().lock(), "{line}")?)
}
