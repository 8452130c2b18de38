//! The containers that may be NRI plugins, from pods and from the objects that create pods.

use std::collections::{BTreeMap, BTreeSet};

use super::object::{Image, ImageOrigin, WorkloadName, controller, has_ended, is_mirror, node_of};
use super::resources::TEMPLATES;
use crate::workloads::{Candidate, Node, Workload, candidates, templates};

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

/// The pods that run a container; none for the container of a template.
#[derive(Clone, Debug, Default)]
struct ContainerUse {
    reason: String,
    is_static: bool,
    pods: u64,
    nodes: BTreeSet<String>,
}

/// The containers of all lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Inventory {
    containers: BTreeMap<ContainerKey, ContainerUse>,
    /// The objects that own listed objects.
    owners: BTreeMap<WorkloadName, WorkloadName>,
    /// The number of pods.
    pub(super) pods: u64,
    /// The number of other objects.
    pub(super) workloads: u64,
    /// The number of containers beyond the maximum.
    pub(super) beyond: u64,
}

impl Inventory {
    /// Adds a pod.
    pub(super) fn pod(&mut self, pod: &Node) {
        self.pods += 1;
        if has_ended(pod) {
            return;
        }
        for candidate in candidates(&workload(pod)) {
            let image = Image::running(candidate.container, pod);
            let Some(container) = self.container(WorkloadName::of_pod(pod), &candidate, image)
            else {
                continue;
            };
            container.pods += 1;
            container.is_static = is_mirror(pod);
            container.nodes.extend(node_of(pod).map(str::to_owned));
        }
    }

    /// Adds an object with a pod template; `kind` is its kind, which lists do not repeat.
    pub(super) fn workload(&mut self, object: &Node, kind: &str) {
        self.workloads += 1;
        let workload = workload(object);
        let found = candidates(&workload);
        if found.is_empty() {
            return;
        }
        let name = WorkloadName::of_object(object, kind);
        if let Some(owner) = controller(object, &name).filter(is_listed) {
            // Its owner has the same template and is listed, too.
            self.owners.insert(name, owner);
            return;
        }
        for candidate in found {
            let image = Image::specified(candidate.container, ImageOrigin::Template);
            self.container(name.clone(), &candidate, image);
        }
    }

    fn container(
        &mut self,
        workload: WorkloadName,
        candidate: &Candidate<'_>,
        image: Image,
    ) -> Option<&mut ContainerUse> {
        let key = ContainerKey {
            workload,
            container: candidate.container.name.clone(),
            image,
        };
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

    /// Returns the containers of the pods under the objects that own them, and those of templates that
    /// no pod runs.
    pub(super) fn plugins(&self) -> Vec<Plugin> {
        let (running, declared): (Vec<_>, Vec<_>) = self
            .containers
            .iter()
            .partition(|(_, found)| found.pods > 0);
        let workloads: BTreeSet<&WorkloadName> =
            declared.iter().map(|(key, _)| &key.workload).collect();
        let mut all: BTreeMap<ContainerKey, ContainerUse> = BTreeMap::new();
        for (key, found) in running {
            let of_owner = ContainerKey {
                workload: self.topmost(&key.workload, &workloads),
                ..key.clone()
            };
            let of_owner = all.entry(of_owner).or_default();
            of_owner.reason.clone_from(&found.reason);
            of_owner.is_static |= found.is_static;
            of_owner.pods += found.pods;
            of_owner.nodes.extend(found.nodes.iter().cloned());
        }
        let name = |key: &ContainerKey| (key.workload.clone(), key.container.clone());
        let names: BTreeSet<_> = all.keys().map(name).collect();
        let unused = declared
            .into_iter()
            .filter(|(key, _)| !names.contains(&name(key)));
        all.extend(unused.map(|(key, found)| (key.clone(), found.clone())));
        all.into_iter().map(plugin).collect()
    }

    /// Returns the object that the owner of a pod belongs to: the deployment of a replica set, if it
    /// is one of these workloads, or the cron job of a job; else the owner itself.
    fn topmost(&self, owner: &WorkloadName, workloads: &BTreeSet<&WorkloadName>) -> WorkloadName {
        let deployment = || owner.deployment().filter(|name| workloads.contains(name));
        let above = self.owners.get(owner).cloned().or_else(deployment);
        above.unwrap_or_else(|| owner.clone())
    }
}

fn workload(object: &Node) -> Workload {
    Workload {
        templates: templates(object),
        ..Workload::default()
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
fn is_listed(owner: &WorkloadName) -> bool {
    TEMPLATES.iter().any(|resource| resource.kind == owner.kind)
}
