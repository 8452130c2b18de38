//! A plugin's view of pods and containers, kept right from Synchronize plus events.
//!
//! A plugin does not learn of every pod in time. A pod whose creation is under way while the plugin synchronizes can be in
//! neither the list nor a later RunPodSandbox ([containerd/nri issue 63](https://github.com/containerd/nri/issues/63)),
//! and while the connection is lost pods come and go unseen. But every event carries its pod in full, and the next
//! Synchronize lists them all. [`PodStore`] puts both together: it says of every event whether its pod and container
//! are seen for the first time, and of every Synchronize what is new and what has vanished.
//!
//! ```
//! use nri::api::{Event, PodSandbox};
//! use nri::store::{PodStore, Seen};
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
//! assert_eq!(sighting.pod, Seen::First);
//! assert!(sighting.missed_creation());
//!
//! // connected again: the first pod is gone
//! let report = store.synchronize(&[pod("b")], &[]);
//! assert_eq!(report.pods.vanished[0].id, "a");
//! ```
//!
//! A store belongs in the plugin and is used from its handlers, by `&self`; it outlives the connection. Each handler
//! tells it the event first. An event that the plugin has no handler for does not reach the store: a plugin that does
//! not handle the removals keeps what is gone until the next Synchronize.

mod delta;
mod removed;
mod sighting;
mod state;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::api::{Container, Event, PodSandbox};
pub use delta::{Delta, SyncReport};
pub use sighting::{Seen, Sighting};
use state::State;

/// The most that a [`PodStore`] keeps.
///
/// The default is far above what a node carries (Kubernetes: 110 pods, 500 where it is raised). Beyond a limit nothing
/// new is kept: every event of such a pod or container is its [first](Seen::First) sighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pods.
    pub pods: usize,
    /// Containers, of all pods together.
    pub containers: usize,
    /// Ids of removed pods, and as many of removed containers, by which stragglers are told; the oldest are forgotten.
    pub removed: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            pods: 100_000,
            containers: 400_000,
            removed: 4_096,
        }
    }
}

/// The pods and containers that a plugin knows. See the [module](self).
#[derive(Debug, Default)]
pub struct PodStore {
    state: RwLock<State>,
}

impl PodStore {
    /// An empty store with the default [`Limits`].
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store with these limits.
    pub fn with_limits(limits: Limits) -> Self {
        PodStore {
            state: RwLock::new(State::new(limits)),
        }
    }

    /// Takes in an event with the pod and container that it carries, and says how new they are.
    ///
    /// Every event is welcome in every order: a Stop or Remove of what was never seen, a repeated Stop, a straggler
    /// after the Remove. A pod's removal removes its containers as well.
    pub fn observe(
        &self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> Sighting {
        self.write().observe(event, pod, container)
    }

    /// Takes in what Synchronize lists, and says how it differs from what was known.
    ///
    /// The list counts: what it lacks is forgotten and reported as vanished, what it has is known from now on, even
    /// after its removal was seen. Nothing vanishes for being in a state that the list cannot show: a pod that is
    /// being created comes back as a first sighting with its next event.
    pub fn synchronize(&self, pods: &[PodSandbox], containers: &[Container]) -> SyncReport {
        self.write().synchronize(pods, containers)
    }

    /// The pod of this id, as last seen.
    pub fn pod(&self, id: &str) -> Option<Arc<PodSandbox>> {
        self.read().pod(id)
    }

    /// The container of this id, as last seen.
    pub fn container(&self, id: &str) -> Option<Arc<Container>> {
        self.read().container(id)
    }

    /// All pods, in the order of their ids.
    pub fn pods(&self) -> Vec<Arc<PodSandbox>> {
        self.read().pods()
    }

    /// All containers, in the order of their ids.
    pub fn containers(&self) -> Vec<Arc<Container>> {
        self.read().containers()
    }

    /// The containers of the pod of this id, in the order of their ids.
    pub fn containers_of(&self, pod_id: &str) -> Vec<Arc<Container>> {
        self.read().containers_of(pod_id)
    }

    /// How many pods and containers could not be kept for the [`Limits`], counted at each sighting.
    pub fn refused(&self) -> u64 {
        self.read().refused()
    }

    // A handler that panicked while it held the lock left complete entries behind: every change is one insertion or
    // removal at a time, and none runs foreign code.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
