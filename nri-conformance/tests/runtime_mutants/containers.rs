//! The containers of the runtime.

use nri::api::{self, Event};
use nri_conformance::runtime::cri::messages as cri;

use crate::Fault;
use crate::sim::{Container, Reply, Sim};

impl Sim {
    pub(crate) async fn stop_containers(&self, pod: &str) {
        for id in self.containers_of(pod) {
            let _ = self.stop(&id).await;
        }
    }

    pub(crate) fn containers_of(&self, pod: &str) -> Vec<String> {
        let world = self.world();
        world
            .containers
            .iter()
            .filter(|(_, container)| container.event.pod_sandbox_id == pod)
            .map(|(id, _)| id.clone())
            .collect()
    }

    pub(crate) async fn remove_containers(&self, pod: &str) {
        for id in self.containers_of(pod) {
            let _ = self.stop(&id).await;
            let _ = self.remove(&id).await;
        }
    }

    /// Sends the events of containers that are still listed afterwards.
    pub(crate) async fn announce_removals(&self, pod: &str) {
        for id in self.containers_of(pod) {
            let _ = self.stop(&id).await;
            if let Ok(container) = self.container(&id) {
                let _ = self.container_event(Event::RemoveContainer, &container.event).await;
            }
        }
    }

    pub(crate) async fn create(&self, request: cri::CreateContainerRequest) -> Reply<String> {
        let _guard = match self.fault {
            Fault::LosesWhileSynchronizing => None,
            _ => Some(self.relay.hold().await),
        };
        let pod = request.pod_sandbox_id;
        self.accepts_containers(&pod)?;
        let config = request.config.unwrap_or_default();
        let name = config.metadata.unwrap_or_default().name;
        let container = {
            let mut world = self.world();
            world.created += 1;
            Container {
                event: api::Container {
                    id: format!("container-{}", world.created),
                    pod_sandbox_id: pod,
                    name,
                    args: config.command,
                    ..api::Container::default()
                },
                state: cri::ContainerState::Created,
            }
        };
        let id = container.event.id.clone();
        if self.has(Fault::ListsContainersEarly) {
            let mut world = self.world();
            world.containers.insert(id.clone(), container.clone());
        }
        let created = self.container_event(Event::CreateContainer, &container.event).await;
        if created.is_err() && !self.has(Fault::IgnoresCreateErrors) {
            self.world().containers.remove(&id);
            created?;
        }
        if self.has(Fault::CreatesContainersTwice) {
            let _ = self.container_event(Event::CreateContainer, &container.event).await;
        }
        self.world().containers.insert(id.clone(), container.clone());
        if !self.has(Fault::OmitsPostCreate) {
            let _ = self.container_event(Event::PostCreateContainer, &container.event).await;
        }
        Ok(id)
    }

    pub(crate) fn accepts_containers(&self, pod: &str) -> Reply {
        let world = self.world();
        let found = world.pods.get(pod).ok_or_else(|| format!("no pod {pod}"))?;
        let lenient = match self.fault {
            Fault::ReusesStoppedPods => found.listed,
            Fault::StartsContainersEarly => !found.listed,
            _ => false,
        };
        if found.ready || lenient {
            return Ok(());
        }
        Err(format!("pod {pod} is not ready"))
    }

    pub(crate) async fn start_container(&self, id: &str) -> Reply {
        let container = self.container(id)?;
        let _ = self.container_event(Event::StartContainer, &container.event).await;
        let fails = container.event.args.iter().any(|word| word == "fail");
        if let Some(started) = self.world().containers.get_mut(id) {
            started.state = cri::ContainerState::Running;
        }
        let posts = if self.has(Fault::PostsStartTwice) { 2 } else { 1 };
        for _ in 0..posts {
            let _ = self.container_event(Event::PostStartContainer, &container.event).await;
        }
        if fails {
            self.stop(id).await?;
        }
        Ok(())
    }

    pub(crate) async fn update(&self, id: &str) -> Reply {
        let container = self.container(id)?;
        self.container_event(Event::UpdateContainer, &container.event).await?;
        let _ = self.container_event(Event::PostUpdateContainer, &container.event).await;
        Ok(())
    }

    pub(crate) async fn stop(&self, id: &str) -> Reply {
        let container = self.container(id)?;
        if container.state == cri::ContainerState::Exited {
            return Ok(());
        }
        if let Some(stopped) = self.world().containers.get_mut(id) {
            stopped.state = cri::ContainerState::Exited;
        }
        if !self.has(Fault::HidesContainerStops) {
            let _ = self.container_event(Event::StopContainer, &container.event).await;
        }
        Ok(())
    }

    pub(crate) async fn remove(&self, id: &str) -> Reply {
        let Ok(container) = self.container(id) else {
            return Ok(());
        };
        let event = self.event_of(&container.event.pod_sandbox_id)?;
        self.world().containers.remove(id);
        if self.has(Fault::RemovesContainersAfterPod) {
            let mut unsent = self.unsent.lock().expect("no panic");
            unsent.push((event, container.event));
            return Ok(());
        }
        let _ = self.relay.send(Event::RemoveContainer, &event, &container.event).await;
        Ok(())
    }

    pub(crate) fn container(&self, id: &str) -> Reply<Container> {
        let world = self.world();
        let container = world.containers.get(id);
        container.cloned().ok_or_else(|| format!("no container {id}"))
    }
}
