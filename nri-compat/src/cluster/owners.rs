//! The objects that pods belong to.

use std::collections::{BTreeMap, BTreeSet};

use super::workload_name::WorkloadName;
use crate::workloads::{Owner, Workload};

/// The owners of listed objects.
#[derive(Debug, Default)]
pub(super) struct Owners(BTreeMap<WorkloadName, WorkloadName>);

impl Owners {
    /// Adds an object that `owner` manages.
    pub(super) fn add(&mut self, name: WorkloadName, owner: &Owner) {
        let owner = WorkloadName {
            kind: owner.kind.clone(),
            namespace: name.namespace.clone(),
            name: owner.name.clone(),
        };
        self.0.insert(name, owner);
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Returns the object that the owner of a pod belongs to: the deployment of a replica set, if it
    /// is one of these workloads, or the cron job of a job; else the owner itself.
    pub(super) fn topmost(
        &self,
        owner: WorkloadName,
        workloads: &BTreeSet<&WorkloadName>,
    ) -> WorkloadName {
        if let Some(above) = self.0.get(&owner) {
            return above.clone();
        }
        let deployment = deployment(&owner).filter(|name| workloads.contains(name));
        deployment.unwrap_or(owner)
    }
}

/// Returns the deployment that may have created a replica set: it adds a hash to its own name.
fn deployment(owner: &WorkloadName) -> Option<WorkloadName> {
    let (name, _hash) = owner.name.rsplit_once('-')?;
    (owner.kind == "ReplicaSet").then(|| WorkloadName {
        kind: "Deployment".to_owned(),
        namespace: owner.namespace.clone(),
        name: name.to_owned(),
    })
}

/// Returns the name of a listed object of this kind.
pub(super) fn name(workload: &Workload, kind: &str) -> WorkloadName {
    WorkloadName {
        kind: kind.to_owned(),
        namespace: workload.namespace.clone().unwrap_or_default(),
        name: workload.name.clone(),
    }
}

/// Returns the owner of a pod, or the pod itself if it has none. Mirrors of static pods have the same
/// name on each node, without the name of the node at the end.
pub(super) fn of_pod(pod: &Workload) -> WorkloadName {
    let itself = name(pod, "Pod");
    if pod.is_mirror {
        let mut templates = pod.templates.iter();
        let node = templates.find_map(|template| template.node_name.as_deref());
        let name = node.and_then(|node| itself.name.strip_suffix(node)?.strip_suffix('-'));
        return WorkloadName {
            name: name.unwrap_or(&itself.name).to_owned(),
            ..itself
        };
    }
    match pod.controller() {
        Some(owner) => WorkloadName {
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            ..itself
        },
        None => itself,
    }
}
