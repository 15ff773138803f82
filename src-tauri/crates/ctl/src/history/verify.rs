//! `fanfarectl history verify`: reads everything that was recorded and checks it.
//!
//! It reads one state of the file, also while another program records; a year of eight cards takes some seconds.

use std::io::{Write, stdout};

use fanfare_engine::Opening;

use super::{
    open,
    work::{self, Meter},
};
use crate::{
    failure::Failure,
    words::{Language, history},
};

pub(super) async fn run(opening: &Opening, language: Language) -> Result<(), Failure> {
    let directory = opening.directory.clone();
    let verified = work::run(move |stop| {
        let mut meter = Meter::new(false);
        Ok(open(&directory)?.verify_while(|progress| {
            meter.show(progress.done, progress.of);
            stop.flow()
        })?)
    })
    .await?;
    let mut out = stdout().lock();
    writeln!(out, "{}", history::verified(&verified, language))?;
    for finding in &verified.findings {
        writeln!(out, "- {finding}")?;
    }
    if verified.more > 0 {
        writeln!(out, "{}", history::more_findings(verified.more, language))?;
    }
    if verified.is_clean() { Ok(()) } else { Err(Failure::NotClean) }
}
