//! The newest report of each node.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

/// The maximum number of nodes: each takes some hundred bytes.
const MAX_NODES: usize = 500_000;

/// The maximum length of a node name in bytes.
const MAX_NAME: usize = 253;

/// The identity of a report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReportId<'r> {
    /// The name of the node; reports of older releases have none.
    pub(super) node: Option<&'r str>,
    /// Id of the scan.
    pub(super) scan: Option<&'r str>,
    /// When it was made.
    pub(super) at: Option<Timestamp>,
}

/// The newest report of a node.
#[derive(Clone, Debug)]
struct Newest {
    at: Option<Timestamp>,
    /// The number of the set of findings.
    set: u32,
}

/// All nodes, each with the set of findings in its newest report.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    named: BTreeMap<String, Newest>,
    /// The numbers of reports without a node, by set: each counts as a separate node.
    unnamed: BTreeMap<u32, u64>,
    /// The ids of scans without a node, so that a report that is read twice counts once.
    scans: BTreeSet<String>,
    /// The number of reports of nodes beyond the maximum.
    beyond: u64,
}

impl Nodes {
    /// Adds a report with the set of its findings. Of two reports of one node the newer counts, or
    /// if that is unknown the later one read. Returns false if there was no room for the node.
    pub(super) fn add(&mut self, report: ReportId<'_>, set: u32) -> bool {
        match report
            .node
            .filter(|node| !node.is_empty() && node.len() <= MAX_NAME)
        {
            Some(node) => self.named(node, report.at, set),
            None => self.without_name(report.scan, set),
        }
    }

    fn named(&mut self, node: &str, at: Option<Timestamp>, set: u32) -> bool {
        let newest = Newest { at, set };
        if let Some(known) = self.named.get_mut(node) {
            let is_older = known.at.zip(at).is_some_and(|(known, at)| at < known);
            if is_older {
                return true;
            }
            *known = newest;
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

    /// Returns the number of nodes: those with a name, and one per report without.
    pub(super) fn count(&self) -> u64 {
        self.named.len() as u64 + self.unnamed()
    }

    /// Returns the number of reports that name no node.
    pub(super) fn unnamed(&self) -> u64 {
        self.unnamed.values().sum()
    }

    /// Returns the number of reports of nodes for which there was no room.
    pub(super) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Returns the number of nodes for each set of findings.
    pub(super) fn sets(&self) -> BTreeMap<u32, u64> {
        let mut sets = self.unnamed.clone();
        for newest in self.named.values() {
            *sets.entry(newest.set).or_default() += 1;
        }
        sets
    }

    /// Returns the expected nodes without a report, in their order.
    pub(super) fn silent(&self, expected: &[String]) -> Vec<String> {
        let is_silent = |node: &&String| !self.named.contains_key(node.as_str());
        expected.iter().filter(is_silent).cloned().collect()
    }
}
