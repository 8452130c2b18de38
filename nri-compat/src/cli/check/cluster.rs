//! The check of a cluster.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{CheckArgs, ClusterArgs};
use crate::check::assess::assess;
use crate::check::collect::{Collected, ImageRequest};
use crate::check::pools;
use crate::check::target::Target;
use crate::cli::{answer, session};
use crate::cluster::{self, Cluster, ClusterError, ClusterOptions, Plugin, WarnedNodes};
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::place::{Place, WorkloadPlace};
use crate::report::check::{CLUSTER_READER, CheckReport, NotLookedFor, Summary};
use crate::report::counted;
use crate::sighting::{Certainty, Events, Evidence, FileKind, Role, Sighting};
use crate::skipped::Skipped;

/// The evidence about static pods.
const STATIC_POD: &str =
    "a static pod, which the kubelet of each node runs from a file on the node";

/// The maximum number of plugins that evidence names.
const MAX_NAMED: usize = 4;

/// Checks a cluster, together with the places that the command line names.
pub(super) fn run(args: &CheckArgs) -> Result<Exit, Error> {
    let decisions = args.answer.decisions()?;
    let history = crate::data::history()?;
    let unknown = &args.targets.unknown;
    let targets = args.targets.resolve(history, &decisions.policy.targets)?;
    let asked: Vec<String> = targets.iter().map(|target| target.head.name.clone()).collect();
    let mut found = args.cluster.read()?;
    let pools = &mut found.cluster.view.pools;
    let targets = pools::judge(history, unknown, pools, targets);
    let collected = found.collect(args, &targets);
    let incomplete = found.incomplete().or_else(|| answer::missing(&collected));
    let mut report = assess(collected, &targets);
    found.finish(&mut report, &asked);
    let exit = args.answer.finish(report, &decisions)?;
    Ok(answer::with_error(exit, incomplete))
}

/// A cluster that was read.
struct ClusterScan {
    cluster: Cluster,
    /// The name of the cluster in places.
    name: String,
    /// The time that reading the cluster took.
    time: Duration,
}

impl ClusterArgs {
    /// Reads the cluster.
    fn read(&self) -> Result<ClusterScan, Error> {
        let options = ClusterOptions {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
            namespace: self.namespace.clone(),
            request_timeout: self.request_timeout,
        };
        let start = Instant::now();
        let cluster = session::run(cluster::read(&options))?;
        let time = start.elapsed();
        Ok(ClusterScan { name: format!("cluster {}", cluster.view.name), cluster, time })
    }
}

impl ClusterScan {
    /// Checks the images of the plugins, and the places that the command line names.
    fn collect(&self, args: &CheckArgs, targets: &[Target<'_>]) -> Collected {
        let cluster = Place::from(self.name.clone());
        let images = self.cluster.plugins.iter().map(|plugin| ImageRequest {
            reference: plugin.image.reference.clone(),
            place: cluster.in_workload(plugin.place.clone()),
            relayed: plugin.relayed.clone(),
        });
        let images: Vec<ImageRequest> = images.collect();
        // An empty request would check this machine.
        let mut collected = if images.is_empty() && !args.names_places() {
            Collected::default()
        } else {
            args.collect(images, targets, &[])
        };
        self.explain(&mut collected);
        collected.sightings.extend(self.cluster.warned.iter().map(|one| self.warned(one)));
        collected
    }

    /// Returns a sighting of the plugins that the runtimes of some nodes warned about, with those
    /// found in pods there.
    fn warned(&self, warned: &WarnedNodes) -> Sighting {
        let said = format!(
            "the condition {} of {} is False: {}",
            cluster::CONDITION,
            counted(warned.nodes.len(), "node"),
            warned.deprecation
        );
        let plugins = self.cluster.plugins.iter();
        let there = plugins.filter(|plugin| !plugin.nodes.is_disjoint(&warned.nodes));
        let name = |place: &WorkloadPlace| {
            let namespace = place.namespace.as_deref().unwrap_or_default();
            format!("{} {namespace}/{}", place.kind, place.name)
        };
        let names: BTreeSet<String> = there.map(|plugin| name(&plugin.place)).collect();
        let names: Vec<String> = names.into_iter().take(MAX_NAMED).collect();
        let joined = match names.as_slice() {
            [] => "no plugin was found in pods on them: look at the nodes themselves".to_owned(),
            names => format!("plugins in pods on them: {}", names.join(", ")),
        };
        let evidence = [said, joined].map(|detail| Evidence::new(CLUSTER_READER, detail));
        Sighting {
            place: self.place_of(warned),
            kind: FileKind::DeprecationList,
            role: Role::Plugin,
            interface: warned.interface.clone(),
            events: Events { certainty: Certainty::Observed, ..Events::default() },
            evidence: evidence.into(),
            ..Sighting::default()
        }
    }

    fn place_of(&self, warned: &WarnedNodes) -> Place {
        Place::from(format!("{}: nodes that warn of {}", self.name, warned.deprecation))
    }

    /// Returns what the runtimes of the nodes of these plugins warned about.
    fn warnings_about(&self, plugins: &[&Plugin]) -> Option<String> {
        let on_warned = |warned: &WarnedNodes| {
            let of_plugins = plugins.iter().flat_map(|plugin| &plugin.nodes);
            of_plugins.filter(|node| warned.nodes.contains(*node)).collect::<BTreeSet<_>>().len()
        };
        let mut counts = self.cluster.warned.iter().map(|warned| (warned, on_warned(warned)));
        let (warned, count) = counts.find(|(_, count)| *count > 0)?;
        Some(format!(
            "the runtime of {} with it warned about some plugin: {}",
            counted(count, "node"),
            warned.deprecation
        ))
    }

    /// Adds the facts from the cluster to the sightings: the reasons for treating a container as a
    /// plugin, and the resources that could not be read.
    fn explain(&self, collected: &mut Collected) {
        for sighting in &mut collected.sightings {
            let of_place = self.of_place(&sighting.place);
            let warned = self.warnings_about(&of_place);
            let details = of_place.into_iter().flat_map(|plugin| {
                let static_pod = plugin.is_static.then_some(STATIC_POD);
                let details = [Some(&*plugin.reason), static_pod, plugin.image.remark];
                details.into_iter().flatten()
            });
            let details: BTreeSet<&str> = details.collect();
            let evidence = details.into_iter().map(|detail| Evidence::new(CLUSTER_READER, detail));
            sighting.evidence.extend(evidence);
            sighting.evidence.extend(warned.map(|detail| Evidence::new(CLUSTER_READER, detail)));
        }
        self.summarize(&mut collected.summary);
        let unread = self.cluster.unread.iter();
        collected.skipped.extend(unread.map(|unread| {
            let place = format!("{}: {}", self.name, unread.resource.name());
            let error = &unread.error;
            let help = error.help.as_deref().map(|help| format!("; {help}"));
            let reason = format!("{error}{}", help.unwrap_or_default());
            Skipped::new(place, error.kind, reason)
        }));
    }

    /// Adds the cluster to the places that were checked, the counts, and the time.
    fn summarize(&self, summary: &mut Summary) {
        summary.looked_at.retain(|place| *place != self.name);
        let place = format!("{} ({})", self.name, self.cluster.view.server);
        summary.looked_at.push(place);
        let not_looked_for = &mut summary.not_looked_for;
        not_looked_for.retain(|kind| *kind != NotLookedFor::Cluster);
        let plugins = self.cluster.plugins.iter();
        let candidates: BTreeSet<_> = plugins.map(|plugin| plugin.place.workload()).collect();
        let count = summary.workloads.get_or_insert_default();
        count.examined += self.cluster.view.pods + self.cluster.view.workloads;
        count.candidates += candidates.len() as u64;
        summary.millis += u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX);
    }

    /// Adds the nodes of each plugin and the pools to the report.
    fn finish(self, report: &mut CheckReport, asked: &[String]) {
        for subject in &mut report.subjects {
            let plugins = self.of_place(&subject.place).into_iter();
            let mut warned = self.cluster.warned.iter();
            let warned = warned.find(|warned| self.place_of(warned) == subject.place);
            let nodes = plugins.flat_map(|plugin| &plugin.nodes);
            let nodes: BTreeSet<&String> =
                nodes.chain(warned.into_iter().flat_map(|warned| &warned.nodes)).collect();
            subject.nodes = nodes.into_iter().cloned().collect();
        }
        pools::apply(report, self.cluster.view, asked);
    }

    /// Returns an error if a part of the cluster could not be read, which must not count as clean.
    fn incomplete(&self) -> Option<Error> {
        let unread = &self.cluster.unread;
        let first = unread.first()?;
        let unread: Vec<String> = unread.iter().map(|one| one.resource.name()).collect();
        let message = format!(
            "the {} could not be read completely ({}): {}",
            self.name,
            unread.join(", "),
            first.error
        );
        Some(Error::new(ErrorKind::Cluster, message).with_help_of(first.error.help.as_deref()))
    }

    /// Returns the plugins whose image contains a place: those with the reference of the place, or
    /// all plugins of the container, which may run several images, if the place does not name one
    /// of them.
    fn of_place(&self, place: &Place) -> Vec<&Plugin> {
        let Some(workload) = place.workload.as_deref() else {
            return Vec::new();
        };
        // The plugins are sorted by place.
        let plugins = &self.cluster.plugins;
        let start = plugins.partition_point(|plugin| plugin.place < *workload);
        let all: Vec<&Plugin> =
            plugins[start..].iter().take_while(|plugin| plugin.place == *workload).collect();
        let image = place.image.as_deref().unwrap_or_default();
        let named = |plugin: &&&Plugin| image.starts_with(&plugin.image.reference);
        let named: Vec<&Plugin> = all.iter().filter(named).copied().collect();
        if named.is_empty() { all } else { named }
    }
}

impl From<ClusterError> for Error {
    fn from(error: ClusterError) -> Self {
        Self::new(ErrorKind::Cluster, error.to_string()).with_help_of(error.help.as_deref())
    }
}
