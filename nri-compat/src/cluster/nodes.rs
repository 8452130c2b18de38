//! The nodes, and their runtimes.

use std::collections::BTreeMap;

use crate::workloads::Node as Object;

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

/// Nodes by runtime and operating system.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools(BTreeMap<(String, String), Vec<String>>);

impl Pools {
    pub(super) fn add(&mut self, node: &Object) {
        let info = |key: &str| node.get("status")?.get("nodeInfo")?.text(key);
        let runtime = info("containerRuntimeVersion").unwrap_or_default();
        let system = info("operatingSystem").unwrap_or(DEFAULT_SYSTEM);
        let name = node.get("metadata").and_then(|data| data.text("name"));
        let pool = self.0.entry((runtime.to_owned(), system.to_owned()));
        let name = name.unwrap_or_default().to_owned();
        pool.or_default().push(name);
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
