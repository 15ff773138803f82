//! `fanfarectl`: the rig from a terminal.
//!
//! Each verb is a module; what they share is how a rig is opened ([`session`]), how readings are put into a table ([`table`]) and
//! the words for both languages ([`words`]). Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the driver cannot be read, 4 the data
//! directory is another program's or another user's, 130 a long work was stopped by a signal.

mod args;
mod cards;
mod failure;
mod history;
mod holding;
mod json;
mod leaving;
mod news;
mod report;
mod serve;
mod session;
mod shown;
mod status;
mod table;
mod view;
mod watch;
mod words;

use std::process::ExitCode;

use clap::Parser;

use crate::{
    args::{Args, Verb},
    failure::Failure,
    words::Language,
};

fn main() -> ExitCode {
    let args = Args::parse();
    let language = Language::of_environment();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::from(error).tell(language),
    };
    match runtime.block_on(run(&args, language)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(language),
    }
}

async fn run(args: &Args, language: Language) -> Result<(), Failure> {
    match &args.verb {
        Verb::Cards(cards) => cards::run(&args.rig, cards, language).await,
        Verb::Watch(watch) => watch::run(&args.rig, watch, language).await,
        Verb::Report(report) => report::run(&args.rig, report).await,
        Verb::Serve => serve::run(&args.rig, language).await,
        Verb::History(history) => history::run(&args.rig, history, language).await,
        Verb::Status => holding::run(&args.rig, language).await,
    }
}
