//! The reports that are read, and the newest one about a node or a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::bounded_json;
use crate::report::check::{ClusterView, Subject, Summary};
use crate::report::json::SCHEMA;

/// The parts of a report of `check` or `logs` that are merged. Unknown keys are ignored, so that
/// reports of newer releases can be read too.
#[derive(Debug, Deserialize)]
pub(super) struct ReportDocument {
    schema: u32,
    pub(super) subjects: Vec<Subject>,
    #[serde(default)]
    pub(super) summary: Summary,
    /// The cluster that it is about; otherwise it is about a node.
    #[serde(default)]
    pub(super) cluster: Option<ClusterView>,
}

/// The bytes of memory for each value of a report: a plugin has at least three values beside it.
const VALUE: usize = 256;

/// Parses a report, possibly wrapped by a log collector, or returns why it is not a report.
pub(super) fn parse(bytes: &[u8]) -> Result<ReportDocument, String> {
    let document = bounded_json::read::<ReportDocument>(bytes, VALUE).or_else(|error| {
        let document = unwrapped(bytes);
        document.ok_or_else(|| format!("not a report of check or logs: {error}"))
    })?;
    match document.schema {
        SCHEMA => Ok(document),
        other => Err(format!("its schema is {other}, not {SCHEMA}")),
    }
}

/// Returns the report within the entry of a log collector.
fn unwrapped(entry: &[u8]) -> Option<ReportDocument> {
    let entry: Map<String, Value> = bounded_json::read(entry, bounded_json::VALUE).ok()?;
    let mut texts = entry.values().filter_map(Value::as_str);
    let report = texts.find(|text| text.trim_start().starts_with('{'))?;
    bounded_json::read(report.as_bytes(), VALUE).ok()
}

/// The maximum length of a name of a node in bytes.
const MAX_NAME: usize = 253;

/// The numbers of findings. Most nodes have the same findings, so each distinct set is stored once.
pub(super) type Numbers = Arc<BTreeSet<usize>>;

/// The machine or cluster that a report is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReportSource {
    /// A node with this name.
    Node(String),
    /// A node without a name, in the report with this number.
    Unnamed(usize),
    /// The identity of a cluster, and the namespace, if any. Nearly all sources are nodes, which
    /// take half as much memory.
    Cluster(Box<(String, Option<String>)>),
}

/// The newest report about a source.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) made: Option<Timestamp>,
    /// The cluster that it is about; `None` if it is about a node.
    pub(super) view: Option<Box<ClusterView>>,
    /// The findings on the node, or those of the cluster that are on no node.
    pub(super) own: Numbers,
    /// The findings on each node of a cluster.
    nodes: Vec<(ReportSource, Numbers)>,
}

impl ReportSource {
    /// Returns the source of a report with this number.
    pub(super) fn of(document: &ReportDocument, nth: usize) -> Self {
        if let Some(view) = &document.cluster {
            let cluster = (cluster_id(view).to_owned(), view.namespace.clone());
            return Self::Cluster(cluster.into());
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
    /// Creates a report from the findings with their numbers; `store` returns the stored set that
    /// equals one.
    pub(super) fn new(
        view: Option<ClusterView>,
        found: &[(usize, &Subject)],
        made: Option<Timestamp>,
        store: &mut dyn FnMut(BTreeSet<usize>) -> Numbers,
    ) -> Self {
        let is_own = |subject: &Subject| view.is_none() || subject.nodes.is_empty();
        let own_findings = found.iter().filter(|(_, subject)| is_own(subject));
        let own = store(own_findings.map(|(number, _)| *number).collect());
        let nodes = view
            .iter()
            .flat_map(|view| by_node(view, found))
            .map(|(name, numbers)| (ReportSource::Node(name.clone()), store(numbers)));
        Self {
            made,
            own,
            nodes: nodes.collect(),
            // Most reports are about nodes, and a view is large.
            view: view.map(Box::new),
        }
    }

    /// Returns the findings on each node, for the report about `source`.
    pub(super) fn on_nodes<'r>(
        &'r self,
        source: &'r ReportSource,
    ) -> impl Iterator<Item = (&'r ReportSource, &'r Numbers)> {
        let own = self.view.is_none().then_some((source, &self.own));
        let nodes = self.nodes.iter().map(|(node, numbers)| (node, numbers));
        own.into_iter().chain(nodes)
    }

    /// Replaces it with another report about the source, unless that is older. One with a time
    /// counts before one without; of two reports with the same time, the findings of both count.
    pub(super) fn update(&mut self, other: Self) {
        if other.made < self.made {
            return;
        }
        let old = std::mem::replace(self, other);
        if old.made.is_some() && old.made == self.made {
            self.nodes.extend(old.nodes);
            Arc::make_mut(&mut self.own).extend(&*old.own);
        }
    }

    /// Returns the number of nodes with which the report counts, at least one.
    pub(super) fn size(&self) -> usize {
        self.nodes.len().max(1)
    }
}

/// Returns the findings on each node of a cluster, by the name of the node.
fn by_node<'v>(
    view: &'v ClusterView,
    found: &[(usize, &'v Subject)],
) -> BTreeMap<&'v String, BTreeSet<usize>> {
    let names = view.pools.iter().flat_map(|pool| &pool.nodes).map(|name| (name, BTreeSet::new()));
    let mut nodes: BTreeMap<&String, BTreeSet<usize>> = names.collect();
    for (number, subject) in found {
        for node in &subject.nodes {
            nodes.entry(node).or_default().insert(*number);
        }
    }
    nodes
}

/// Returns the identity of a cluster: without an authority of its own, the URL of its API server.
pub(super) fn cluster_id(view: &ClusterView) -> &str {
    view.id.as_deref().unwrap_or(&view.server)
}
