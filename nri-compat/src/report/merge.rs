//! The merged reports of many nodes, as plain data for renderers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::check::{ClusterView, NodePool, Outcome, Skipped, VerdictCounts};
use super::finding::Level;
use crate::path::last_part;
use crate::sighting::Built;

/// The report of `merge`: the plugins on many nodes, with the number of nodes for each verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergeReport {
    /// The plugins, the worst on the most nodes first.
    pub plugins: Vec<MergedPlugin>,
    /// The incidents and the findings about configurations, the most serious on the most nodes
    /// first.
    pub incidents: Vec<MergedIncident>,
    /// The clusters with a report, each with its nodes by runtime.
    pub clusters: Vec<MergedCluster>,
    /// Expected nodes without a report.
    pub silent: Vec<String>,
    /// Nodes of clusters that have no report of their own: the plugins on these hosts are unknown.
    pub without_host: Vec<String>,
    /// Nodes with a report that no cluster lists, if there is a report of a cluster: the plugins in
    /// their pods may be unknown.
    pub without_cluster: Vec<String>,
    /// The first thousand inputs that are broken or not reports.
    pub skipped: Vec<Skipped>,
    /// The numbers of reports, nodes and plugins.
    pub summary: MergeSummary,
}

/// The numbers of reports, nodes and plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergeSummary {
    /// Reports that were read.
    pub reports: usize,
    /// Nodes: those with a name, and one for each report without.
    pub nodes: usize,
    /// Clusters with a report.
    pub clusters: usize,
    /// Reports without the name of a node.
    pub unnamed: usize,
    /// Reports that a newer one of the same node replaces, or that were read twice.
    pub superseded: usize,
    /// Nodes that should have a report.
    pub expected: usize,
    /// Those of them that have none.
    pub silent: usize,
    /// Distinct plugins.
    pub plugins: usize,
    /// Distinct incidents and findings about configurations.
    pub incidents: usize,
    /// Findings or nodes beyond the limits, counted at each occurrence.
    pub beyond: usize,
    /// Inputs that were skipped.
    pub skipped: usize,
}

/// A cluster with a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedCluster {
    /// The name of the context.
    pub name: String,
    /// The URL of the API server.
    pub server: String,
    /// The nodes by runtime, the largest pool first.
    pub pools: Vec<MergedPool>,
}

/// Nodes of a cluster with the same runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedPool {
    /// The nodes, as in the report of the cluster.
    #[serde(flatten)]
    pub pool: NodePool,
    /// The number of these nodes that have their own report.
    pub reported: usize,
}

/// A plugin on many nodes: the same index, name, path and program, built with the same NRI.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedPlugin {
    /// Its path on each of them.
    pub path: String,
    /// Its name.
    pub name: Option<String>,
    /// The index of the plugin.
    pub index: Option<String>,
    /// The identity of the program from its build: the main package of a Go program, or the name in
    /// a manifest.
    pub program: Option<String>,
    /// The NRI that it was built with.
    pub nri: Built,
    /// Number of nodes whose newest report contains it.
    pub nodes: usize,
    /// First time stamp: of log lines that mention it, or else of reports that contain it.
    pub first_seen: Option<String>,
    /// The last time stamp.
    pub last_seen: Option<String>,
    /// RPC names of the events it handles on any node.
    pub events: Vec<String>,
    /// Numbers of nodes by target and verdict.
    pub verdicts: Vec<MergedVerdict>,
}

/// An incident of a plugin, or a finding about the configuration of a runtime, on many nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedIncident {
    /// Its id; see `nri-compat explain`.
    pub rule: &'static str,
    /// Its level, as in the reports.
    pub level: Level,
    /// The index and name of the plugin, or the name of the configuration.
    pub label: String,
    /// The path of the plugin, log or configuration on each of the nodes.
    pub path: String,
    /// The setting that it is about, if any.
    pub setting: Option<String>,
    /// Number of nodes whose newest report contains it.
    pub nodes: usize,
}

/// Verdicts under one target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedVerdict {
    /// The name of the target.
    pub target: String,
    /// Number of nodes by outcome, in the order of [`Outcome::ALL`].
    #[serde(rename = "nodes")]
    pub counts: BTreeMap<Outcome, usize>,
}

impl MergeReport {
    /// Returns true if an expected node has no report, or if there are reports of clusters and of
    /// nodes, and a node is only in one of them.
    pub fn has_silent_nodes(&self) -> bool {
        let has_hosts = self.summary.nodes > self.without_host.len();
        !self.silent.is_empty()
            || !self.without_cluster.is_empty()
            || (has_hosts && !self.without_host.is_empty())
    }

    /// Returns the names of all targets, sorted.
    pub fn targets(&self) -> BTreeSet<&str> {
        let verdicts = self.plugins.iter().flat_map(|plugin| &plugin.verdicts);
        verdicts.map(|verdict| verdict.target.as_str()).collect()
    }

    /// Returns the number of plugins by their worst verdict on any node under a target.
    pub fn counts_under(&self, target: &str) -> VerdictCounts {
        let verdicts = self
            .plugins
            .iter()
            .flat_map(|plugin| &plugin.verdicts)
            .filter(|verdict| verdict.target == target);
        let mut counts = VerdictCounts::default();
        verdicts.filter_map(MergedVerdict::worst).for_each(|worst| *counts.of(worst) += 1);
        counts
    }
}

impl MergedCluster {
    /// Returns the cluster of a view, with the number of its nodes among those with a report.
    pub(crate) fn new(view: &ClusterView, reported: &BTreeSet<&str>) -> Self {
        let is_reported = |node: &&String| reported.contains(node.as_str());
        let pools = view.pools.iter().map(|pool| MergedPool {
            reported: pool.nodes.iter().filter(is_reported).count(),
            pool: pool.clone(),
        });
        Self { name: view.name.clone(), server: view.server.clone(), pools: pools.collect() }
    }
}

impl MergedPlugin {
    /// Returns the worst verdict on any node under any target.
    pub fn worst(&self) -> Outcome {
        let worst = self.verdicts.iter().filter_map(MergedVerdict::worst).max();
        worst.unwrap_or_default()
    }

    /// Returns the index and name in the form that runtimes use, the name alone, or the last part
    /// of the path.
    pub fn label(&self) -> String {
        label(self.index.as_deref(), self.name.as_deref(), &self.path)
    }
}

/// Returns an index and a name in the form that runtimes use, the name alone, or the last part of
/// the path.
pub(crate) fn label(index: Option<&str>, name: Option<&str>, path: &str) -> String {
    match (index, name) {
        (Some(index), Some(name)) => format!("{index}-{name}"),
        (None, Some(name)) => name.to_owned(),
        (_, None) => last_part(path).to_owned(),
    }
}

impl MergedVerdict {
    /// Returns the outcomes on any node, each with the number of nodes.
    pub fn outcomes(&self) -> impl Iterator<Item = (Outcome, usize)> {
        let counts = self.counts.iter().map(|(outcome, count)| (*outcome, *count));
        counts.filter(|(_, count)| *count > 0)
    }

    /// Returns the worst outcome on any node.
    fn worst(&self) -> Option<Outcome> {
        self.outcomes().map(|(outcome, _)| outcome).last()
    }
}
