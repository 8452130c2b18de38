//! The containers that may be NRI plugins, from pods and from the objects that create pods.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::object::{Image, ImageOrigin, WorkloadName, controller, has_ended, is_mirror, node_of};
use super::resources::{PODS, RESOURCES};
use crate::workloads::{Container, Node, workload};

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
    /// The number of pods with the container and this image; none for the container of a template.
    pub pods: u64,
    /// The names of the nodes of these pods.
    pub nodes: BTreeSet<String>,
}

/// The object that runs a container, the name of the container, and its image.
type Key = (WorkloadName, String, Image);

/// The containers of all lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Inventory {
    containers: BTreeMap<Key, Plugin>,
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
        for candidate in workload(pod, PODS.kind).candidates() {
            let image = Image::running(candidate, pod);
            let Some(container) = self.container(WorkloadName::of_pod(pod), candidate, image)
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
        let workload = workload(object, kind);
        if workload.candidates().next().is_none() {
            return;
        }
        let name = WorkloadName::of_object(object, kind);
        if let Some(owner) = controller(object, &name).filter(is_listed) {
            // Its owner has the same template and is listed, too.
            self.owners.insert(name, owner);
            return;
        }
        for candidate in workload.candidates() {
            let image = Image::specified(candidate, ImageOrigin::Template);
            self.container(name.clone(), candidate, image);
        }
    }

    fn container(
        &mut self,
        workload: WorkloadName,
        candidate: &Container,
        image: Image,
    ) -> Option<&mut Plugin> {
        let container = candidate.name.clone();
        let key = (workload, container, image);
        if self.containers.len() >= MAX_CONTAINERS && !self.containers.contains_key(&key) {
            self.beyond += 1;
            return None;
        }
        let (workload, container, image) = key.clone();
        let plugin = || Plugin {
            workload,
            container,
            image,
            reason: candidate.reason(),
            is_static: false,
            pods: 0,
            nodes: BTreeSet::new(),
        };
        Some(self.containers.entry(key).or_insert_with(plugin))
    }

    /// Returns the containers of the pods under the objects that own them, and those of templates that
    /// no pod runs.
    pub(super) fn plugins(mut self) -> Vec<Plugin> {
        let found = std::mem::take(&mut self.containers).into_iter();
        let (running, declared): (BTreeMap<_, _>, BTreeMap<_, _>) =
            found.partition(|(_, plugin)| plugin.pods > 0);
        let workloads: BTreeSet<&WorkloadName> =
            declared.keys().map(|(workload, ..)| workload).collect();
        let mut all: BTreeMap<Key, Plugin> = BTreeMap::new();
        for ((owner, container, image), mut plugin) in running {
            plugin.workload = self.topmost(&owner, &workloads);
            match all.entry((plugin.workload.clone(), container, image)) {
                Entry::Vacant(first) => drop(first.insert(plugin)),
                Entry::Occupied(mut known) => known.get_mut().add(plugin),
            }
        }
        let names: BTreeSet<_> = all
            .keys()
            .map(|(workload, name, _)| (workload, name))
            .collect();
        let mut unused = declared;
        unused.retain(|(workload, name, _), _| !names.contains(&(workload, name)));
        all.extend(unused);
        all.into_values().collect()
    }

    /// Returns the object that the owner of a pod belongs to: the deployment of a replica set, if it
    /// is one of these workloads, or the cron job of a job; else the owner itself.
    fn topmost(&self, owner: &WorkloadName, workloads: &BTreeSet<&WorkloadName>) -> WorkloadName {
        let deployment = || owner.deployment().filter(|name| workloads.contains(name));
        let above = self.owners.get(owner).cloned().or_else(deployment);
        above.unwrap_or_else(|| owner.clone())
    }
}

impl Plugin {
    /// Adds the pods of the same container.
    fn add(&mut self, other: Self) {
        self.is_static |= other.is_static;
        self.pods += other.pods;
        self.nodes.extend(other.nodes);
    }
}

/// Returns true for an owner that is also listed, such as the cron job of a job.
fn is_listed(owner: &WorkloadName) -> bool {
    owner.kind != PODS.kind && RESOURCES.iter().any(|resource| resource.kind == owner.kind)
}
