//! `nri-compat logs FILE...`.

use std::path::PathBuf;

use nri_codegen::history::History;

use super::check::not_there;
use super::{answer, output, progress, targets};
use crate::check::assess::assess;
use crate::check::logs::read_logs;
use crate::error::Error;
use crate::exit::Exit;

/// Which plugins a runtime's logs name for deprecated interfaces, and what else went wrong with them.
///
/// Reads what containerd and CRI-O log, as text or JSON, as it is or through journalctl and log collectors, and
/// `ctr deprecations list`; plain, gzip or zstd. Only events that fired are in a log: `check` looks at the plugins.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Logs; - for standard input, as in `journalctl -u containerd -o json | nri-compat logs -`.
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    targets: targets::Args,
    #[command(flatten)]
    answer: answer::Args,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let decisions = args.answer.decisions()?;
    let history = History::embedded()?;
    let targets = args.targets.resolve(&history, decisions.targets())?;
    let mut collected = progress::shown(|progress| read_logs(&args.paths, Some(progress)));
    let missing = std::mem::take(&mut collected.missing);
    let exit = args.answer.finish(assess(collected, &targets), decisions)?;
    Ok(match exit {
        Exit::Clean if !missing.is_empty() => output::error(&not_there(&missing)),
        exit => exit,
    })
}
