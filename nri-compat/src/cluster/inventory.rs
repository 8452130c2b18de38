//! The containers that may be NRI plugins, from pods and from the objects that create pods.

use std::collections::{BTreeMap, BTreeSet};

use super::images::Image;
use super::owners::{self, Owners};
use super::resources::TEMPLATES;
use super::workload_name::WorkloadName;
use crate::workloads::{Candidate, Owner, Workload, candidates};

/// The maximum number of distinct containers that are kept.
const MAX_CONTAINERS: usize = 100_000;

/// A container that may be an NRI plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The object that runs it.
    pub workload: WorkloadName,
    /// The name of the container.
    pub container: String,
    /// Its image.
    pub image: Image,
    /// The reason for treating it as a plugin.
    pub reason: String,
    /// True for static pods, which the kubelets of nodes run from files.
    pub is_static: bool,
    /// The number of pods with the container and this image.
    pub pods: u64,
    /// The names of the nodes of these pods, sorted.
    pub nodes: Vec<String>,
}

/// A container with its image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ContainerKey {
    workload: WorkloadName,
    container: String,
    image: Image,
}

/// The pods that run a container.
#[derive(Clone, Debug, Default)]
struct ContainerUse {
    reason: String,
    is_static: bool,
    pods: u64,
    nodes: BTreeSet<String>,
}

/// The containers of one list.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    containers: BTreeMap<ContainerKey, ContainerUse>,
    /// The objects that own other objects of the list.
    owners: Owners,
    /// The number of objects of the list.
    pub(super) objects: u64,
    /// The number of containers beyond the maximum.
    pub(super) beyond: u64,
}

impl Inventory {
    /// Adds a pod.
    pub(super) fn pod(&mut self, pod: Workload) {
        self.objects += 1;
        if has_ended(&pod) {
            return;
        }
        for candidate in candidates(&pod) {
            let image = Image::running(candidate.container, pod.image_id(candidate.container));
            let key = key(owners::of_pod(&pod), &candidate, image);
            let Some(container) = self.container(key, &candidate) else {
                continue;
            };
            container.pods += 1;
            container.is_static = pod.is_mirror;
            container.nodes.extend(candidate.template.node_name.clone());
        }
    }

    /// Adds an object with a pod template; `kind` is its kind, which lists do not repeat.
    pub(super) fn workload(&mut self, workload: Workload, kind: &str) {
        self.objects += 1;
        let name = owners::name(&workload, kind);
        let found = candidates(&workload);
        if found.is_empty() {
            return;
        }
        if let Some(owner) = workload.controller().filter(|owner| is_listed(owner)) {
            // Its owner has the same template and is listed, too.
            self.owners.add(name, owner);
            return;
        }
        for candidate in found {
            let image = Image::of_template(candidate.container);
            self.container(key(name.clone(), &candidate, image), &candidate);
        }
    }

    fn container(
        &mut self,
        key: ContainerKey,
        candidate: &Candidate<'_>,
    ) -> Option<&mut ContainerUse> {
        if self.containers.len() >= MAX_CONTAINERS && !self.containers.contains_key(&key) {
            self.beyond += 1;
            return None;
        }
        let container = self.containers.entry(key).or_default();
        if container.reason.is_empty() {
            container.reason = candidate.reason();
        }
        Some(container)
    }
}

/// Returns the containers of the pods under the objects that own them, and those of `templates` that
/// no pod runs.
pub(super) fn plugins(pods: Inventory, templates: Vec<Inventory>) -> Vec<Plugin> {
    let mut owners = Owners::default();
    let mut declared: BTreeMap<ContainerKey, ContainerUse> = BTreeMap::new();
    for list in templates {
        owners.append(list.owners);
        declared.extend(list.containers);
    }
    let workloads: BTreeSet<&WorkloadName> = declared.keys().map(|key| &key.workload).collect();
    let mut all: BTreeMap<ContainerKey, ContainerUse> = BTreeMap::new();
    for (mut key, found) in pods.containers {
        key.workload = owners.topmost(key.workload, &workloads);
        let of_owner = all.entry(key).or_default();
        of_owner.reason = found.reason;
        of_owner.is_static |= found.is_static;
        of_owner.pods += found.pods;
        of_owner.nodes.extend(found.nodes);
    }
    let running: BTreeSet<(WorkloadName, String)> = all
        .keys()
        .map(|key| (key.workload.clone(), key.container.clone()))
        .collect();
    for (key, found) in declared {
        if !running.contains(&(key.workload.clone(), key.container.clone())) {
            all.insert(key, found);
        }
    }
    all.into_iter().map(plugin).collect()
}

fn key(workload: WorkloadName, candidate: &Candidate<'_>, image: Image) -> ContainerKey {
    ContainerKey {
        workload,
        container: candidate.container.name.clone(),
        image,
    }
}

fn plugin((key, found): (ContainerKey, ContainerUse)) -> Plugin {
    Plugin {
        workload: key.workload,
        container: key.container,
        image: key.image,
        reason: found.reason,
        is_static: found.is_static,
        pods: found.pods,
        nodes: found.nodes.into_iter().collect(),
    }
}

/// Returns true for an owner that is also listed, such as the cron job of a job.
fn is_listed(owner: &Owner) -> bool {
    TEMPLATES.iter().any(|resource| resource.kind == owner.kind)
}

/// Returns true for a pod whose containers no longer run.
fn has_ended(pod: &Workload) -> bool {
    matches!(pod.phase.as_deref(), Some("Succeeded" | "Failed"))
}
