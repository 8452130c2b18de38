//! A merged report as JSON: the report itself, with the values that are derived from it.

use serde::{Serialize, Serializer};

use super::{MergeReport, MergedCluster, MergedPlugin};
use crate::report::check::{Outcome, SkippedDocument};
use crate::report::json::SCHEMA;

/// The report of `merge`: the plugins on many nodes, with the number of nodes for each verdict.
#[derive(Serialize)]
pub struct MergeDocument<'r> {
    /// The version of this format. It increases when a field changes its meaning or is removed.
    schema: u32,
    /// The plugins, the worst on the most nodes first.
    plugins: &'r [MergedPlugin],
    /// The clusters with a report, each with its nodes by runtime.
    clusters: &'r [MergedCluster],
    /// Expected nodes without a report.
    silent: &'r [String],
    /// Nodes of clusters that have no report of their own.
    without_host: &'r [String],
    /// Nodes with a report that no cluster lists, if there is a report of a cluster.
    without_cluster: &'r [String],
    /// The first thousand inputs that are broken or not reports.
    skipped: Vec<SkippedDocument<'r>>,
    /// The numbers of reports, nodes and plugins.
    summary: MergeSummary,
}

/// The numbers of reports, nodes and plugins.
#[derive(Serialize)]
struct MergeSummary {
    /// Reports that were read.
    reports: u64,
    /// Nodes: those with a name, and one for each report without.
    nodes: u64,
    /// Clusters with a report.
    clusters: usize,
    /// Reports without the name of a node.
    unnamed: u64,
    /// Reports that a newer one of the same node replaces.
    superseded: u64,
    /// Nodes that should have a report.
    expected: u64,
    /// Those of them that have none.
    silent: usize,
    /// Distinct plugins.
    plugins: usize,
    /// Plugins or nodes beyond the limits.
    beyond: u64,
    /// Inputs that were skipped.
    skipped: u64,
}

impl<'r> From<&'r MergeReport> for MergeDocument<'r> {
    fn from(report: &'r MergeReport) -> Self {
        Self {
            schema: SCHEMA,
            plugins: &report.plugins,
            clusters: &report.clusters,
            silent: &report.silent,
            without_host: &report.without_host,
            without_cluster: &report.without_cluster,
            skipped: report.skipped.iter().map(SkippedDocument::from).collect(),
            summary: MergeSummary {
                reports: report.reports,
                nodes: report.nodes,
                clusters: report.clusters.len(),
                unnamed: report.unnamed,
                superseded: report.superseded,
                expected: report.expected,
                silent: report.silent.len(),
                plugins: report.plugins.len(),
                beyond: report.beyond,
                skipped: report.skipped_in_all,
            },
        }
    }
}

/// Writes the numbers of nodes by verdict; all five are always present.
pub(super) fn by_outcome<S: Serializer>(
    counts: &[u64; Outcome::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let names = Outcome::ALL.iter().map(|outcome| outcome.as_str());
    serializer.collect_map(names.zip(counts))
}
