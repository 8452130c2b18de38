//! The newest report of each node and of each cluster.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::cluster::{ClusterNodes, MAX_NAME};
use crate::report::merge::MergedCluster;

/// The maximum number of nodes: each takes some hundred bytes.
const MAX_NODES: usize = 500_000;

/// The maximum number of clusters.
const MAX_CLUSTERS: usize = 1000;

/// The identity of a report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReportId<'r> {
    /// The name of the node; reports of older releases have none.
    pub(super) node: Option<&'r str>,
    /// Id of the scan.
    pub(super) scan: Option<&'r str>,
    /// When it was made, if that is known.
    pub(super) at: Option<Timestamp>,
}

/// The newest report of a node.
#[derive(Clone, Debug)]
struct Newest {
    at: Option<Timestamp>,
    /// The number of the set of findings.
    set: u32,
}

/// The sets of findings on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sets {
    /// The set of the node's own report.
    pub(super) host: Option<u32>,
    /// The sets of the reports of its cluster, of which each may be about another namespace.
    pub(super) clusters: BTreeSet<u32>,
}

/// All nodes, each with the set of findings in its newest report.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    named: BTreeMap<String, Newest>,
    /// The numbers of reports without a node, by set: each counts as a separate node.
    unnamed: BTreeMap<u32, u64>,
    /// The ids of scans without a node, so that a report that is read twice counts once.
    scans: BTreeSet<String>,
    /// The newest report of each cluster, by API server and namespace.
    clusters: BTreeMap<String, ClusterNodes>,
    /// The number of reports of nodes and clusters beyond the maximum.
    beyond: u64,
}

impl Nodes {
    /// Adds a report with the set of its findings. Of two reports of one node the newer counts, one
    /// with a time before one without, and of two without a time the later one read. The set of a
    /// report with the same time has the findings of both. Returns false if there was no room for
    /// the node.
    pub(super) fn add(&mut self, report: ReportId<'_>, set: u32) -> bool {
        match report
            .node
            .filter(|node| !node.is_empty() && node.len() <= MAX_NAME)
        {
            Some(node) => self.named(node, report.at, set),
            None => self.without_name(report.scan, set),
        }
    }

    /// Returns the set of the newest report of a node if it has the same time as this one.
    pub(super) fn tie(&self, report: &ReportId<'_>) -> Option<u32> {
        let known = self.named.get(report.node?)?;
        (report.at.is_some() && report.at == known.at).then_some(known.set)
    }

    /// Adds the report of a cluster, of which the newest counts like that of a node. Returns false if
    /// there was no room for it.
    pub(super) fn add_cluster(&mut self, cluster: String, report: ClusterNodes) -> bool {
        if let Some(known) = self.clusters.get_mut(&cluster) {
            if !is_older(report.at, known.at) {
                *known = report;
            }
            return true;
        }
        let count: usize = self.clusters.values().map(ClusterNodes::count).sum();
        if self.clusters.len() >= MAX_CLUSTERS || count + report.count() > MAX_NODES {
            self.beyond += 1;
            return false;
        }
        self.clusters.insert(cluster, report);
        true
    }

    fn named(&mut self, node: &str, at: Option<Timestamp>, set: u32) -> bool {
        let newest = Newest { at, set };
        if let Some(known) = self.named.get_mut(node) {
            if !is_older(at, known.at) {
                *known = newest;
            }
            return true;
        }
        if self.named.len() >= MAX_NODES {
            self.beyond += 1;
            return false;
        }
        self.named.insert(node.to_owned(), newest);
        true
    }

    fn without_name(&mut self, scan: Option<&str>, set: u32) -> bool {
        if let Some(scan) = scan.filter(|scan| scan.len() <= MAX_NAME) {
            if self.scans.contains(scan) {
                return true;
            }
            if self.scans.len() < MAX_NODES {
                self.scans.insert(scan.to_owned());
            }
        }
        *self.unnamed.entry(set).or_default() += 1;
        true
    }

    /// Returns the number of nodes: those with a name, in reports of their own or of clusters, and
    /// one per report without a name.
    pub(super) fn count(&self) -> u64 {
        self.by_name().len() as u64 + self.unnamed()
    }

    /// Returns the number of reports that name no node.
    pub(super) fn unnamed(&self) -> u64 {
        self.unnamed.values().sum()
    }

    /// Returns the clusters, each with the pools of its newest report: those of several namespaces have
    /// the same nodes.
    pub(super) fn clusters(&self) -> Vec<MergedCluster> {
        let mut newest: BTreeMap<&str, &ClusterNodes> = BTreeMap::new();
        for report in self.clusters.values() {
            let known = newest.entry(&report.id).or_insert(report);
            if !is_older(report.at, known.at) {
                *known = report;
            }
        }
        let has_report = |node: &str| self.named.contains_key(node);
        let clusters = newest.into_values();
        clusters.map(|report| report.view(has_report)).collect()
    }

    /// Returns the number of reports that count, or for which there was no room.
    pub(super) fn reports(&self) -> u64 {
        self.named.len() as u64 + self.unnamed() + self.clusters.len() as u64 + self.beyond
    }

    /// Returns the number of nodes for each pair of sets of findings.
    pub(super) fn sets(&self) -> BTreeMap<Sets, u64> {
        let unnamed = self.unnamed.iter().map(|(set, count)| {
            let sets = Sets {
                host: Some(*set),
                clusters: BTreeSet::new(),
            };
            (sets, *count)
        });
        let mut all: BTreeMap<Sets, u64> = unnamed.collect();
        for sets in self.by_name().into_values() {
            *all.entry(sets).or_default() += 1;
        }
        all
    }

    /// Returns the sets of findings that clusters have on no node.
    pub(super) fn idle(&self) -> BTreeSet<u32> {
        self.clusters.values().map(|cluster| cluster.idle).collect()
    }

    /// Returns the expected nodes without a report, in their order.
    pub(super) fn silent(&self, expected: &[String]) -> Vec<String> {
        let is_silent = |node: &&String| !self.named.contains_key(node.as_str());
        expected.iter().filter(is_silent).cloned().collect()
    }

    /// Returns the nodes of clusters without a report of their own.
    pub(super) fn without_host(&self) -> Vec<String> {
        let is_missing = |sets: &Sets| sets.host.is_none();
        self.names(is_missing)
    }

    /// Returns the nodes with a report of their own that no cluster lists; none if there is no
    /// report of a cluster.
    pub(super) fn without_cluster(&self) -> Vec<String> {
        if self.clusters.is_empty() {
            return Vec::new();
        }
        self.names(|sets| sets.clusters.is_empty())
    }

    fn names(&self, which: impl Fn(&Sets) -> bool) -> Vec<String> {
        let all = self.by_name().into_iter();
        let some = all.filter(|(_, sets)| which(sets));
        some.map(|(node, _)| node.to_owned()).collect()
    }

    fn by_name(&self) -> BTreeMap<&str, Sets> {
        let mut all: BTreeMap<&str, Sets> = BTreeMap::new();
        for (node, newest) in &self.named {
            all.entry(node).or_default().host = Some(newest.set);
        }
        for (node, set) in self.clusters.values().flat_map(ClusterNodes::sets) {
            all.entry(node).or_default().clusters.insert(set);
        }
        all
    }
}

/// Returns true if a report is older than a known one, or has no time although that has one.
fn is_older(at: Option<Timestamp>, known: Option<Timestamp>) -> bool {
    at < known
}
