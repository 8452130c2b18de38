//! The cluster that a report is about.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::report::counted;

/// The name of the reader of clusters in evidence. Its evidence is shown with each verdict, because
/// it explains why a container was checked and how its image was found.
pub const CLUSTER_READER: &str = "cluster";

/// A cluster, as described by its API server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterView {
    /// The name of the context, or `in-cluster`.
    #[serde(default)]
    pub name: String,
    /// The URL of the API server.
    pub server: String,
    /// The identity of the cluster: the SHA-256 of its certificate authority, in hexadecimal, if
    /// known.
    #[serde(default)]
    pub id: Option<String>,
    /// The namespace whose workloads were read; `None` means all of them.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The number of pods that were read.
    #[serde(default)]
    pub pods: u64,
    /// The number of other workloads that were read.
    #[serde(default)]
    pub workloads: u64,
    /// The nodes by runtime, the largest pool first.
    #[serde(default)]
    pub pools: Vec<NodePool>,
}

/// Nodes with the same runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodePool {
    /// The runtime as reported by the nodes: `containerd://2.2.3-k3s1`.
    #[serde(default)]
    pub runtime: String,
    /// The name of the target.
    #[serde(default)]
    pub target: Option<String>,
    /// Why there is no target.
    #[serde(default)]
    pub note: Option<String>,
    /// True if these nodes run no NRI plugins.
    #[serde(skip)]
    pub is_without_plugins: bool,
    /// The names of the nodes, sorted.
    pub nodes: Vec<String>,
}

impl ClusterView {
    /// Returns the targets of the pools that have one of these nodes; those of all pools if there
    /// are no nodes.
    pub fn targets(&self, nodes: &[String]) -> BTreeSet<&str> {
        let has = |pool: &&NodePool| {
            let is_in_pool = |node| pool.nodes.binary_search(node).is_ok();
            nodes.is_empty() || nodes.iter().any(is_in_pool)
        };
        let pools = self.pools.iter().filter(has);
        pools.filter_map(|pool| pool.target.as_deref()).collect()
    }
}

impl NodePool {
    /// Returns the runtime: `containerd 2.2.3`, or a phrase if the nodes do not report it.
    pub fn name(&self) -> String {
        match self.runtime.as_str() {
            "" => "without a runtime".to_owned(),
            runtime => runtime.replacen("://", " ", 1),
        }
    }

    /// Returns the number of nodes with the runtime: `12 nodes containerd 2.2.3`.
    pub fn phrase(&self) -> String {
        format!("{} {}", counted(self.nodes.len(), "node"), self.name())
    }

    /// Returns the release against which plugins are checked: `checked as containerd@2.2.3`, or why
    /// they are not checked.
    pub fn judged(&self) -> String {
        let note = self.note.as_deref().unwrap_or_default();
        match &self.target {
            Some(target) => format!("checked as {target}"),
            None if self.is_without_plugins => format!("without plugins: {note}"),
            None => format!("not checked: {note}"),
        }
    }
}
