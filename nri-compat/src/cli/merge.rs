//! `nri-compat merge FILE...`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::Value;

use super::published::ApiName;
use super::values::formats_of;
use super::{output, published};
use crate::arguments::is_stdin;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::merge::{Merge, node_names};
use crate::policy::{FailOn, level_counts, named};
use crate::report::merge::MergeReport;
use crate::report::policy_report;
use crate::report::template::Format;
use crate::text_file;

/// The maximum size of the list of expected nodes in bytes.
const MAX_NODES: u64 = 64 << 20;

/// Merges the reports of many nodes: for each plugin, the number of nodes, and when it was first
/// and last seen.
///
/// Reads the output of `check` and `logs` with --format json or jsonl: files, lines, or
/// concatenated; also compressed with gzip, zstd or xz, wrapped by log collectors, or cut into
/// pieces by container runtimes. If there are several reports of a node, the newest counts. A
/// broken report is listed as skipped, and the others count.
#[derive(Debug, clap::Args)]
pub(super) struct MergeArgs {
    /// Reports; - for standard input.
    #[arg(value_name = "FILE", required_unless_present = "cluster")]
    paths: Vec<PathBuf>,
    /// Read the reports that `check --publish` wrote into the cluster of the kubeconfig, or of this
    /// pod, as objects of this API.
    #[arg(long, value_name = "API", num_args = 0..=1, default_missing_value = "openreports")]
    cluster: Option<ApiName>,
    /// Output format.
    #[arg(long, value_parser = formats_of::<&MergeReport>(), default_value = "text")]
    format: Format,
    /// List the nodes in this file that have no report: one name per line, or the output of
    /// `kubectl get nodes`, also with `-o name`; - for standard input.
    #[arg(long, value_name = "FILE")]
    expect_nodes: Option<PathBuf>,
    /// Exit with code 100 for these and more serious verdicts on any node, for silent nodes, or for
    /// skipped reports; several separated by commas.
    #[arg(
        long,
        value_parser = condition(),
        value_delimiter = ',',
        value_name = "WHAT",
        default_value = "never"
    )]
    fail_on: Vec<Condition>,
}

/// A condition for exit code 100; `None` is a silent node.
type Condition = Option<FailOn>;

/// Returns a parser of the conditions of `check`, and of `silent`.
fn condition() -> impl TypedValueParser<Value = Condition> {
    let silent = PossibleValue::new("silent").help(
        "Nodes in --expect-nodes without a report; with reports of clusters and of nodes, also nodes that only one of them has",
    );
    let values = FailOn::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(values.chain([silent]))
        .map(|name| FailOn::from_str(&name, false).ok())
}

pub(super) fn run(args: &MergeArgs) -> Result<Exit, Error> {
    let expected = args.expected()?;
    let mut merge = Merge::at(jiff::Timestamp::now());
    for path in &args.paths {
        let shown = path.to_string_lossy();
        match open(path) {
            Ok(mut input) => merge.read(&shown, &mut *input),
            Err(error) => merge.skip(&shown, format!("cannot be read: {error}")),
        }
    }
    if let Some(api) = args.cluster {
        read_cluster(api, &mut merge)?;
    }
    let report = merge.finish(&expected);
    output::print_report(&report, args.format)?;
    if report.summary.reports == 0 {
        return Err(Error::new(ErrorKind::Input, "no report could be read").with_help(
            "name files that `nri-compat check --format json` wrote, or - for standard input; --cluster reads what `nri-compat check --publish` wrote",
        ));
    }
    Ok(exit(&report, &args.fail_on))
}

/// Reads the reports of the nodes of a cluster.
fn read_cluster(api: ApiName, merge: &mut Merge) -> Result<(), Error> {
    published::read(api, &mut |object| {
        let name = object.pointer("/metadata/name").and_then(Value::as_str);
        let path = format!("policy report {}", name.unwrap_or_default());
        match policy_report::document(object) {
            Ok(Some(document)) => merge.read(&path, &mut document.to_string().as_bytes()),
            // About the cluster, which the reports of its nodes are not part of.
            Ok(None) => {}
            Err(error) => merge.skip(&path, format!("not a report of nri-compat: {error}")),
        }
    })
}

impl MergeArgs {
    /// Reads the names of the nodes that should have a report.
    fn expected(&self) -> Result<Vec<String>, Error> {
        let Some(path) = &self.expect_nodes else {
            return Ok(Vec::new());
        };
        let text = text_file::read_from(open(path), path, MAX_NODES, ErrorKind::Input)?;
        node_names(&text).map_err(|error| {
            let error = error.in_input(&path.to_string_lossy());
            error.with_help("write it with `kubectl get nodes -o name`")
        })
    }
}

fn exit(report: &MergeReport, fail_on: &[Condition]) -> Exit {
    let names = |wanted| fail_on.contains(&wanted);
    let verdicts: Vec<FailOn> = fail_on.iter().copied().flatten().collect();
    let mut outcomes = report
        .plugins
        .iter()
        .flat_map(|plugin| &plugin.verdicts)
        .flat_map(|verdict| verdict.outcomes());
    let fails = outcomes.any(|(outcome, _)| named(outcome, &verdicts))
        || report.incidents.iter().any(|incident| level_counts(incident.level, &verdicts))
        || (names(None) && report.has_silent_nodes())
        || (names(Some(FailOn::Skipped)) && report.summary.skipped > 0);
    Exit::of(fails && !names(Some(FailOn::Never)))
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(path)?))
}
