//! Aggregates reports per plugin.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::cluster::{self, ClusterNodes};
use super::document::Document;
use super::finding::{Finding, MAX_EVENTS, MAX_TARGETS};
use super::key::PluginKey;
use super::nodes::{Nodes, ReportId, Sets};
use super::numbered::Numbered;
use super::union::Program;
use crate::report::check::{ClusterView, Outcome, Subject};
use crate::report::merge::{MergedPlugin, MergedVerdict};
use crate::sighting::Role;
use crate::stamp::{Span, Stamp};

/// The maximum number of distinct plugins, and of distinct findings about them.
const MAX_PLUGINS: usize = 20_000;
const MAX_FINDINGS: usize = 4 * MAX_PLUGINS;

/// The maximum size of the texts that identify a plugin in bytes.
const MAX_KEY: usize = 4096;

/// The numbers of the findings of a report, by plugin.
type FindingSet = BTreeMap<u32, u32>;

/// The aggregated reports.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    plugins: Numbered<PluginKey>,
    /// The times at which each plugin was seen.
    spans: Vec<Span>,
    findings: Numbered<Finding>,
    /// Sets of findings, each with the content of a report.
    sets: Numbered<BTreeSet<u32>>,
    nodes: Nodes,
    beyond: u64,
}

impl Inventory {
    /// Adds a report, with `time` as its time if it has none. `made` is its time if that can be
    /// compared with the times of other reports.
    pub(super) fn add(&mut self, document: &Document, time: Option<&str>, made: Option<Timestamp>) {
        let at = document.summary.at.as_deref().or(time);
        match &document.cluster {
            Some(cluster) => self.cluster(document, cluster, at, made),
            None => self.node(document, at, made),
        }
    }

    /// Adds the report of a node.
    fn node(&mut self, document: &Document, at: Option<&str>, made: Option<Timestamp>) {
        let mut set = FindingSet::new();
        for subject in document.subjects.iter().filter(counts) {
            self.subject(subject, at, &mut set);
        }
        let report = ReportId {
            node: document.summary.node.as_deref(),
            scan: document.summary.scan.as_deref(),
            at: made,
        };
        if let Some(tied) = self.nodes.tie(&report) {
            let others = self.findings_of(tied);
            self.extend(&mut set, &others);
        }
        let set = self.number(set);
        if !self.nodes.add(report, set) {
            self.beyond += 1;
        }
    }

    /// Adds the report of a cluster, as one report for each of its nodes.
    fn cluster(
        &mut self,
        document: &Document,
        cluster: &ClusterView,
        at: Option<&str>,
        made: Option<Timestamp>,
    ) {
        let mut report = ClusterNodes::new(cluster, made);
        let mut sets: BTreeMap<&str, FindingSet> = BTreeMap::new();
        let mut idle = FindingSet::new();
        for subject in document.subjects.iter().filter(counts) {
            let mut found = FindingSet::new();
            self.subject(subject, at, &mut found);
            for node in &subject.nodes {
                self.extend(sets.entry(node).or_default(), &found);
            }
            if subject.nodes.is_empty() {
                self.extend(&mut idle, &found);
            }
        }
        report.idle = self.number(idle);
        let none = self.number(FindingSet::new());
        report.set_all(none);
        for (node, set) in sets {
            report.set(node, self.number(set));
        }
        if !self.nodes.add_cluster(cluster::key(cluster), report) {
            self.beyond += 1;
        }
    }

    /// Adds a subject to the set of its report, in which a plugin counts once.
    fn subject(&mut self, subject: &Subject, at: Option<&str>, set: &mut FindingSet) {
        let key = PluginKey::new(subject);
        let plugin = if key.len() > MAX_KEY {
            None
        } else {
            self.plugins.number(key, MAX_PLUGINS)
        };
        let Some(plugin) = plugin else {
            self.beyond += 1;
            return;
        };
        let place = plugin as usize;
        if self.spans.len() <= place {
            self.spans.resize_with(place + 1, Span::default);
        }
        if let Some(span) = self.spans.get_mut(place) {
            add_times(span, subject, at);
        }
        self.insert(set, Finding::new(plugin, subject));
    }

    /// Adds a finding to a set, together with the one that the set has about the same plugin.
    fn insert(&mut self, set: &mut FindingSet, mut finding: Finding) {
        let known = set.get(&finding.plugin);
        if let Some(known) = known.and_then(|number| self.findings.get(*number)) {
            finding.join(known);
        }
        let plugin = finding.plugin;
        match self.findings.number(finding, MAX_FINDINGS) {
            Some(number) => drop(set.insert(plugin, number)),
            None => self.beyond += 1,
        }
    }

    /// Adds the findings of a set to another one.
    fn extend(&mut self, set: &mut FindingSet, others: &FindingSet) {
        for (plugin, number) in others {
            let known = set.get(plugin).copied();
            if known.is_none() {
                set.insert(*plugin, *number);
            } else if known != Some(*number)
                && let Some(other) = self.findings.get(*number).cloned()
            {
                self.insert(set, other);
            }
        }
    }

    /// Returns the set of findings with a number.
    fn findings_of(&self, set: u32) -> FindingSet {
        let numbers = self.sets.get(set).into_iter().flatten();
        let findings =
            numbers.filter_map(|number| Some((self.findings.get(*number)?.plugin, *number)));
        findings.collect()
    }

    /// Returns the number of a set. There are at most as many sets as reports.
    fn number(&mut self, set: FindingSet) -> u32 {
        let set = set.into_values().collect();
        self.sets.number(set, usize::MAX).unwrap_or_default()
    }

    /// Returns the number of plugins and nodes beyond the maximum.
    pub(super) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Returns the number of reports that are replaced by a newer one of the same node.
    pub(super) fn superseded(&self, reports: u64) -> u64 {
        reports.saturating_sub(self.nodes.reports())
    }

    pub(super) fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Returns all plugins on any node, the worst on the most nodes first.
    pub(super) fn plugins(&self) -> Vec<MergedPlugin> {
        let mut merged: BTreeMap<u32, MergedPlugin> = BTreeMap::new();
        let of = |set: &u32| -> Vec<&Finding> {
            let numbers = self.sets.get(*set).into_iter().flatten();
            numbers
                .filter_map(|number| self.findings.get(*number))
                .collect()
        };
        for (sets, nodes) in self.nodes.sets() {
            for finding in on_node(&sets, of).values() {
                let plugin = merged.entry(finding.plugin).or_default();
                add_finding(plugin, finding, nodes);
            }
        }
        for finding in self.nodes.idle().iter().flat_map(of) {
            add_finding(merged.entry(finding.plugin).or_default(), finding, 0);
        }
        let mut plugins: Vec<MergedPlugin> = merged
            .into_iter()
            .filter_map(|(number, plugin)| {
                let span = self.spans.get(number as usize)?;
                Some(finished(plugin, self.plugins.get(number)?, span))
            })
            .collect();
        plugins.sort_by(|a, b| {
            (b.worst(), b.nodes)
                .cmp(&(a.worst(), a.nodes))
                .then_with(|| (&a.name, &a.index, &a.path).cmp(&(&b.name, &b.index, &b.path)))
        });
        plugins
    }
}

/// Returns true if a subject is counted.
fn counts(subject: &&Subject) -> bool {
    subject.role == Role::Plugin || !subject.verdicts.is_empty()
}

/// Returns the findings on a node by plugin: a process that a container of the cluster runs is the
/// program in its image.
fn on_node<'f>(
    sets: &Sets,
    of: impl Fn(&u32) -> Vec<&'f Finding>,
) -> BTreeMap<u32, Cow<'f, Finding>> {
    let in_pods: Vec<&Finding> = sets.clusters.iter().flat_map(&of).collect();
    let containers: Vec<Program<'_>> = in_pods.iter().map(|finding| finding.program()).collect();
    let of_host = sets.host.iter().flat_map(&of);
    let of_host = of_host.filter(|finding| {
        let program = finding.program();
        let mut containers = containers.iter();
        !containers.any(|container| program.is_process_of(container))
    });
    let mut all: BTreeMap<u32, Cow<'f, Finding>> = BTreeMap::new();
    for finding in in_pods.iter().copied().chain(of_host) {
        match all.entry(finding.plugin) {
            Entry::Vacant(entry) => drop(entry.insert(Cow::Borrowed(finding))),
            Entry::Occupied(mut entry) => entry.get_mut().to_mut().join(finding),
        }
    }
    all
}

/// Adds the times at which a log mentions a plugin, or else the time of the report.
fn add_times(span: &mut Span, subject: &Subject, at: Option<&str>) {
    let logged = subject.occurrences.as_ref();
    let logged = logged.map(|logged| [logged.first.as_deref(), logged.last.as_deref()]);
    for time in logged.unwrap_or([at, None]).into_iter().flatten() {
        if let Some(stamp) = Stamp::new(time) {
            span.add(stamp);
        }
    }
}

fn add_finding(plugin: &mut MergedPlugin, finding: &Finding, nodes: u64) {
    plugin.nodes += nodes;
    for event in &finding.events {
        if !plugin.events.contains(event) && plugin.events.len() < MAX_EVENTS {
            plugin.events.push(event.clone());
        }
    }
    for (target, outcome) in &finding.verdicts {
        let verdicts = &mut plugin.verdicts;
        let known = verdicts
            .iter()
            .position(|verdict| verdict.target == *target);
        if known.is_none() && verdicts.len() < MAX_TARGETS {
            verdicts.push(MergedVerdict {
                target: target.clone(),
                ..MergedVerdict::default()
            });
        }
        let verdict = verdicts
            .iter_mut()
            .find(|verdict| verdict.target == *target);
        let counts = verdict.into_iter().flat_map(|verdict| &mut verdict.counts);
        for (_, count) in Outcome::ALL
            .iter()
            .zip(counts)
            .filter(|(known, _)| *known == outcome)
        {
            *count += nodes;
        }
    }
}

fn finished(plugin: MergedPlugin, key: &PluginKey, span: &Span) -> MergedPlugin {
    let shown = |stamp: &Option<Stamp>| stamp.as_ref().map(|stamp| stamp.shown.clone());
    let mut verdicts = plugin.verdicts;
    verdicts.sort_by(|a, b| a.target.cmp(&b.target));
    MergedPlugin {
        path: key.path.clone(),
        name: key.name.clone(),
        index: key.index.clone(),
        program: key.program.clone(),
        nri: key.nri.clone(),
        first_seen: shown(&span.first),
        last_seen: shown(&span.last),
        events: in_order(plugin.events),
        verdicts,
        nodes: plugin.nodes,
    }
}

/// Sorts events by their numbers; unknown ones come last.
fn in_order(mut events: Vec<String>) -> Vec<String> {
    let place = |event: &String| crate::facts::EVENTS.iter().position(|known| known == event);
    events.sort_by_key(|event| (place(event).unwrap_or(usize::MAX), event.clone()));
    events
}
