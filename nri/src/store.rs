//! The pods and containers that a plugin knows, kept up to date by Synchronize and events.
//!
//! A plugin may miss pods. A pod that is being created while the plugin synchronizes can be missing
//! both from the list and from later RunPodSandbox events ([containerd/nri issue
//! 63](https://github.com/containerd/nri/issues/63)), and while the connection is lost, pods come
//! and go unseen. But every event carries its complete pod, and the next Synchronize lists all
//! pods. [`PodStore`] combines the two: for every event it reports whether its pod and container
//! are seen for the first time, and for every Synchronize which ones are new and which have
//! vanished.
//!
//! ```
//! use nri::api::{Event, PodSandbox};
//! use nri::store::{PodStore, SightingKind};
//!
//! let store = PodStore::new();
//! let pod = |id: &str| PodSandbox { id: id.into(), ..Default::default() };
//!
//! // connected: the runtime has one pod
//! let report = store.synchronize(&[pod("a")], &[]);
//! assert_eq!(report.pods.new.len(), 1);
//!
//! // a pod that was being created meanwhile: its RunPodSandbox never came, its StopPodSandbox does
//! let sighting = store.observe(Event::StopPodSandbox, &pod("b"), None);
//! assert_eq!(sighting.pod, SightingKind::First);
//! assert!(sighting.missed_creation());
//!
//! // connected again: the first pod is gone
//! let report = store.synchronize(&[pod("b")], &[]);
//! assert_eq!(report.pods.vanished[0].id, "a");
//! ```
//!
//! A store belongs to the plugin and is used from its handlers through `&self`; it outlives the
//! connection. [`Builder::store`](crate::stub::Builder::store) fills it with all that the runtime
//! sends, so that handlers only read it. A plugin that needs to recognise new pods and containers
//! fills the store itself: each handler first passes its event to it. Events without a handler do
//! not reach the store then, so that a plugin that does not handle removals keeps removed pods and
//! containers until the next Synchronize.

#[cfg(not(target_family = "wasm"))]
pub(crate) mod record;
mod shelf;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::api::{Container, Event, PodSandbox};
use crate::lifecycle::{EventKind, Stage};
use shelf::Shelf;

/// The maximum numbers of items that a [`PodStore`] keeps.
///
/// The defaults are far above what a node runs (Kubernetes: 110 pods, or 500 if the limit is
/// raised). Beyond a limit nothing new is stored: every event of such a pod or container is its
/// [first](SightingKind::First) sighting.
///
/// ```
/// use nri::store::{Limits, PodStore};
///
/// let store = PodStore::with_limits(Limits::default().pods(500).containers(5_000));
/// # drop(store);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Number of pods.
    pub pods: usize,
    /// Number of containers, of all pods together.
    pub containers: usize,
    /// Number of ids of removed pods, and also of removed containers, by which late events are
    /// recognized; the oldest are forgotten.
    pub removed: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { pods: 100_000, containers: 400_000, removed: 4_096 }
    }
}

impl Limits {
    /// Sets the number of pods.
    #[must_use]
    pub fn pods(mut self, pods: usize) -> Self {
        self.pods = pods;
        self
    }

    /// Sets the number of containers, of all pods together.
    #[must_use]
    pub fn containers(mut self, containers: usize) -> Self {
        self.containers = containers;
        self
    }

    /// Sets the number of ids of removed pods, and also of removed containers.
    #[must_use]
    pub fn removed(mut self, removed: usize) -> Self {
        self.removed = removed;
        self
    }
}

/// The pods and containers that a plugin knows. See the [module](self).
#[derive(Debug)]
pub struct PodStore {
    state: RwLock<StoreState>,
}

impl Default for PodStore {
    fn default() -> Self {
        Self::with_limits(Limits::default())
    }
}

impl PodStore {
    /// Creates an empty store with the default [`Limits`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty store with these limits.
    pub fn with_limits(limits: Limits) -> Self {
        PodStore {
            state: RwLock::new(StoreState {
                pods: Shelf::new("pods", |pod| &pod.id, limits.pods, limits.removed),
                containers: Shelf::new(
                    "containers",
                    |container| &container.id,
                    limits.containers,
                    limits.removed,
                ),
            }),
        }
    }

    /// Records an event with its pod and container, and reports whether they were known.
    ///
    /// Events may come in any order: a Stop or Remove of something never seen, a repeated Stop, a
    /// late event after the Remove. Removing a pod also removes its containers.
    pub fn observe(
        &self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> Sighting {
        self.write().observe(event, pod, container)
    }

    /// Records the list of a Synchronize, and reports how it differs from the known state.
    ///
    /// The list is authoritative: items that are not in it are forgotten and reported as vanished,
    /// and items that are in it are known from now on, even after their removal was seen. A pod
    /// that is being created is not in the list; its next event is a first sighting.
    pub fn synchronize(&self, pods: &[PodSandbox], containers: &[Container]) -> SyncReport {
        let mut state = self.write();
        SyncReport {
            pods: state.pods.synchronize(pods),
            containers: state.containers.synchronize(containers),
        }
    }

    /// Returns the pod with this id, as last seen.
    pub fn pod(&self, id: &str) -> Option<Arc<PodSandbox>> {
        self.read().pods.get(id)
    }

    /// Returns the container with this id, as last seen.
    pub fn container(&self, id: &str) -> Option<Arc<Container>> {
        self.read().containers.get(id)
    }

    /// Returns all pods, ordered by id.
    pub fn pods(&self) -> Vec<Arc<PodSandbox>> {
        self.read().pods.all(|_| true)
    }

    /// Returns all containers, ordered by id.
    pub fn containers(&self) -> Vec<Arc<Container>> {
        self.read().containers.all(|_| true)
    }

    /// Returns the containers whose `pod_sandbox_id` is this id, ordered by their own id.
    pub fn containers_of(&self, pod_id: &str) -> Vec<Arc<Container>> {
        let of_pod = |container: &Container| container.pod_sandbox_id == pod_id;
        self.read().containers.all(of_pod)
    }

    /// Returns how many sightings of pods and containers could not be stored because of the
    /// [`Limits`].
    pub fn refused(&self) -> u64 {
        let state = self.read();
        state.pods.refused + state.containers.refused
    }

    // A handler that panicked while holding the lock left complete entries behind: every change is
    // a single insertion or removal, and none runs foreign code.
    fn read(&self) -> RwLockReadGuard<'_, StoreState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, StoreState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The content of the store, behind its lock.
#[derive(Debug)]
struct StoreState {
    pods: Shelf<PodSandbox>,
    containers: Shelf<Container>,
}

impl StoreState {
    fn observe(
        &mut self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> Sighting {
        let (of_pod, of_container) = match Stage::of(event) {
            Some(stage) if stage.container.is_some() => (EventKind::Report, stage.kind),
            Some(stage) => (stage.kind, EventKind::Report),
            None => (EventKind::Report, EventKind::Report),
        };
        let seen_pod = self.pods.see(pod, of_pod);
        if of_pod == EventKind::Removal {
            self.containers.remove_all(|known| known.pod_sandbox_id == pod.id);
        }
        let seen_container = container.map(|container| {
            let was_removed = seen_pod == SightingKind::Gone && !self.containers.has(&container.id);
            if was_removed && of_container != EventKind::Removal {
                return SightingKind::Gone; // Its pod was removed, and all its containers with it.
            }
            self.containers.see(container, of_container)
        });
        Sighting { event, pod: seen_pod, container: seen_container }
    }
}

/// The differences between a list of pods or containers and the known state.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Delta<T> {
    /// Listed and previously unknown, in the order of the list.
    pub new: Vec<Arc<T>>,
    /// Listed and previously known, as listed now and in that order.
    pub known: Vec<Arc<T>>,
    /// Previously known and not listed, as last seen, ordered by id.
    pub vanished: Vec<Arc<T>>,
}

/// The differences between a Synchronize and the known state.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SyncReport {
    /// The pods.
    pub pods: Delta<PodSandbox>,
    /// The containers. The containers of a vanished pod are listed as vanished.
    pub containers: Delta<Container>,
}

/// The state of a pod or container in the store before an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SightingKind {
    /// Unknown before. Known from now on, unless the event is its removal.
    First,
    /// Known before; the store now has the data of the event.
    Known,
    /// Known, and stopped before: a repeated Stop, which requires no action.
    Repeated,
    /// Removed before: a late event or a repeated Remove. It does not become known again.
    Gone,
}

/// The meaning of an event for the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Sighting {
    /// The event that names the pod and the container.
    pub event: Event,
    /// The state of the pod in the store.
    pub pod: SightingKind,
    /// The state of the container in the store, if the event has one.
    pub container: Option<SightingKind>,
}

impl Sighting {
    /// Returns true if the pod or container is seen for the first time in an event other than its
    /// creation.
    ///
    /// A plugin that handles RunPodSandbox and CreateContainer can then do what it would have done
    /// in those handlers. The validation of an adjustment counts as creation, for plugins that
    /// handle nothing else.
    pub fn missed_creation(&self) -> bool {
        let creates_pod = self.event == Event::RunPodSandbox;
        let creates_container =
            matches!(self.event, Event::CreateContainer | Event::ValidateContainerAdjustment);
        (self.pod == SightingKind::First && !creates_pod)
            || (self.container == Some(SightingKind::First) && !creates_container)
    }

    /// Returns true if the container, or the pod if there is no container, has had this event
    /// before, or has been removed.
    pub fn is_repeated(&self) -> bool {
        matches!(self.container.unwrap_or(self.pod), SightingKind::Repeated | SightingKind::Gone)
    }
}
