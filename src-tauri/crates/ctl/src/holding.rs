//! `fanfarectl status`: which program holds the data directory. It takes and starts nothing.

use std::io::{Write, stdout};

use fanfare_engine::hold::{Holding, look};

use crate::{
    args::RigArgs,
    failure::Failure,
    session,
    words::{Language, holder},
};

pub(crate) fn run(rig: &RigArgs, language: Language) -> Result<(), Failure> {
    let opening = session::decide(rig)?;
    let directory = opening.directory.to_string_lossy();
    let line = match look(&opening.directory)? {
        Holding::Free => holder::free(&directory, language),
        Holding::Held(None) => holder::unnamed(&directory, language),
        Holding::Held(Some(by)) => holder::held_by(&directory, &by, language),
    };
    Ok(writeln!(stdout().lock(), "{line}")?)
}
