//! The pods and containers of a test's runtime.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nri::Result;
use nri::api::{Container, ContainerUpdate, PodSandbox};
use nri_adaptation::{Origin, Requested, RuntimeCallbacks, State};

/// The state of the runtime. It survives a restart. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    contents: Arc<Mutex<Contents>>,
    /// Locked while an event is processed, as in containerd and CRI-O: an update waits for the end
    /// of the event.
    event: Arc<tokio::sync::Mutex<()>>,
}

/// The pods and containers of the runtime, oldest first.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) pods: Vec<PodSandbox>,
    /// The ids of pods that have stopped and are not removed yet.
    pub(super) stopped: BTreeSet<String>,
    pub(super) containers: Vec<Container>,
    pub(super) requested: Vec<Requested>,
}

impl World {
    pub(super) fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Processes an event, when updates in progress are done.
    pub(super) async fn during<T>(&self, event: impl Future<Output = T>) -> T {
        let _locked = self.event.lock().await;
        event.await
    }
}

impl Contents {
    pub(super) fn pod(&self, id: &str) -> Option<&PodSandbox> {
        self.pods.iter().find(|pod| pod.id == id)
    }

    /// Returns the containers of a pod.
    pub(super) fn containers_of(&self, pod_id: &str) -> Vec<Container> {
        self.containers
            .iter()
            .filter(|container| container.pod_sandbox_id == pod_id)
            .cloned()
            .collect()
    }

    /// Replaces the pod with the same id.
    pub(super) fn replace_pod(&mut self, pod: &PodSandbox) {
        if let Some(known) = self.pods.iter_mut().find(|known| known.id == pod.id) {
            known.clone_from(pod);
        }
    }

    pub(super) fn remove_pod(&mut self, id: &str) {
        self.stopped.remove(id);
        self.pods.retain(|pod| pod.id != id);
    }

    pub(super) fn remove_container(&mut self, id: &str) {
        self.containers.retain(|known| known.id != id);
    }

    /// Replaces the container with the same id.
    pub(super) fn replace(&mut self, container: Container) {
        if let Some(known) = self.containers.iter_mut().find(|known| known.id == container.id) {
            *known = container;
        }
    }
}

/// Connects the world to the adaptation.
#[derive(Debug)]
pub(super) struct Callbacks {
    pub(super) world: World,
    /// True if every pod and container of Synchronize gets its own message.
    pub(super) split: bool,
}

impl RuntimeCallbacks for Callbacks {
    async fn synchronize(&self, state: &mut State) -> Result<()> {
        if self.split {
            state.one_entry_per_part();
        }
        let contents = self.world.lock();
        contents.pods.iter().for_each(|pod| state.add_pod(pod));
        contents.containers.iter().for_each(|container| state.add_container(container));
        Ok(())
    }

    async fn update_containers(&self, requested: Requested) -> Result<Vec<ContainerUpdate>> {
        // Synchronize is an event itself, with the updates in its answer.
        let _locked = if requested.origin == Origin::Synchronize {
            None
        } else {
            Some(self.world.event.lock().await)
        };
        self.world.lock().requested.push(requested);
        Ok(Vec::new())
    }
}
