//! The report of a cluster: its nodes by runtime, and the findings on each.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::report::check::{ClusterView, NodePool};
use crate::report::merge::{MergedCluster, MergedPool};

/// The maximum length of a node name in bytes.
pub(super) const MAX_NAME: usize = 253;

/// The maximum number of pools of a cluster.
const MAX_POOLS: usize = 1000;

/// The maximum length of the texts that describe a cluster in characters.
const MAX_TEXT: usize = 1000;

/// The newest report of a cluster.
#[derive(Clone, Debug)]
pub(super) struct ClusterNodes {
    pub(super) at: Option<Timestamp>,
    /// The identity of the cluster.
    pub(super) id: String,
    /// The URL of the API server.
    server: String,
    /// The number of the set of findings on no node.
    pub(super) idle: u32,
    /// The name of the context.
    name: String,
    /// The pools, without the names of their nodes.
    pools: Vec<MergedPool>,
    nodes: BTreeMap<String, ClusterNode>,
}

/// A node of a cluster.
#[derive(Clone, Copy, Debug, Default)]
struct ClusterNode {
    /// The number of the set of findings.
    set: u32,
    /// The place of its pool in the list; `None` for a node without a pool.
    pool: Option<usize>,
}

impl ClusterNodes {
    /// Returns the nodes of a report, without findings.
    pub(super) fn new(cluster: &ClusterView, at: Option<Timestamp>) -> Self {
        let pools = cluster.pools.iter().take(MAX_POOLS);
        let mut nodes = BTreeMap::new();
        for (number, pool) in cluster.pools.iter().enumerate() {
            let node = ClusterNode {
                set: 0,
                pool: (number < MAX_POOLS).then_some(number),
            };
            let names = pool.nodes.iter().filter(|name| is_name(name));
            nodes.extend(names.map(|name| (name.clone(), node)));
        }
        Self {
            at,
            id: id(cluster),
            server: shortened(&cluster.server),
            idle: 0,
            name: shortened(&cluster.name),
            pools: pools.map(pool).collect(),
            nodes,
        }
    }

    /// Sets the findings on all nodes.
    pub(super) fn set_all(&mut self, set: u32) {
        self.nodes.values_mut().for_each(|node| node.set = set);
    }

    /// Sets the findings on a node.
    pub(super) fn set(&mut self, name: &str, set: u32) {
        if is_name(name) {
            self.nodes.entry(name.to_owned()).or_default().set = set;
        }
    }

    /// Returns the number of nodes.
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the names of the nodes, each with the number of its set of findings.
    pub(super) fn sets(&self) -> impl Iterator<Item = (&str, u32)> {
        self.nodes
            .iter()
            .map(|(name, node)| (name.as_str(), node.set))
    }

    /// Returns the pools with their nodes; `has_report` returns true for a node with a report of its
    /// own.
    pub(super) fn view(&self, has_report: impl Fn(&str) -> bool) -> MergedCluster {
        let mut pools = self.pools.clone();
        for (name, node) in &self.nodes {
            if let Some(pool) = node.pool.and_then(|number| pools.get_mut(number)) {
                pool.nodes.push(name.clone());
                pool.reported += u64::from(has_report(name));
            }
        }
        MergedCluster {
            name: self.name.clone(),
            server: self.server.clone(),
            pools,
        }
    }
}

/// Returns the identity of a cluster, or of a namespace in it.
pub(super) fn key(cluster: &ClusterView) -> String {
    let namespace = cluster.namespace.as_deref().unwrap_or_default();
    format!("{} {}", id(cluster), shortened(namespace))
}

/// Returns the identity of a cluster: without an authority of its own, the URL of its API server.
fn id(cluster: &ClusterView) -> String {
    shortened(cluster.id.as_deref().unwrap_or(&cluster.server))
}

fn pool(pool: &NodePool) -> MergedPool {
    MergedPool {
        runtime: shortened(&pool.runtime),
        target: pool.target().map(shortened),
        note: pool.note().map(shortened),
        ..MergedPool::default()
    }
}

fn is_name(node: &str) -> bool {
    !node.is_empty() && node.len() <= MAX_NAME
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
