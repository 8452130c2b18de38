//! The content of the store, behind its lock.

use std::collections::{BTreeSet, HashMap};

use super::shelf::Shelf;
use super::{Limits, Sighting, SightingKind};
use crate::api::{Container, Event, PodSandbox};
use crate::lifecycle::{EventKind, Stage};

#[derive(Debug)]
pub(super) struct StoreState {
    pub(super) pods: Shelf<PodSandbox>,
    pub(super) containers: Shelf<Container>,
    /// The pod id of every stored container.
    owners: HashMap<String, String>,
    /// The inverse: pairs of pod id and container id.
    children: BTreeSet<(String, String)>,
}

impl StoreState {
    pub(super) fn new(limits: Limits) -> Self {
        StoreState {
            pods: Shelf::new("pods", limits.pods, limits.removed),
            containers: Shelf::new("containers", limits.containers, limits.removed),
            owners: HashMap::new(),
            children: BTreeSet::new(),
        }
    }

    pub(super) fn observe(
        &mut self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> Sighting {
        let of_pod = Stage::of(event).filter(|stage| stage.container.is_none());
        let seen = match of_pod.map(|stage| stage.kind) {
            Some(EventKind::Removal) => self.remove_pod(&pod.id),
            kind => self.pods.see(&pod.id, pod, kind == Some(EventKind::Stop)),
        };
        Sighting {
            event,
            pod: seen,
            container: container.map(|it| self.observe_container(event, pod, seen, it)),
        }
    }

    fn observe_container(
        &mut self,
        event: Event,
        pod: &PodSandbox,
        of_pod: SightingKind,
        container: &Container,
    ) -> SightingKind {
        let id = container.id.as_str();
        let of_container = Stage::of(event).filter(|stage| stage.container.is_some());
        let kind = of_container.map(|stage| stage.kind);
        if kind == Some(EventKind::Removal) {
            return self.remove_container(id);
        }
        if of_pod == SightingKind::Gone && !self.containers.has(id) {
            return SightingKind::Gone; // Its pod was removed, and all its containers with it.
        }
        let is_stop = kind == Some(EventKind::Stop);
        let seen = self.containers.see(id, container, is_stop);
        if seen == SightingKind::First && self.containers.has(id) {
            let stated = container.pod_sandbox_id.as_str();
            self.own(if stated.is_empty() { &pod.id } else { stated }, id);
        }
        seen
    }

    pub(super) fn own(&mut self, pod_id: &str, container_id: &str) {
        self.disown(container_id);
        self.owners
            .insert(container_id.to_owned(), pod_id.to_owned());
        self.children
            .insert((pod_id.to_owned(), container_id.to_owned()));
    }

    pub(super) fn disown(&mut self, container_id: &str) {
        if let Some(pod_id) = self.owners.remove(container_id) {
            self.children.remove(&(pod_id, container_id.to_owned()));
        }
    }

    fn remove_pod(&mut self, id: &str) -> SightingKind {
        for child in self.children_of(id) {
            self.remove_container(&child);
        }
        self.pods.remove(id)
    }

    fn remove_container(&mut self, id: &str) -> SightingKind {
        self.disown(id);
        self.containers.remove(id)
    }

    pub(super) fn children_of(&self, pod_id: &str) -> Vec<String> {
        let first = (pod_id.to_owned(), String::new());
        let children = self.children.range(first..);
        let of_pod = children.take_while(|(owner, _)| owner == pod_id);
        of_pod.map(|(_, child)| child.clone()).collect()
    }
}
