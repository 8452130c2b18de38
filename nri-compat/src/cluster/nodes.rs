//! The nodes, and their runtimes.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The operating system of nodes that do not report one.
const DEFAULT_SYSTEM: &str = "linux";

/// Nodes with the same runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePool {
    /// The runtime as reported by the nodes: `containerd://2.2.3`; empty if they report none.
    pub runtime: String,
    /// The operating system of the nodes: `linux`, which is also the default, or `windows`.
    pub system: String,
    /// The names of the nodes, sorted.
    pub nodes: Vec<String>,
}

/// A node.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    status: Status,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    name: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    #[serde(default)]
    node_info: NodeInfo,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeInfo {
    #[serde(default)]
    container_runtime_version: String,
    #[serde(default)]
    operating_system: String,
}

/// Nodes by runtime and operating system.
#[derive(Debug, Default)]
pub(super) struct Pools(BTreeMap<(String, String), Vec<String>>);

impl Pools {
    pub(super) fn add(&mut self, node: Node) {
        let info = node.status.node_info;
        let system = match info.operating_system {
            system if system.is_empty() => DEFAULT_SYSTEM.to_owned(),
            system => system,
        };
        let key = (info.container_runtime_version, system);
        self.0.entry(key).or_default().push(node.metadata.name);
    }

    /// Returns the pools, the largest first.
    pub(super) fn finish(self) -> Vec<NodePool> {
        let pools = self.0.into_iter().map(|((runtime, system), mut nodes)| {
            nodes.sort_unstable();
            NodePool {
                runtime,
                system,
                nodes,
            }
        });
        let mut pools: Vec<NodePool> = pools.collect();
        pools.sort_by_key(|pool| std::cmp::Reverse(pool.nodes.len()));
        pools
    }
}
