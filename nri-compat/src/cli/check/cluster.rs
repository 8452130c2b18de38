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
use crate::report::check::{CLUSTER_READER, Summary, WorkloadCount};
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
    let requested = args.targets.resolve(history, &decisions.policy.targets)?;
    let mut found = args.cluster.read()?;
    let pools = &mut found.cluster.view.pools;
    let targets = pools::judge(history, unknown, pools, requested);
    let incomplete = found.incomplete();
    let collected = found.collect(args, &targets);
    let error = incomplete.or_else(|| answer::missing(&collected));
    let exit = args.answer.finish(assess(collected, &targets), &decisions)?;
    Ok(answer::with_error(exit, error))
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
    fn collect(self, args: &CheckArgs, targets: &[Target<'_>]) -> Collected {
        let images: Vec<ImageRequest> =
            self.cluster.plugins.iter().map(|plugin| self.request(plugin)).collect();
        // An empty request would check this machine.
        let mut collected = if images.is_empty() && !args.names_places() {
            Collected::default()
        } else {
            args.collect(images, targets, &[])
        };
        collected.join(self.into_collected());
        collected
    }

    /// Returns what the cluster itself shows, without the images of its plugins.
    fn into_collected(self) -> Collected {
        let view = &self.cluster.view;
        let candidates: BTreeSet<_> =
            self.cluster.plugins.iter().map(|plugin| plugin.place.workload()).collect();
        let workloads = WorkloadCount {
            examined: view.pods + view.workloads,
            candidates: candidates.len() as u64,
        };
        let summary = Summary {
            looked_at: vec![format!("{} ({})", self.name, view.server)],
            workloads: Some(workloads),
            millis: u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX),
            ..Summary::default()
        };
        Collected {
            sightings: self.cluster.warned.iter().map(|one| self.warned(one)).collect(),
            skipped: self.unread().chain(pools::skipped(view)).collect(),
            summary,
            cluster: Some(self.cluster.view),
            ..Collected::default()
        }
    }

    /// Returns the request for the image of a plugin, with the reasons for treating its container
    /// as one, and what the runtimes of its nodes warned about.
    fn request(&self, plugin: &Plugin) -> ImageRequest {
        let static_pod = plugin.is_static.then_some(STATIC_POD);
        let reasons: BTreeSet<&str> = [Some(&*plugin.reason), static_pod, plugin.image.remark]
            .into_iter()
            .flatten()
            .collect();
        let details = reasons.into_iter().map(str::to_owned).chain(self.warnings_about(plugin));
        ImageRequest {
            relayed: plugin.relayed.clone(),
            evidence: details.map(|detail| Evidence::new(CLUSTER_READER, detail)).collect(),
            nodes: plugin.nodes.iter().cloned().collect(),
            ..ImageRequest::at(
                plugin.image.reference.clone(),
                Place::from(self.name.clone()).in_workload(plugin.place.clone()),
            )
        }
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
        let there =
            self.cluster.plugins.iter().filter(|plugin| !plugin.nodes.is_disjoint(&warned.nodes));
        let workloads: BTreeSet<String> =
            there.map(|plugin| workload_name(&plugin.place)).collect();
        let names: Vec<String> = workloads.into_iter().take(MAX_NAMED).collect();
        let joined = match names.as_slice() {
            [] => "no plugin was found in pods on them: look at the nodes themselves".to_owned(),
            names => format!("plugins in pods on them: {}", names.join(", ")),
        };
        let evidence = [said, joined].map(|detail| Evidence::new(CLUSTER_READER, detail));
        Sighting {
            place: Place::from(format!("{}: nodes that warn of {}", self.name, warned.deprecation)),
            kind: FileKind::DeprecationList,
            role: Role::Plugin,
            interface: warned.interface.clone(),
            events: Events { certainty: Certainty::Observed, ..Events::default() },
            evidence: evidence.into(),
            nodes: warned.nodes.iter().cloned().collect(),
            ..Sighting::default()
        }
    }

    /// Returns what the runtimes of the nodes of a plugin warned about.
    fn warnings_about(&self, plugin: &Plugin) -> Option<String> {
        let on_warned = |warned: &WarnedNodes| plugin.nodes.intersection(&warned.nodes).count();
        let mut counts = self.cluster.warned.iter().map(|warned| (warned, on_warned(warned)));
        let (warned, count) = counts.find(|(_, count)| *count > 0)?;
        Some(format!(
            "the runtime of {} with it warned about some plugin: {}",
            counted(count, "node"),
            warned.deprecation
        ))
    }

    /// Returns the resources that could not be read.
    fn unread(&self) -> impl Iterator<Item = Skipped> + '_ {
        self.cluster.unread.iter().map(|unread| {
            let place = format!("{}: {}", self.name, unread.resource.name());
            let error = &unread.error;
            let help = error.help.as_deref().map(|help| format!("; {help}"));
            let reason = format!("{error}{}", help.unwrap_or_default());
            Skipped::new(place, error.kind, reason)
        })
    }

    /// Returns an error if a part of the cluster could not be read, which must not count as clean.
    fn incomplete(&self) -> Option<Error> {
        let unread = &self.cluster.unread;
        let first = unread.first()?;
        let resources: Vec<String> = unread.iter().map(|one| one.resource.name()).collect();
        let message = format!(
            "the {} could not be read completely ({}): {}",
            self.name,
            resources.join(", "),
            first.error
        );
        Some(Error::new(ErrorKind::Cluster, message).with_help_of(first.error.help.as_deref()))
    }
}

fn workload_name(place: &WorkloadPlace) -> String {
    let namespace = place.namespace.as_deref().unwrap_or_default();
    format!("{} {namespace}/{}", place.kind, place.name)
}

impl From<ClusterError> for Error {
    fn from(error: ClusterError) -> Self {
        Self::new(ErrorKind::Cluster, error.to_string()).with_help_of(error.help.as_deref())
    }
}
