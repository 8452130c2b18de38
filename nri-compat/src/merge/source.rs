//! The newest report about a node or a cluster.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::document::Document;
use crate::report::check::{ClusterView, Subject};

/// The maximum length of a name of a node or id of a scan in bytes.
const MAX_NAME: usize = 253;

/// The size in bytes with which the report of a node counts.
const NODE: usize = 512;

/// The size in bytes with which a smaller report of a cluster counts, so that there are not too many.
const MIN_CLUSTER: usize = 256 << 10;

/// The numbers of findings.
pub(super) type Numbers = BTreeSet<usize>;

/// The machine or cluster that a report is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A node with this name.
    Node(String),
    /// A node without a name, in the scan with this id.
    Scan(String),
    /// A node in the report with this number, which has neither.
    Nth(usize),
    /// The namespace, if any, of the cluster with this identity.
    Cluster(String, Option<String>),
}

/// The newest report about a source.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) made: Option<Timestamp>,
    /// Its size in bytes, or an estimate.
    pub(super) size: usize,
    /// The findings on the node; those of a cluster on no node.
    pub(super) findings: Numbers,
    pub(super) cluster: Option<Box<Cluster>>,
}

/// A cluster with the findings on each node.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) view: ClusterView,
    pub(super) nodes: BTreeMap<String, Numbers>,
}

impl Source {
    /// Returns the source of a report with this number.
    pub(super) fn of(document: &Document, nth: usize) -> Self {
        if let Some(view) = &document.cluster {
            return Self::Cluster(id(view).to_owned(), view.namespace.clone());
        }
        let usable = |name: &&String| !name.is_empty() && name.len() <= MAX_NAME;
        let node = document.summary.node.as_ref().filter(usable);
        let scan = document.summary.scan.as_ref().filter(usable);
        match (node, scan) {
            (Some(name), _) => Self::Node(name.clone()),
            (None, Some(id)) => Self::Scan(id.clone()),
            (None, None) => Self::Nth(nth),
        }
    }
}

impl Report {
    /// Creates a report of this size in bytes from the findings with their numbers.
    pub(super) fn new(
        view: Option<ClusterView>,
        found: &[(usize, &Subject)],
        made: Option<Timestamp>,
        size: usize,
    ) -> Self {
        let numbers = found.iter().map(|(number, _)| *number);
        let Some(view) = view else {
            return Self {
                made,
                size: NODE,
                findings: numbers.collect(),
                cluster: None,
            };
        };
        let idle = found.iter().filter(|(_, subject)| subject.nodes.is_empty());
        Self {
            made,
            size: size.max(MIN_CLUSTER),
            findings: idle.map(|(number, _)| *number).collect(),
            cluster: Some(Box::new(Cluster::new(view, found))),
        }
    }

    /// Replaces it with another report about the source, unless that is older. One with a time counts
    /// before one without; of two reports of a node with the same time, the findings of both count.
    pub(super) fn update(&mut self, other: Self) {
        if other.made.is_some() && other.made == self.made && self.cluster.is_none() {
            self.findings.extend(other.findings);
        } else if other.made >= self.made {
            *self = other;
        }
    }
}

impl Cluster {
    fn new(view: ClusterView, found: &[(usize, &Subject)]) -> Self {
        let names = view.pools.iter().flat_map(|pool| &pool.nodes);
        let names = names.map(|name| (name.clone(), Numbers::new()));
        let mut nodes: BTreeMap<String, Numbers> = names.collect();
        for (number, subject) in found {
            for node in &subject.nodes {
                nodes.entry(node.clone()).or_default().insert(*number);
            }
        }
        Self { view, nodes }
    }

    /// Returns the identity of the cluster.
    pub(super) fn id(&self) -> &str {
        id(&self.view)
    }
}

/// Returns the identity of a cluster: without an authority of its own, the URL of its API server.
fn id(view: &ClusterView) -> &str {
    view.id.as_deref().unwrap_or(&view.server)
}
