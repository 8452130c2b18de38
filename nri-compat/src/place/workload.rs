//! The part of a place that is a container of a Kubernetes workload.

use serde::{Deserialize, Serialize};

/// A container of a Kubernetes workload, in a manifest or in a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WorkloadPlace {
    /// The document in the manifest, counted from 1; `None` in a cluster.
    pub document: Option<u32>,
    /// The line of the image or of the container in the manifest, counted from 1.
    pub line: Option<u32>,
    /// The kind of the workload, such as `DaemonSet`.
    pub kind: String,
    /// The namespace, if known.
    pub namespace: Option<String>,
    /// The name of the workload.
    pub name: String,
    /// The name of the container; empty for the whole workload.
    pub container: String,
}

impl WorkloadPlace {
    /// Returns the workload as `DaemonSet kube-system/logger`.
    pub fn workload(&self) -> String {
        let namespace = self
            .namespace
            .iter()
            .map(|namespace| format!("{namespace}/"));
        let name: String = namespace.chain([self.name.clone()]).collect();
        let parts = [self.kind.as_str(), name.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    /// Returns the workload and the container: `DaemonSet kube-system/logger: plugin`.
    pub fn path(&self) -> String {
        let parts = [self.workload(), self.container.clone()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(": ")
    }
}
