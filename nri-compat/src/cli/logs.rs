//! `nri-compat logs FILE...`.

use std::path::PathBuf;

use super::{answer, progress, targets};
use crate::check::logs::{Options, Period, read_logs};
use crate::error::Error;
use crate::exit::Exit;

/// Lists the plugins that the logs of a runtime name for deprecated interfaces or errors.
///
/// Reads the logs of containerd and CRI-O as text or JSON, plain or wrapped by journalctl, log
/// collectors and grep, and the output of `ctr deprecations list`; also compressed with gzip, zstd,
/// xz or bzip2. A log contains only events that occurred: use `check` for the plugins themselves.
#[derive(Debug, clap::Args)]
pub(super) struct LogsArgs {
    /// Logs, or folders of logs; - for standard input, as in `journalctl -u containerd -o json |
    /// nri-compat logs -`. A plugin in several of them is one finding.
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    period: Period,
    #[command(flatten)]
    targets: targets::Args,
    #[command(flatten)]
    answer: answer::AnswerArgs,
}

pub(super) fn run(args: &LogsArgs) -> Result<Exit, Error> {
    let decisions = args.answer.decisions()?;
    let history = crate::data::history()?;
    let targets = args.targets.resolve(history, &decisions.policy.targets)?;
    let period = args.period;
    let collected = progress::shown(|progress| {
        let progress = Some(progress);
        read_logs(&args.paths, &Options { period, progress })
    });
    args.answer.judge(collected, &targets, &decisions)
}
