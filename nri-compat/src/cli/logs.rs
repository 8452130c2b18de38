//! `nri-compat logs FILE...`.

use std::path::PathBuf;

use jiff::Timestamp;

use super::check::not_there;
use super::{answer, output, progress, targets};
use crate::check::assess::assess;
use crate::check::logs::{Options, Period, parse_time, read_logs};
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// Lists the plugins that the logs of a runtime name for deprecated interfaces or errors.
///
/// Reads the logs of containerd and CRI-O as text or JSON, plain or wrapped by journalctl, log
/// collectors and grep, and the output of `ctr deprecations list`; also compressed with gzip, zstd
/// or xz. A log contains only events that occurred: use `check` for the plugins themselves.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Logs, or folders of logs; - for standard input, as in `journalctl -u containerd -o json |
    /// nri-compat logs -`. The files of a rotated set are read as one log.
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Skip lines before this time, in a format of journalctl: "2026-03-18 20:15:04", "yesterday",
    /// "-1h", "2 days ago", "@1773864904". Lines without a time are kept.
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    since: Option<Timestamp>,
    /// Skip lines after this time, in the same formats.
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    until: Option<Timestamp>,
    #[command(flatten)]
    targets: targets::Args,
    #[command(flatten)]
    answer: answer::Args,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let decisions = args.answer.decisions()?;
    let history = crate::data::history()?;
    let targets = args.targets.resolve(history, &decisions.policy.targets)?;
    let period = Period {
        since: args.since,
        until: args.until,
    };
    let mut collected = progress::shown(|progress| {
        let progress = Some(progress);
        read_logs(&args.paths, &Options { period, progress })
    });
    let missing = std::mem::take(&mut collected.missing);
    let unread = std::mem::take(&mut collected.unread);
    let exit = args
        .answer
        .finish(assess(collected, &targets), &decisions)?;
    Ok(match exit {
        Exit::Clean if !missing.is_empty() => output::error(&not_there(&missing)),
        Exit::Clean if !unread.is_empty() => output::error(&not_read(unread)),
        exit @ (Exit::Clean | Exit::CouldNotRun | Exit::Usage | Exit::Findings) => exit,
    })
}

/// Returns the error for logs that may have warnings in parts that could not be read, which must
/// not count as clean.
fn not_read(mut unread: Vec<String>) -> Error {
    unread.sort();
    unread.dedup();
    let message = format!("not all could be read of {}", unread.join(", "));
    Error::new(ErrorKind::Input, message)
        .with_help("what is missing may have warnings: read the whole log again")
}
