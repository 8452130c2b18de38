//! `nri-compat merge FILE...`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::output;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::merge::{Merge, node_names};
use crate::policy::{FailOn, named};
use crate::report::json;
use crate::report::merge::MergeReport;
use crate::report::template::{Format, render};

/// Merges the reports of many nodes: for each plugin, the number of nodes, and when it was first and
/// last seen.
///
/// Reads the output of `check` and `logs` with --format json or jsonl: files, lines, or
/// concatenated; also compressed with gzip, zstd or xz, wrapped by log collectors, or cut into
/// pieces by container runtimes. If there are several reports of a node, the newest counts. A
/// broken report is listed as skipped, and the others count.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Reports; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = MergeFormat::Text)]
    format: MergeFormat,
    /// List the nodes in this file that have no report: one name per line, or the output of
    /// `kubectl get nodes`, also with `-o name`; - for standard input.
    #[arg(long, value_name = "FILE")]
    expect_nodes: Option<PathBuf>,
    /// Exit with code 100 for these and more serious verdicts on any node, for silent nodes, or for
    /// skipped reports; several separated by commas.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "WHAT",
        default_value = "never"
    )]
    fail_on: Vec<MergeFailOn>,
}

/// Format of a merged report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MergeFormat {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// For pull requests and wikis.
    Markdown,
    /// For browsers: one self-contained file with filters and search.
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MergeFailOn {
    /// Unknown verdicts, in addition to others named; alone, every verdict except ok.
    Unknown,
    /// Plugins that work through a fallback, or worse.
    Deprecated,
    /// Plugins that use something that was removed, or worse.
    Removed,
    /// Plugins that would be dropped or refused.
    Incompatible,
    /// Nodes in --expect-nodes without a report; with reports of clusters and of nodes, also nodes
    /// that only one of them has.
    Silent,
    /// Inputs that could not be read.
    Skipped,
    /// Nothing.
    Never,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let expected = args.expected()?;
    let mut merge = Merge::at(jiff::Timestamp::now());
    for path in &args.paths {
        let shown = path.to_string_lossy();
        match open(path) {
            Ok(mut input) => merge.read(&shown, &mut *input),
            Err(error) => merge.skip(&shown, format!("cannot be read: {error}")),
        }
    }
    let report = merge.finish(&expected);
    output::print(&match args.format {
        MergeFormat::Text => output::text(&report),
        MergeFormat::Json => json::render(&report),
        MergeFormat::Markdown => render(&report, Format::Markdown),
        MergeFormat::Html => render(&report, Format::Html),
    })?;
    if report.summary.reports == 0 {
        return Err(
            Error::new(ErrorKind::Input, "no report could be read").with_help(
                "name files that `nri-compat check --format json` wrote, or - for standard input",
            ),
        );
    }
    Ok(exit(&report, &args.fail_on))
}

impl Args {
    /// Reads the names of the nodes that should have a report.
    fn expected(&self) -> Result<Vec<String>, Error> {
        let Some(path) = &self.expect_nodes else {
            return Ok(Vec::new());
        };
        let text = if is_stdin(path) {
            io::read_to_string(io::stdin().lock())
        } else {
            fs::read_to_string(path)
        };
        let text = text.map_err(|error| {
            let message = format!("cannot read {}: {error}", path.display());
            Error::new(ErrorKind::Input, message)
        })?;
        let names = node_names(&text).map_err(|error| {
            error
                .in_input(&path.to_string_lossy())
                .with_help("write it with `kubectl get nodes -o name`")
        })?;
        if names.is_empty() {
            let message = format!(
                "{} names no nodes, so that none would be silent",
                path.display()
            );
            return Err(Error::new(ErrorKind::Input, message)
                .with_help("write it with `kubectl get nodes -o name`"));
        }
        Ok(names)
    }
}

fn exit(report: &MergeReport, fail_on: &[MergeFailOn]) -> Exit {
    let names = |wanted| fail_on.contains(&wanted);
    let verdicts: Vec<FailOn> = fail_on.iter().filter_map(|arg| arg.verdict()).collect();
    let outcomes = report.plugins.iter().flat_map(|plugin| &plugin.verdicts);
    let mut outcomes = outcomes.flat_map(|verdict| verdict.outcomes());
    let fails = outcomes.any(|(outcome, _)| named(outcome, &verdicts))
        || (names(MergeFailOn::Silent) && report.has_silent_nodes())
        || (names(MergeFailOn::Skipped) && report.summary.skipped > 0);
    Exit::of(fails && !names(MergeFailOn::Never))
}

impl MergeFailOn {
    fn verdict(self) -> Option<FailOn> {
        match self {
            Self::Unknown => Some(FailOn::Unknown),
            Self::Deprecated => Some(FailOn::Deprecated),
            Self::Removed => Some(FailOn::Removed),
            Self::Incompatible => Some(FailOn::Incompatible),
            Self::Silent | Self::Skipped | Self::Never => None,
        }
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(path)?))
}
