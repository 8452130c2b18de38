//! A cluster in a merged report.

use serde::Serialize;

use crate::report::check::runtime_name;
use crate::report::count::counted;

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
    /// The runtime as reported by the nodes: `containerd://2.2.3`.
    pub runtime: String,
    /// The target for plugins on these nodes, if any.
    pub target: Option<String>,
    /// Why there is no such target.
    pub note: Option<String>,
    /// The names of the nodes, sorted.
    pub nodes: Vec<String>,
    /// The number of these nodes that have their own report.
    pub reported: u64,
}

impl MergedCluster {
    /// Returns the name and the API server: `cluster prod (https://api.example.org)`.
    pub fn phrase(&self) -> String {
        format!("cluster {} ({})", self.name, self.server)
    }
}

impl MergedPool {
    /// Returns the runtime: `containerd 2.2.3`, or a phrase if the nodes do not report it.
    pub fn name(&self) -> String {
        runtime_name(&self.runtime)
    }

    /// Returns the number of nodes with the runtime: `12 nodes containerd 2.2.3`.
    pub fn phrase(&self) -> String {
        format!("{} {}", counted(self.nodes.len(), "node"), self.name())
    }

    /// Returns the release against which plugins in pods are checked: `checked as containerd@2.2.3`,
    /// or why they are not checked.
    pub fn judged(&self) -> String {
        match (&self.target, &self.note) {
            (Some(target), _) => format!("checked as {target}"),
            (None, Some(note)) => format!("not checked: {note}"),
            (None, None) => "not checked".to_owned(),
        }
    }

    /// Returns the number of nodes whose hosts were checked: `10 of 12 with their own report`.
    pub fn hosts(&self) -> String {
        let all = self.nodes.len();
        format!("{} of {all} with their own report", self.reported)
    }
}
