//! `nri-compat merge FILE...`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::output;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::merge::Merge;
use crate::report::{json, text};

/// Makes one report out of those of many nodes: per plugin, on how many nodes it is, first and last seen.
///
/// Reads what `check` and `logs` write with --format json or jsonl, one report a node: files, lines, or one after the
/// other, also as log collectors wrap lines. A broken report is listed as skipped; the rest counts.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Reports; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Format of the answer.
    #[arg(long, value_enum, default_value_t = MergeFormat::Text)]
    format: MergeFormat,
}

/// Format of a merged report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MergeFormat {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let mut merge = Merge::default();
    for path in &args.paths {
        let shown = path.to_string_lossy();
        match open(path) {
            Ok(mut input) => merge.read(&shown, &mut *input),
            Err(error) => merge.skip(&shown, format!("cannot be read: {error}")),
        }
    }
    let report = merge.finish();
    output::print(&match args.format {
        MergeFormat::Text => text::merge(&report, output::palette()),
        MergeFormat::Json => json::merge(&report),
    })?;
    match report.reports {
        0 => Err(
            Error::new(ErrorKind::Input, "no report could be read").with_help(
                "name files that `nri-compat check --format json` wrote, or - for standard input",
            ),
        ),
        _ => Ok(Exit::Clean),
    }
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    match path == Path::new("-") {
        true => Ok(Box::new(io::stdin().lock())),
        false => Ok(Box::new(File::open(path)?)),
    }
}
