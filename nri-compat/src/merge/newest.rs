//! The newest report of a node or of a cluster.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::report::check::{ClusterView, Subject, Summary};

/// The maximum length of a name of a node or id of a scan in bytes.
const MAX_NAME: usize = 253;

/// The size in bytes with which a smaller report of a cluster counts, so that there are not too many.
const MIN_CLUSTER: usize = 256 << 10;

/// The numbers of findings.
pub(super) type Numbers = BTreeSet<usize>;

/// The machine that a report is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Host {
    /// A node with this name.
    Named(String),
    /// A node without a name, in the scan with this id.
    Scan(String),
    /// A node in the report with this number, which has neither.
    Nth(usize),
}

/// The newest report of a node.
#[derive(Debug)]
pub(super) struct HostReport {
    pub(super) made: Option<Timestamp>,
    pub(super) findings: Numbers,
}

/// The newest report of a cluster, or of a namespace in it.
#[derive(Debug)]
pub(super) struct ClusterReport {
    pub(super) made: Option<Timestamp>,
    pub(super) size: usize,
    pub(super) view: ClusterView,
    /// The findings on each node.
    pub(super) nodes: BTreeMap<String, Numbers>,
    /// The findings on no node.
    pub(super) idle: Numbers,
}

impl Host {
    pub(super) fn new(summary: &Summary, nth: usize) -> Self {
        let usable = |name: &&String| !name.is_empty() && name.len() <= MAX_NAME;
        let (node, scan) = (summary.node.as_ref(), summary.scan.as_ref());
        let named = node.filter(usable).cloned().map(Self::Named);
        let scan = || scan.filter(usable).cloned().map(Self::Scan);
        named.or_else(scan).unwrap_or(Self::Nth(nth))
    }

    pub(super) fn name(&self) -> Option<&String> {
        match self {
            Self::Named(name) => Some(name),
            Self::Scan(_) | Self::Nth(_) => None,
        }
    }
}

impl HostReport {
    /// Replaces it with another report of the node, unless that is older. One with a time counts
    /// before one without; of two reports with the same time, the findings of both count.
    pub(super) fn update(&mut self, other: Self) {
        if other.made.is_some() && other.made == self.made {
            self.findings.extend(other.findings);
        } else if other.made >= self.made {
            *self = other;
        }
    }
}

impl ClusterReport {
    pub(super) fn new(
        view: ClusterView,
        found: &[(usize, &Subject)],
        made: Option<Timestamp>,
        size: usize,
    ) -> Self {
        let names = view.pools.iter().flat_map(|pool| &pool.nodes);
        let names = names.map(|name| (name.clone(), Numbers::new()));
        let mut nodes: BTreeMap<String, Numbers> = names.collect();
        let mut idle = Numbers::new();
        for (number, subject) in found {
            for node in &subject.nodes {
                nodes.entry(node.clone()).or_default().insert(*number);
            }
            if subject.nodes.is_empty() {
                idle.insert(*number);
            }
        }
        Self {
            made,
            size: size.max(MIN_CLUSTER),
            view,
            nodes,
            idle,
        }
    }

    /// Returns the identity of the cluster: without an authority of its own, the URL of its API server.
    pub(super) fn id(&self) -> &str {
        self.view.id.as_deref().unwrap_or(&self.view.server)
    }
}
