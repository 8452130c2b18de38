//! Aggregates reports per plugin.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::document::{Cluster, Document, Subject};
use super::nodes::{ClusterNodes, Nodes, ReportId, Sets};
use super::union::{Program, SeenAs};
use crate::check::logs::stamp::{Span, Stamp};
use crate::report::check::Outcome;
use crate::report::merge::{MergedPlugin, MergedVerdict};
use crate::sighting::Built;

/// The maximum number of distinct plugins, and of distinct findings about them.
const MAX_PLUGINS: usize = 20_000;
const MAX_FINDINGS: usize = 4 * MAX_PLUGINS;

/// The maximum size of the texts that identify a plugin in bytes.
const MAX_KEY: usize = 4096;

/// The maximum number of targets per plugin.
const MAX_TARGETS: usize = 16;

/// The maximum number of events per plugin.
const MAX_EVENTS: usize = 32;

/// The maximum length of the name of an event or target in bytes.
const MAX_NAME: usize = 64;

/// The identity of a plugin across nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PluginKey {
    name: Option<String>,
    index: Option<String>,
    path: String,
    version: Option<String>,
    at_least: Option<String>,
    below: Option<String>,
}

/// A finding of one report about a plugin. Most nodes have the same findings, so each distinct one
/// is stored once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    plugin: u32,
    events: BTreeSet<String>,
    /// Outcomes by target.
    verdicts: BTreeMap<String, Outcome>,
    seen_as: SeenAs,
    /// The identity of the program, and the release of NRI, both from its build.
    build: [Option<String>; 2],
}

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
    pub(super) fn add(
        &mut self,
        document: &Document<'_>,
        time: Option<&str>,
        made: Option<Timestamp>,
    ) {
        let at = document.summary.at.as_deref().or(time);
        match &document.cluster {
            Some(cluster) => self.cluster(document, cluster, at, made),
            None => self.node(document, at, made),
        }
    }

    /// Adds the report of a node.
    fn node(&mut self, document: &Document<'_>, at: Option<&str>, made: Option<Timestamp>) {
        let mut set = BTreeMap::new();
        for subject in document.subjects.iter().filter(counts) {
            self.subject(subject, at, &mut set);
        }
        let set = self.sets.number(set.into_values().collect(), usize::MAX);
        let report = ReportId {
            node: document.summary.node.as_deref(),
            scan: document.summary.scan.as_deref(),
            at: made,
        };
        if !self.nodes.add(report, set.unwrap_or_default()) {
            self.beyond += 1;
        }
    }

    /// Adds the report of a cluster, as one report for each of its nodes.
    fn cluster(
        &mut self,
        document: &Document<'_>,
        cluster: &Cluster<'_>,
        at: Option<&str>,
        made: Option<Timestamp>,
    ) {
        let pools = cluster.pools.iter().flat_map(|pool| &pool.nodes);
        let mut sets: BTreeMap<&str, BTreeMap<u32, u32>> =
            pools.map(|node| (node.as_ref(), BTreeMap::new())).collect();
        let mut idle = BTreeMap::new();
        for subject in document.subjects.iter().filter(counts) {
            let mut found = BTreeMap::new();
            self.subject(subject, at, &mut found);
            for node in &subject.nodes {
                sets.entry(node).or_default().extend(&found);
            }
            if subject.nodes.is_empty() {
                idle.extend(found);
            }
        }
        let mut number = |set: BTreeMap<u32, u32>| {
            let set = set.into_values().collect();
            self.sets.number(set, usize::MAX).unwrap_or_default()
        };
        let report = ClusterNodes {
            at: made,
            idle: number(idle),
            sets: sets
                .into_iter()
                .map(|(node, set)| (node.to_owned(), number(set)))
                .collect(),
        };
        if !self.nodes.add_cluster(cluster.key(), report) {
            self.beyond += 1;
        }
    }

    /// Adds a subject to the set of its report, in which a plugin counts once.
    fn subject(&mut self, subject: &Subject<'_>, at: Option<&str>, set: &mut BTreeMap<u32, u32>) {
        let key = PluginKey::of(subject);
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
        if set.contains_key(&plugin) {
            return;
        }
        match self
            .findings
            .number(Finding::of(plugin, subject), MAX_FINDINGS)
        {
            Some(finding) => drop(set.insert(plugin, finding)),
            None => self.beyond += 1,
        }
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
        let (sets, findings) = (self.sets.by_number(), self.findings.by_number());
        let of = |set: &u32| -> Vec<&Finding> {
            let numbers = sets.get(set).into_iter().copied().flatten();
            numbers
                .filter_map(|number| findings.get(number).copied())
                .collect()
        };
        for (sets, nodes) in self.nodes.sets() {
            for finding in on_node(&sets, of) {
                let plugin = merged.entry(finding.plugin).or_default();
                add_finding(plugin, finding, nodes);
            }
        }
        for finding in self.nodes.idle().iter().flat_map(of) {
            add_finding(merged.entry(finding.plugin).or_default(), finding, 0);
        }
        let keys = self.plugins.by_number();
        let mut plugins: Vec<MergedPlugin> = merged
            .into_iter()
            .filter_map(|(number, plugin)| {
                let span = self.spans.get(number as usize)?;
                Some(finished(plugin, keys.get(&number)?, span))
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
fn counts(subject: &&Subject<'_>) -> bool {
    subject.role == "plugin" || !subject.verdicts.is_empty()
}

/// Returns the findings on a node, each once: a process that a container of the cluster runs is the
/// program in its image.
fn on_node<'f>(sets: &Sets, of: impl Fn(&u32) -> Vec<&'f Finding>) -> BTreeSet<&'f Finding> {
    let mut all: BTreeSet<&Finding> = sets.clusters.iter().flat_map(&of).collect();
    let containers: Vec<Program<'_>> = all.iter().map(|finding| finding.program()).collect();
    let of_host = sets.host.iter().flat_map(&of);
    let is_new = |finding: &&Finding| {
        let program = finding.program();
        !containers
            .iter()
            .any(|container| program.is_process_of(container))
    };
    let of_host: Vec<&Finding> = of_host.filter(is_new).collect();
    all.extend(of_host);
    all
}

/// Values with numbers.
#[derive(Debug)]
struct Numbered<T>(BTreeMap<T, u32>);

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Ord> Numbered<T> {
    /// Returns the number of a value; `None` for a new one if there are already `limit` values.
    fn number(&mut self, value: T, limit: usize) -> Option<u32> {
        let next = u32::try_from(self.0.len()).ok();
        if let Some(known) = self.0.get(&value) {
            return Some(*known);
        }
        let next = next.filter(|_| self.0.len() < limit)?;
        self.0.insert(value, next);
        Some(next)
    }

    fn by_number(&self) -> BTreeMap<u32, &T> {
        self.0
            .iter()
            .map(|(value, number)| (*number, value))
            .collect()
    }
}

impl Cluster<'_> {
    /// Returns the identity of the cluster, or of a namespace in it.
    fn key(&self) -> String {
        let namespace = self.namespace.as_deref().unwrap_or_default();
        let key = format!("{} {namespace}", self.server);
        key.chars().take(MAX_KEY).collect()
    }
}

impl PluginKey {
    fn of(subject: &Subject<'_>) -> Self {
        let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        Self {
            name: owned(&subject.name),
            index: owned(&subject.index),
            path: subject.path.clone().into_owned(),
            version: owned(&subject.nri.version),
            at_least: owned(&subject.nri.at_least),
            below: owned(&subject.nri.below),
        }
    }

    fn len(&self) -> usize {
        let others = [
            &self.name,
            &self.index,
            &self.version,
            &self.at_least,
            &self.below,
        ];
        self.path.len() + others.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Finding {
    fn of(plugin: u32, subject: &Subject<'_>) -> Self {
        let events = subject
            .events
            .iter()
            .filter(|event| event.len() <= MAX_NAME);
        let verdicts = subject.verdicts.iter().map(|verdict| {
            let mut outcomes = Outcome::ALL.into_iter();
            let outcome = outcomes.find(|outcome| outcome.as_str() == verdict.verdict);
            // A verdict that only a newer release knows is none that may pass.
            let outcome = outcome.unwrap_or(Outcome::Unknown);
            (verdict.target.chars().take(MAX_NAME).collect(), outcome)
        });
        Self {
            plugin,
            events: events
                .take(MAX_EVENTS)
                .map(|event| event.clone().into_owned())
                .collect(),
            verdicts: verdicts.take(MAX_TARGETS).collect(),
            seen_as: SeenAs::of(&subject.place),
            build: [&subject.program, &subject.nri.version]
                .map(|text| text.as_deref().map(str::to_owned)),
        }
    }

    fn program(&self) -> Program<'_> {
        Program {
            seen_as: &self.seen_as,
            build: &self.build,
            events: &self.events,
        }
    }
}

/// Adds the times at which a log mentions a plugin, or else the time of the report.
fn add_times(span: &mut Span, subject: &Subject<'_>, at: Option<&str>) {
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
        nri: Built {
            version: key.version.clone(),
            at_least: key.at_least.clone(),
            below: key.below.clone(),
        },
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
