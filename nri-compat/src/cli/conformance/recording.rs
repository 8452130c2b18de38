//! `nri-compat conformance recording`.

use std::path::PathBuf;

use nri_conformance::runtime::recording;

use super::{answer, selection};
use crate::error::Error;
use crate::exit::Exit;

/// Tests whether the runtime of a recording kept the contract.
///
/// Judges the order of the events on each connection, by the same statements as `conformance
/// runtime`. Other statements need the requests to the runtime or the state of its node, which a
/// recording does not have.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The recording, as written by `nri-compat record`.
    recording: PathBuf,
    #[command(flatten)]
    selection: selection::Args,
    #[command(flatten)]
    answer: answer::Args,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let started = args.answer.start()?;
    let report = recording::judge(&args.recording, |statement| {
        args.selection.selects(statement)
    })?;
    let place = args.recording.display().to_string();
    args.answer.finish(place, None, report, &started)
}
