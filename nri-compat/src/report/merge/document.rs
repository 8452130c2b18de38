//! A merged report as JSON: the report itself, with the values that are derived from it.

use serde::{Serialize, Serializer};

use super::{MergeReport, MergedCluster, MergedPlugin};
use crate::report::check::{Outcome, SkippedDocument};

/// The report of `merge`: the plugins on many nodes, with the number of nodes for each verdict.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::report) struct MergeDocument<'r> {
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl Serialize for MergeReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = MergeDocument {
            plugins: &self.plugins,
            clusters: &self.clusters,
            silent: &self.silent,
            without_host: &self.without_host,
            without_cluster: &self.without_cluster,
            skipped: self.skipped.iter().map(SkippedDocument::from).collect(),
            summary: MergeSummary {
                reports: self.reports,
                nodes: self.nodes,
                clusters: self.clusters.len(),
                unnamed: self.unnamed,
                superseded: self.superseded,
                expected: self.expected,
                silent: self.silent.len(),
                plugins: self.plugins.len(),
                beyond: self.beyond,
                skipped: self.skipped_in_all,
            },
        };
        document.serialize(serializer)
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
