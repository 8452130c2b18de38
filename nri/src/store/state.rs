//! The content of the store, behind its lock.

mod shelf;
mod synchronize;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Limits, Sighting, SightingKind};
use crate::api::{Container, Event, PodSandbox};
use crate::lifecycle::{EventKind, Stage};
use shelf::Shelf;

#[derive(Debug)]
pub(super) struct StoreState {
    pods: Shelf<PodSandbox>,
    containers: Shelf<Container>,
    /// The pod id of every stored container.
    owners: HashMap<String, String>,
    /// The inverse: pairs of pod id and container id.
    children: BTreeSet<(String, String)>,
}

impl Default for StoreState {
    fn default() -> Self {
        StoreState::new(Limits::default())
    }
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
            Some(EventKind::Stop) => self.pods.stop(&pod.id, pod),
            Some(EventKind::Consent | EventKind::Report) | None => self.pods.see(&pod.id, pod),
        };
        let container =
            container.map(|container| self.observe_container(event, pod, seen, container));
        Sighting {
            event,
            pod: seen,
            container,
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
        // Its pod was removed, and all its containers with it.
        let is_gone = of_pod == SightingKind::Gone && !self.containers.has(id);
        let seen = match of_container.map(|stage| stage.kind) {
            Some(EventKind::Removal) => self.remove_container(id),
            Some(EventKind::Consent | EventKind::Report | EventKind::Stop) | None if is_gone => {
                SightingKind::Gone
            }
            Some(EventKind::Stop) => self.containers.stop(id, container),
            Some(EventKind::Consent | EventKind::Report) | None => {
                self.containers.see(id, container)
            }
        };
        if seen == SightingKind::First && self.containers.has(id) {
            self.adopt(pod, container);
        }
        seen
    }

    fn adopt(&mut self, pod: &PodSandbox, container: &Container) {
        let stated = container.pod_sandbox_id.as_str();
        let owner = if stated.is_empty() { &pod.id } else { stated };
        self.own(owner, &container.id);
    }

    fn own(&mut self, pod_id: &str, container_id: &str) {
        self.disown(container_id);
        self.owners
            .insert(container_id.to_owned(), pod_id.to_owned());
        self.children
            .insert((pod_id.to_owned(), container_id.to_owned()));
    }

    fn disown(&mut self, container_id: &str) {
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

    fn children_of(&self, pod_id: &str) -> Vec<String> {
        let first = (pod_id.to_owned(), String::new());
        let of_pod = self
            .children
            .range(first..)
            .take_while(|(owner, _)| owner == pod_id);
        of_pod.map(|(_, child)| child.clone()).collect()
    }

    pub(super) fn pod(&self, id: &str) -> Option<Arc<PodSandbox>> {
        self.pods.get(id).cloned()
    }

    pub(super) fn container(&self, id: &str) -> Option<Arc<Container>> {
        self.containers.get(id).cloned()
    }

    pub(super) fn pods(&self) -> Vec<Arc<PodSandbox>> {
        self.pods.all().cloned().collect()
    }

    pub(super) fn containers(&self) -> Vec<Arc<Container>> {
        self.containers.all().cloned().collect()
    }

    pub(super) fn containers_of(&self, pod_id: &str) -> Vec<Arc<Container>> {
        self.children_of(pod_id)
            .iter()
            .filter_map(|id| self.container(id))
            .collect()
    }

    pub(super) fn refused(&self) -> u64 {
        self.pods.refused() + self.containers.refused()
    }
}
