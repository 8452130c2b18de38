//! The newest report of each node and of each cluster, and the plugins in all of them.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::Serialize;

use super::incidents::{FoundIncident, in_order_of_level};
use super::source::{Numbers, Report, ReportDocument, ReportSource, cluster_id};
use crate::place::Place;
use crate::report::check::{ClusterView, Outcome, Subject};
use crate::report::merge::{
    MergeReport, MergeSummary, MergedCluster, MergedIncident, MergedPlugin, MergedVerdict, label,
};
use crate::sighting::{Built, Role};
use crate::stamp::{Span, Stamp};

/// The maximum number of distinct findings, and the maximum size of a finding as JSON in bytes.
const MAX_FINDINGS: usize = 20_000;
const MAX_FINDING: usize = 8 << 10;

/// The maximum number of nodes in the newest reports of all nodes and clusters.
const MAX_NODES: usize = 500_000;

/// The findings of all reports.
#[derive(Debug, Default)]
pub(super) struct FleetInventory {
    /// The distinct findings in the order of their numbers, with the times at which they were made.
    findings: IndexMap<ReportedFinding, Span>,
    /// The distinct sets of findings on a node.
    sets: BTreeSet<Numbers>,
    reports: BTreeMap<ReportSource, Report>,
    /// The number of nodes in these reports.
    nodes: usize,
    /// The number of reports that a newer one replaces.
    superseded: usize,
    /// The number of findings and reports for which there was no room.
    beyond: usize,
}

impl FleetInventory {
    /// Adds a report. `made` is its time if that can be compared with the times of other reports.
    pub(super) fn add(&mut self, document: ReportDocument, made: Option<Timestamp>) {
        let at = document.summary.at.as_deref();
        let counted = document.subjects.iter().filter(counts);
        let found: Vec<(usize, &Subject)> =
            counted.filter_map(|subject| Some((self.number(subject, at)?, subject))).collect();
        let source = ReportSource::of(&document, self.reports.len());
        // Reports that were replaced, or had no room, may have been the only ones with a set.
        if self.sets.len() > 4 * self.nodes {
            self.sets.retain(|set| Arc::strong_count(set) > 1);
        }
        let sets = &mut self.sets;
        let report = Report::new(document.cluster, &found, made, &mut |set| stored(sets, set));
        if self.nodes + report.size() > MAX_NODES {
            self.beyond += 1;
            return;
        }
        match self.reports.entry(source) {
            Entry::Vacant(entry) => self.nodes += entry.insert(report).size(),
            Entry::Occupied(entry) => {
                let newest = entry.into_mut();
                self.superseded += 1;
                self.nodes -= newest.size();
                newest.update(report);
                self.nodes += newest.size();
            }
        }
    }

    /// Returns the number of the finding about a subject, and adds its times; `None` if there is no
    /// room for it.
    fn number(&mut self, subject: &Subject, at: Option<&str>) -> Option<usize> {
        let is_full = self.findings.len() >= MAX_FINDINGS;
        let entry = self.findings.entry(ReportedFinding::new(subject));
        if let indexmap::map::Entry::Vacant(new) = &entry
            && (is_full || new.key().size() > MAX_FINDING)
        {
            self.beyond += 1;
            return None;
        }
        let number = entry.index();
        add_times(entry.or_default(), subject, at);
        Some(number)
    }

    /// Returns the merged report, without the inputs that were skipped; `expected` are the names of
    /// the nodes that should have a report.
    pub(super) fn report(&self, expected: &[String]) -> MergeReport {
        let hosts = self.reports.values().filter(|report| report.view.is_none()).count();
        let named = self.node_names(|report| report.view.is_none());
        let in_clusters = self.node_names(|report| report.view.is_some());
        let without_cluster = named.difference(&in_clusters);
        let without_host = names(in_clusters.difference(&named));
        let is_silent = |node: &&String| !named.contains(node.as_str());
        let silent: Vec<String> = expected.iter().filter(is_silent).cloned().collect();
        let totals = self.totals();
        let (plugins, incidents) = (plugins(&totals), incidents(&totals));
        let clusters = self.clusters(&named);
        MergeReport {
            summary: MergeSummary {
                nodes: hosts + without_host.len(),
                clusters: clusters.len(),
                unnamed: hosts - named.len(),
                superseded: self.superseded,
                expected: expected.len(),
                silent: silent.len(),
                plugins: plugins.len(),
                incidents: incidents.len(),
                beyond: self.beyond,
                ..MergeSummary::default()
            },
            without_cluster: names(without_cluster.filter(|_| !clusters.is_empty())),
            plugins,
            incidents,
            clusters,
            silent,
            without_host,
            skipped: Vec::new(),
        }
    }

    /// Returns the names of the nodes in the reports that fulfil a condition.
    fn node_names(&self, is_meant: fn(&Report) -> bool) -> BTreeSet<&str> {
        let reports = self.reports.iter().filter(|(_, report)| is_meant(report));
        let nodes = reports.flat_map(|(source, report)| report.on_nodes(source));
        nodes.filter_map(|(node, _)| node.node()).collect()
    }

    /// Returns the clusters, each with the pools of its newest report: those of several namespaces
    /// have the same nodes.
    fn clusters(&self, hosts: &BTreeSet<&str>) -> Vec<MergedCluster> {
        let mut newest: BTreeMap<&str, (Option<Timestamp>, &ClusterView)> = BTreeMap::new();
        for report in self.reports.values() {
            let Some(view) = report.view.as_deref() else {
                continue;
            };
            let known = newest.entry(cluster_id(view)).or_insert((report.made, view));
            if known.0 <= report.made {
                *known = (report.made, view);
            }
        }
        let views = newest.into_values().map(|(_, view)| view);
        views.map(|view| MergedCluster::new(view, hosts)).collect()
    }

    /// Returns the number of nodes for each set of findings, and the sets on no node.
    fn groups(&self) -> BTreeMap<Numbers, usize> {
        let mut nodes: BTreeMap<&ReportSource, Numbers> = BTreeMap::new();
        let reports = self.reports.iter();
        for (node, findings) in reports.flat_map(|(source, report)| report.on_nodes(source)) {
            match nodes.entry(node) {
                Entry::Vacant(first) => drop(first.insert(findings.clone())),
                Entry::Occupied(mut known) => Arc::make_mut(known.get_mut()).extend(&**findings),
            }
        }
        let clusters = self.reports.values().filter(|report| report.view.is_some());
        let idle = clusters.map(|report| (report.own.clone(), 0));
        let mut groups: BTreeMap<Numbers, usize> = idle.collect();
        for findings in nodes.into_values() {
            *groups.entry(findings).or_default() += 1;
        }
        groups
    }

    /// Returns everything that was found on any node.
    fn totals(&self) -> BTreeMap<&PluginIdentity, Totals> {
        let mut totals: BTreeMap<&PluginIdentity, Totals> = BTreeMap::new();
        for (numbers, nodes) in self.groups() {
            let found: Vec<&ReportedFinding> = numbers
                .iter()
                .filter_map(|number| self.findings.get_index(*number))
                .map(|(finding, _)| finding)
                .collect();
            for (plugin, finding) in on_node(&found) {
                totals.entry(plugin).or_default().add(finding, nodes);
            }
        }
        for (finding, span) in &self.findings {
            if let Some(total) = totals.get_mut(&finding.plugin) {
                let stamps = [&span.first, &span.last].into_iter().flatten();
                stamps.for_each(|stamp| total.times.add(stamp.clone()));
            }
        }
        totals
    }
}

/// Returns all plugins on any node, the worst on the most nodes first.
fn plugins(totals: &BTreeMap<&PluginIdentity, Totals>) -> Vec<MergedPlugin> {
    let counted = totals.iter().filter(|(_, total)| total.is_plugin);
    let mut plugins: Vec<MergedPlugin> = counted.map(|(plugin, total)| total.of(plugin)).collect();
    plugins.sort_by_cached_key(|plugin| {
        let badness = Reverse((plugin.worst(), plugin.nodes));
        let name = (plugin.name.clone(), plugin.index.clone());
        (badness, name, plugin.path.clone())
    });
    plugins
}

/// Returns all incidents on any node.
fn incidents(totals: &BTreeMap<&PluginIdentity, Totals>) -> Vec<MergedIncident> {
    let found = totals.iter().flat_map(|(plugin, total)| {
        let incidents = total.incidents.iter();
        let path = plugin.path();
        let label = label(plugin.index.as_deref(), plugin.name.as_deref(), &path);
        incidents.map(move |(incident, nodes)| incident.on(&label, &path, *nodes))
    });
    in_order_of_level(found.collect())
}

/// The identity of a plugin across nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
struct PluginIdentity {
    name: Option<String>,
    index: Option<String>,
    /// The place without process ids, which differ on each node.
    place: Place,
    program: Option<String>,
    nri: Built,
}

/// The finding of one report about a plugin. Most nodes have the same findings, so each distinct
/// one is stored once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct ReportedFinding {
    plugin: PluginIdentity,
    events: BTreeSet<String>,
    /// Outcomes by target.
    verdicts: BTreeMap<String, Outcome>,
    /// True if the plugin was seen as the program of a process.
    is_process: bool,
    /// True if it is a plugin, or has a verdict.
    is_plugin: bool,
    incidents: BTreeSet<FoundIncident>,
}

impl PluginIdentity {
    fn path(&self) -> String {
        self.place.to_string()
    }
}

impl ReportedFinding {
    /// Returns the finding about a subject.
    fn new(subject: &Subject) -> Self {
        let place = Place { pids: Vec::new(), ..subject.place.whole_file() };
        let verdicts = subject.verdicts.iter();
        Self {
            plugin: PluginIdentity {
                name: subject.name.clone(),
                index: subject.index.clone(),
                place,
                program: subject.program.clone(),
                nri: subject.nri.clone(),
            },
            events: subject.events.iter().cloned().collect(),
            verdicts: verdicts.map(|verdict| (verdict.target.clone(), verdict.outcome)).collect(),
            is_process: !subject.place.pids.is_empty(),
            is_plugin: subject.role == Role::Plugin || !subject.verdicts.is_empty(),
            incidents: subject.incidents.iter().map(FoundIncident::new).collect(),
        }
    }

    /// Returns its size as JSON, in bytes.
    fn size(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |json| json.len())
    }

    /// Adds what another finding on the same node says about the plugin: under each target, the
    /// worse verdict counts.
    fn join(&mut self, other: &Self) {
        self.events.extend(other.events.iter().cloned());
        self.incidents.extend(other.incidents.iter().cloned());
        self.is_plugin |= other.is_plugin;
        for (target, outcome) in &other.verdicts {
            let worst = self.verdicts.entry(target.clone()).or_insert(*outcome);
            *worst = (*worst).max(*outcome);
        }
    }

    /// Returns true if this is a process on a node that runs the program of a container on the same
    /// node: the process sees the program under its path in the image.
    fn is_process_of(&self, container: &Self) -> bool {
        let (process, other) = (&self.plugin, &container.plugin);
        self.is_process
            && other.place.entry.as_ref() == Some(&process.place.file)
            && self.events == container.events
            && process.program == other.program
            && process.nri.version == other.nri.version
    }
}

/// The facts about a plugin on all nodes.
#[derive(Default)]
struct Totals {
    nodes: usize,
    events: BTreeSet<String>,
    verdicts: BTreeMap<String, BTreeMap<Outcome, usize>>,
    incidents: BTreeMap<FoundIncident, usize>,
    is_plugin: bool,
    times: Span,
}

impl Totals {
    fn add(&mut self, finding: ReportedFinding, nodes: usize) {
        self.nodes += nodes;
        self.is_plugin |= finding.is_plugin;
        self.events.extend(finding.events);
        for incident in finding.incidents {
            *self.incidents.entry(incident).or_default() += nodes;
        }
        for (target, outcome) in finding.verdicts {
            // All five are always present.
            let none = || Outcome::ALL.map(|one| (one, 0)).into();
            let counts = self.verdicts.entry(target).or_insert_with(none);
            *counts.entry(outcome).or_default() += nodes;
        }
    }

    fn of(&self, plugin: &PluginIdentity) -> MergedPlugin {
        let shown = |stamp: &Option<Stamp>| stamp.as_ref().map(|stamp| stamp.shown.clone());
        let verdicts = self.verdicts.clone().into_iter();
        MergedPlugin {
            path: plugin.path(),
            name: plugin.name.clone(),
            index: plugin.index.clone(),
            program: plugin.program.clone(),
            nri: plugin.nri.clone(),
            nodes: self.nodes,
            first_seen: shown(&self.times.first),
            last_seen: shown(&self.times.last),
            events: in_order(self.events.clone()),
            verdicts: verdicts.map(|(target, counts)| MergedVerdict { target, counts }).collect(),
        }
    }
}

fn names<'n>(nodes: impl Iterator<Item = &'n &'n str>) -> Vec<String> {
    nodes.map(|node| (*node).to_owned()).collect()
}

/// Returns the stored set that equals this one.
fn stored(sets: &mut BTreeSet<Numbers>, set: BTreeSet<usize>) -> Numbers {
    sets.get(&set).cloned().unwrap_or_else(|| {
        let set = Numbers::new(set);
        sets.insert(set.clone());
        set
    })
}

/// Returns true if a subject is counted.
fn counts(subject: &&Subject) -> bool {
    let has_findings = !subject.verdicts.is_empty() || !subject.incidents.is_empty();
    subject.role == Role::Plugin || has_findings
}

/// Returns the findings on a node by plugin: a process that runs the program of a container counts
/// as that container.
fn on_node<'f>(found: &[&'f ReportedFinding]) -> BTreeMap<&'f PluginIdentity, ReportedFinding> {
    let is_in_container = |place: &Place| place.workload.is_some() && place.entry.is_some();
    let containers: Vec<_> =
        found.iter().filter(|finding| is_in_container(&finding.plugin.place)).collect();
    let mut joined: BTreeMap<&PluginIdentity, ReportedFinding> = BTreeMap::new();
    for finding in found {
        if !containers.iter().any(|container| finding.is_process_of(container)) {
            let known = joined.entry(&finding.plugin).and_modify(|known| known.join(finding));
            known.or_insert_with(|| (*finding).clone());
        }
    }
    joined
}

/// Adds the times at which a log mentions a plugin, or else the time of the report.
fn add_times(span: &mut Span, subject: &Subject, at: Option<&str>) {
    let logged = subject
        .occurrences
        .as_ref()
        .map(|logged| [logged.first.as_deref(), logged.last.as_deref()]);
    let times = logged.unwrap_or([at, None]).into_iter().flatten();
    times.filter_map(Stamp::new).for_each(|stamp| span.add(stamp));
}

/// Returns the events in the order of their numbers; unknown ones come last.
fn in_order(events: BTreeSet<String>) -> Vec<String> {
    let place = |event: &String| crate::facts::EVENTS.iter().position(|known| known == event);
    let mut events: Vec<String> = events.into_iter().collect();
    events.sort_by_key(|event| place(event).unwrap_or(usize::MAX));
    events
}
