//! The removal of pods.

use std::sync::Arc;
use std::time::Duration;

use nri::api::Event;

use crate::Fault;
use crate::sim::{LATER, Reply, Sim};

/// The delay of an event that arrives twice.
const SHORTLY: Duration = Duration::from_millis(20);

impl Sim {
    pub(crate) async fn remove_pod(self: &Arc<Self>, id: String) -> Reply {
        self.stop_pod(id.clone())
            .await
            .or_else(|error| if self.has(Fault::StopsOnce) { Ok(()) } else { Err(error) })?;
        let _guard = self.relay.hold().await;
        let Ok(event) = self.event_of(&id) else {
            return Ok(());
        };
        if self.has(Fault::RemovesContainersLast) {
            self.announce_removals(&id).await;
        } else {
            self.remove_containers(&id).await;
        }
        if self.has(Fault::StopsAfterTheResponse) {
            let _ = self.pod_event(Event::StopPodSandbox, &event).await;
        }
        let removed = if self.has(Fault::RemovesAfterTheResponse) {
            let (sim, event) = (Arc::clone(self), event.clone());
            tokio::spawn(async move {
                tokio::time::sleep(LATER).await;
                let _ = sim.pod_event(Event::RemovePodSandbox, &event).await;
            });
            Ok(())
        } else {
            self.pod_event(Event::RemovePodSandbox, &event).await
        };
        if self.has(Fault::StopsAfterRemove) {
            let _ = self.pod_event(Event::StopPodSandbox, &event).await;
        }
        if self.has(Fault::RemovesAgainLater) {
            let (sim, event) = (Arc::clone(self), event.clone());
            tokio::spawn(async move {
                tokio::time::sleep(SHORTLY).await;
                let _ = sim.pod_event(Event::RemovePodSandbox, &event).await;
            });
        }
        let unsent = std::mem::take(&mut *self.unsent.lock().expect("no panic"));
        for (pod, container) in unsent {
            let _ = self.relay.send(Event::RemoveContainer, &pod, &container).await;
        }
        let unfinished = self.unfinished.lock().expect("no panic").take();
        if let Some(stopping) = unfinished {
            let _ = stopping.await;
        }
        if self.has(Fault::ReturnsRemoveErrors) {
            removed?;
        }
        self.take_down(&event);
        let mut world = self.world();
        world.pods.remove(&id);
        let containers = &mut world.containers;
        containers.retain(|_, container| container.event.pod_sandbox_id != id);
        Ok(())
    }
}
