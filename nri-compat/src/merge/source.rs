//! The reports that are read, and the newest one about a node or a cluster.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::report::check::{ClusterView, Subject, Summary};
use crate::report::json::SCHEMA;

/// The parts of a report of `check` or `logs` that are merged. Unknown keys are ignored, so that reports of newer
/// releases can be read too.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    schema: u32,
    pub(super) subjects: Vec<Subject>,
    #[serde(default)]
    pub(super) summary: Summary,
    /// The cluster that it is about; otherwise it is about a node.
    #[serde(default)]
    pub(super) cluster: Option<ClusterView>,
}

/// Parses a report, possibly wrapped by a log collector, or returns why it is not a report.
pub(super) fn parse(bytes: &[u8]) -> Result<Document, String> {
    let document = serde_json::from_slice::<Document>(bytes).or_else(|error| {
        let document = unwrapped(bytes);
        document.ok_or_else(|| format!("not a report of check or logs: {error}"))
    })?;
    match document.schema {
        SCHEMA => Ok(document),
        other => Err(format!("its schema is {other}, not {SCHEMA}")),
    }
}

/// Returns the report within the entry of a log collector.
fn unwrapped(entry: &[u8]) -> Option<Document> {
    let entry: Map<String, Value> = serde_json::from_slice(entry).ok()?;
    let mut texts = entry.values().filter_map(Value::as_str);
    let report = texts.find(|text| text.trim_start().starts_with('{'))?;
    serde_json::from_str(report).ok()
}

/// The maximum length of a name of a node in bytes.
const MAX_NAME: usize = 253;

/// The numbers of findings.
pub(super) type Numbers = BTreeSet<usize>;

/// The machine or cluster that a report is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A node with this name.
    Node(String),
    /// A node without a name, in the report with this number.
    Unnamed(usize),
    /// The namespace, if any, of the cluster with this identity.
    Cluster(String, Option<String>),
}

/// The newest report about a source.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) made: Option<Timestamp>,
    /// The cluster that it is about; `None` if it is about a node.
    pub(super) view: Option<Box<ClusterView>>,
    /// The findings on each node.
    pub(super) nodes: Vec<(Source, Numbers)>,
    /// The findings of a cluster on no node.
    pub(super) idle: Numbers,
}

impl Source {
    /// Returns the source of a report with this number.
    pub(super) fn of(document: &Document, nth: usize) -> Self {
        if let Some(view) = &document.cluster {
            return Self::Cluster(cluster_id(view).to_owned(), view.namespace.clone());
        }
        let usable = |name: &&String| !name.is_empty() && name.len() <= MAX_NAME;
        match document.summary.node.as_ref().filter(usable) {
            Some(name) => Self::Node(name.clone()),
            None => Self::Unnamed(nth),
        }
    }

    /// Returns the name of the node, if known.
    pub(super) fn node(&self) -> Option<&str> {
        match self {
            Self::Node(name) => Some(name),
            Self::Unnamed(_) | Self::Cluster(..) => None,
        }
    }
}

impl Report {
    /// Creates a report about a source from the findings with their numbers.
    pub(super) fn new(
        source: &Source,
        view: Option<ClusterView>,
        found: &[(usize, &Subject)],
        made: Option<Timestamp>,
    ) -> Self {
        let numbers = found.iter().map(|(number, _)| *number);
        let idle = found.iter().filter(|(_, subject)| subject.nodes.is_empty());
        let (nodes, idle) = match &view {
            None => (vec![(source.clone(), numbers.collect())], Numbers::new()),
            Some(view) => {
                let idle = idle.map(|(number, _)| *number).collect();
                (on_nodes(view, found), idle)
            }
        };
        Self {
            made,
            // Most reports are about nodes, and a view is large.
            view: view.map(Box::new),
            nodes,
            idle,
        }
    }

    /// Replaces it with another report about the source, unless that is older. One with a time counts
    /// before one without; of two reports with the same time, the findings of both count.
    pub(super) fn update(&mut self, other: Self) {
        if other.made < self.made {
            return;
        }
        let old = std::mem::replace(self, other);
        if old.made.is_some() && old.made == self.made {
            self.nodes.extend(old.nodes);
            self.idle.extend(old.idle);
        }
    }

    /// Returns the number of nodes with which the report counts, at least one.
    pub(super) fn size(&self) -> usize {
        self.nodes.len().max(1)
    }
}

/// Returns the findings on each node of a cluster.
fn on_nodes(view: &ClusterView, found: &[(usize, &Subject)]) -> Vec<(Source, Numbers)> {
    let names = view.pools.iter().flat_map(|pool| &pool.nodes);
    let names = names.map(|name| (name, Numbers::new()));
    let mut nodes: BTreeMap<&String, Numbers> = names.collect();
    for (number, subject) in found {
        for node in &subject.nodes {
            nodes.entry(node).or_default().insert(*number);
        }
    }
    let nodes = nodes.into_iter();
    nodes
        .map(|(name, numbers)| (Source::Node(name.clone()), numbers))
        .collect()
}

/// Returns the identity of a cluster: without an authority of its own, the URL of its API server.
pub(super) fn cluster_id(view: &ClusterView) -> &str {
    view.id.as_deref().unwrap_or(&view.server)
}
